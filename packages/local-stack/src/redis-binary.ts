import { existsSync, readdirSync, statSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { runCommand } from './run-command.ts';

export interface RedisBinary {
  readonly command: string;
  /** Where the libraries of an unpacked package are; empty for an installed one. */
  readonly env: NodeJS.ProcessEnv;
  /** `redis 7.0.15` */
  readonly version: string;
}

const programs = ['redis-server', 'valkey-server'];
/** BullMQ asks for 6.2 or later. */
const oldestVersion = [6, 2] as const;

/** The first redis-server or valkey-server on the PATH that works and is new enough. */
export async function findRedisOnPath(
  path: string = process.env['PATH'] ?? '',
): Promise<RedisBinary | undefined> {
  for (const folder of path.split(delimiter).filter((part) => part !== '')) {
    for (const program of programs) {
      const binary = await tryRedis(join(folder, program), {});
      if (binary !== undefined) return binary;
    }
  }
  return undefined;
}

/**
 * The redis-server in the root folder of an unpacked distribution package, if it works on this
 * machine.
 */
export function findUnpackedRedis(root: string): Promise<RedisBinary | undefined> {
  return tryRedis(join(root, 'usr', 'bin', 'redis-server'), {
    LD_LIBRARY_PATH: libraryFolders(root).join(delimiter),
  });
}

async function tryRedis(command: string, env: NodeJS.ProcessEnv): Promise<RedisBinary | undefined> {
  if (!existsSync(command)) return undefined;
  const { exitCode, stdout } = await runCommand(command, ['--version'], {
    cwd: '/',
    timeoutMs: 5_000,
    env: { ...process.env, ...env },
  });
  const version = exitCode === 0 ? readVersion(stdout) : undefined;
  return version === undefined || !isNewEnough(version) ? undefined : { command, env, version };
}

/** `Redis server v=7.0.15 sha=…` → `7.0.15` */
function readVersion(text: string): string | undefined {
  return /v=(\d+\.\d+\.\d+)/.exec(text)?.[1];
}

function isNewEnough(version: string): boolean {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  return major > oldestVersion[0] || (major === oldestVersion[0] && minor >= oldestVersion[1]);
}

/** Debian keeps libraries in /usr/lib/<architecture>, and older packages in /lib/<architecture>. */
export function libraryFolders(root: string): string[] {
  return [join(root, 'usr', 'lib'), join(root, 'lib')]
    .filter((folder) => existsSync(folder))
    .flatMap((folder) => [
      folder,
      ...readdirSync(folder)
        .map((name) => join(folder, name))
        .filter((path) => statSync(path).isDirectory()),
    ]);
}
