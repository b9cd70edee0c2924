import { createRequire } from 'node:module';
import path from 'node:path';
import { newIdempotencyKey } from '@gateway/client';
import { createConnectionBudget, noBudget, openStdio } from '@gateway/mcp';
import { clientAsGateway } from '../agent-gateway.ts';
import { agentFiles } from '../agent-files.ts';
import type { Command, Given } from '../command.ts';
import { openClient } from '../credentials.ts';
import { exitCodes, UsageError } from '../exit-codes.ts';
import type { Terminal } from '../terminal.ts';

const { version } = createRequire(import.meta.url)('../../package.json') as {
  readonly version: string;
};

/** The tools of agents on standard input and output. */
export const mcp: Command = {
  name: 'mcp',
  summary: 'serves the tools of agents (MCP) on standard input and output',
  options: {
    'max-quota': { value: 'QUOTA', help: 'all videos of this connection may cost at most this' },
    folder: {
      value: 'FOLDER',
      help: 'files are read from it and put into it; by default the present folder',
      words: 'files',
    },
  },
  examples: ['gw mcp --max-quota 5000', 'gw mcp --folder ~/Videos'],
  run,
};

async function run(given: Given, terminal: Terminal): Promise<number> {
  const maxQuota = given.whole('max-quota');
  if (maxQuota !== undefined && maxQuota < 0) {
    throw new UsageError('--max-quota takes a number from 0.');
  }
  const { client } = await openClient(terminal);
  const gateway = clientAsGateway(client);
  const { signal, stderr } = terminal;
  const { ended, close } = await openStdio({
    version,
    connection: {
      gateway,
      budget:
        maxQuota === undefined
          ? noBudget
          : createConnectionBudget(maxQuota, { current: gateway.get, now: Date.now }),
      files: agentFiles(client, folderOf(given, terminal)),
      newKey: newIdempotencyKey,
    },
    onError: ({ message }) => stderr.write(`gw mcp: ${message}\n`),
  });
  await Promise.race([ended, aborted(signal)]);
  await close();
  return exitCodes.done;
}

const aborted = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve();
    signal.addEventListener('abort', () => {
      resolve();
    });
  });

/** Clients start this in folders of their own choice: the root of all would be every file. */
function folderOf(given: Given, { folder }: Terminal): string | undefined {
  const named = given.text('folder');
  if (named !== undefined) return path.resolve(folder, named);
  return folder === path.parse(folder).root ? undefined : folder;
}
