import { readFile, realpath, stat } from 'node:fs/promises';
import path from 'node:path';
import type { GatewayClient } from '@gateway/client';
import { ToolError, type LocalFiles } from '@gateway/mcp';
import { checkTarget, fetchFile } from './download.ts';
import { UsageError } from './exit-codes.ts';
import { mediaTypeOf } from './video-request.ts';

/** No gateway takes a larger one. */
const mostBytes = 512 * 1024 * 1024;

/** The files that an agent may have read and written: those below one folder, and no others. */
export function agentFiles(client: GatewayClient, folder: string | undefined): LocalFiles {
  const within = async (name: string): Promise<string> => {
    if (folder === undefined) {
      throw refused('this server may use no files: start "gw mcp" with --folder');
    }
    const root = await realpath(folder);
    const wanted = path.resolve(root, name);
    // Of a file that is yet to be made the folder decides, wherever links lead.
    const real =
      (await realpathOf(wanted)) ?? path.join(await folderOf(wanted), path.basename(wanted));
    if (real !== root && real.startsWith(root + path.sep)) return real;
    throw refused(`${name} is not in ${root}, the folder that this server may use`);
  };
  return {
    async read(name) {
      const file = await within(name);
      const found = await stat(file).catch(() => undefined);
      if (found?.isFile() !== true) throw refused(`${name} is no file`);
      if (found.size > mostBytes) throw refused(`${name} is larger than ${mostBytes} bytes`);
      const contentType = mediaTypeOf(file);
      // Whatever else lies in the folder does not leave this machine.
      if (contentType === 'application/octet-stream') {
        throw refused(`${name} is no image, clip or sound by its name`);
      }
      return {
        bytes: Uint8Array.from(await readFile(file)),
        name: path.basename(file),
        contentType,
      };
    },
    async check(name) {
      const target = await within(name);
      if (path.extname(target).toLowerCase() !== '.mp4') throw refused(`${name} must end in .mp4`);
      await checkTarget(target).catch((error: unknown) => {
        throw error instanceof UsageError ? refused(error.message) : error;
      });
    },
    async save({ id }, name, signal) {
      const target = await within(name);
      await fetchFile(client, { id, file: 'video', target, signal, onProgress: () => undefined });
      return target;
    },
  };
}

const refused = (message: string): ToolError => new ToolError('invalid_parameter', message, 'path');

const realpathOf = (file: string): Promise<string | undefined> =>
  realpath(file).catch(() => undefined);

async function folderOf(file: string): Promise<string> {
  const found = await realpathOf(path.dirname(file));
  if (found === undefined) throw refused(`there is no folder ${path.dirname(file)}`);
  return found;
}
