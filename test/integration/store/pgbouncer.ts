import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import net from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { eventually } from '@gateway/testing';
import { fetchPackage } from '../../../packages/local-stack/src/distribution-package.ts';
import { freePort } from '../../../packages/local-stack/src/ports.ts';
import { libraryFolders } from '../../../packages/local-stack/src/redis-binary.ts';
import { runCommand } from '../../../packages/local-stack/src/run-command.ts';

export interface Pooler {
  /** The same database by way of the pooler. */
  readonly url: string;
  stop(): Promise<void>;
}

interface Program {
  readonly command: string;
  readonly env: NodeJS.ProcessEnv;
}

const cacheDir = path.resolve(import.meta.dirname, '../../../.cache/pgbouncer');

async function works(command: string, env: NodeJS.ProcessEnv): Promise<Program | undefined> {
  if (!existsSync(command)) return undefined;
  const all = { ...process.env, ...env };
  const { exitCode } = await runCommand(command, ['--version'], {
    cwd: '/',
    timeoutMs: 5_000,
    env: all,
  });
  return exitCode === 0 ? { command, env: all } : undefined;
}

/** That of this machine, or the distribution's in the cache folder; undefined where there is none. */
export const findPgBouncer = async (): Promise<Program | undefined> =>
  (await works('/usr/sbin/pgbouncer', {})) ??
  fetchPackage({
    name: 'pgbouncer',
    find: (root) =>
      works(path.join(root, 'usr/sbin/pgbouncer'), {
        LD_LIBRARY_PATH: libraryFolders(root).join(path.delimiter),
      }),
    cacheDir,
    log: () => undefined,
  });

/** nobody: PgBouncer does not run as root. */
const unprivileged = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {};

/** In front of the server of `url`, with few sessions, so that clients get each other's. */
export async function startPgBouncer(
  { command, env }: Program,
  url: string,
  mode: 'session' | 'transaction',
): Promise<Pooler> {
  const target = new URL(url);
  const folder = await mkdtemp(path.join(os.tmpdir(), 'pgbouncer-'));
  await chmod(folder, 0o755);
  const port = await freePort();
  const file = path.join(folder, 'pgbouncer.ini');
  const password = decodeURIComponent(target.password);
  await writeFile(
    file,
    `[databases]
* = host=${target.hostname} port=${target.port} user=${decodeURIComponent(target.username)}${password === '' ? '' : ` password=${password}`}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = any
pool_mode = ${mode}
default_pool_size = ${mode === 'session' ? 20 : 2}
`,
  );
  const server = spawn(command, [file], { env, stdio: 'ignore', ...unprivileged });
  const ended = new Promise((resolve) => server.once('exit', resolve));
  await eventually(
    () =>
      new Promise<void>((resolve, reject) => {
        const socket = net.connect(port, '127.0.0.1', () => {
          socket.destroy();
          resolve();
        });
        socket.once('error', reject);
      }),
  );
  const through = new URL(url);
  through.host = `127.0.0.1:${port}`;
  return {
    url: through.href,
    async stop() {
      server.kill('SIGKILL');
      await ended;
      await rm(folder, { recursive: true, force: true });
    },
  };
}
