import { randomBytes } from 'node:crypto';
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { LocalStackError } from './local-stack-error.ts';
import type { PostgresHome } from './postgres-home.ts';
import { commandLineOf, signalProcess, startOf } from './processes.ts';
import { runOrThrow } from './run-command.ts';
import { waitUntil } from './wait.ts';

export const superuser = 'gateway';
const initTimeoutMs = 120_000;

export interface ClusterOptions {
  readonly durable: boolean;
  readonly log: (line: string) => void;
  readonly signal?: AbortSignal | undefined;
}

/** The superuser's password of the cluster in this home; makes the cluster when there is none. */
export async function ensureCluster(home: PostgresHome, options: ClusterOptions): Promise<string> {
  const passwordFile = join(home.folder, 'password');
  if (!existsSync(home.cluster)) {
    options.log(`creating a PostgreSQL ${home.binaries.majorVersion} database in ${home.folder}`);
    writeFileSync(passwordFile, randomBytes(24).toString('base64url'), { mode: 0o600 });
    await initialise(home, readFileSync(passwordFile, 'utf8'), options);
  }
  const madeBy = readFileSync(join(home.cluster, 'PG_VERSION'), 'utf8').trim();
  if (madeBy !== home.binaries.majorVersion) {
    throw new LocalStackError(
      'server_not_startable',
      `The database in ${home.cluster} was created by PostgreSQL ${madeBy} and this is ${home.binaries.majorVersion}: delete that folder, or set DATA_DIR to another one.`,
    );
  }
  return readFileSync(passwordFile, 'utf8').trim();
}

/**
 * For what lasts as long as a run of tests, which opens tens of thousands of connections: a password is
 * worth nothing there, and proving it with the usual 4,096 rounds takes a millisecond each.
 */
const careless = ['--no-sync', '--set=scram_iterations=1'];

/**
 * In a folder beside, renamed when complete: a run that is killed half-way leaves no half cluster
 * behind.
 */
async function initialise(
  home: PostgresHome,
  password: string,
  { durable, signal }: ClusterOptions,
): Promise<void> {
  const unfinished = `${home.cluster}.unfinished`;
  const passwordFile = join(home.folder, 'initial-password');
  rmSync(unfinished, { recursive: true, force: true });
  mkdirSync(unfinished, { mode: 0o700 });
  writeFileSync(passwordFile, `${password}\n`, { mode: 0o600 });
  if (home.account !== undefined) {
    for (const path of [unfinished, passwordFile]) {
      chownSync(path, home.account.uid, home.account.gid);
    }
  }
  const program = join(home.binaries.folder, 'bin', 'initdb');
  makeExecutable(home);
  const flags = [
    `--pgdata=${unfinished}`,
    `--pwfile=${passwordFile}`,
    `--username=${superuser}`,
    '--auth=scram-sha-256',
    '--encoding=UTF8',
    '--locale=C',
    ...(durable ? [] : careless),
  ];
  try {
    await runOrThrow('Making the PostgreSQL database', [program, ...flags], {
      cwd: home.folder,
      timeoutMs: initTimeoutMs,
      env: { ...process.env, LC_ALL: 'C' },
      signal,
      account: home.account,
    });
    renameSync(unfinished, home.cluster);
  } finally {
    rmSync(passwordFile, { force: true });
  }
}

/** npm keeps no executable bit that a package was packed without. */
function makeExecutable({ binaries }: PostgresHome): void {
  for (const program of ['initdb', 'postgres', 'pg_ctl']) {
    try {
      chmodSync(join(binaries.folder, 'bin', program), 0o755);
    } catch {
      // Not ours, or read-only: then whoever installed it has seen to the bit.
    }
  }
}

const fastStopMs = 10_000;

/**
 * Ends a server that a killed run left behind on this cluster. A pid file whose number now belongs
 * to another program is removed: the server would take that program for a server and refuse to
 * start.
 */
export async function stopLeftoverServer(
  { cluster }: PostgresHome,
  log: (line: string) => void,
): Promise<void> {
  const pidFile = join(cluster, 'postmaster.pid');
  if (!existsSync(pidFile)) return;
  const pid = Number(readFileSync(pidFile, 'utf8').split('\n')[0]);
  if (!Number.isInteger(pid) || pid <= 1 || startOf(pid) === undefined) return;
  if (commandLineOf(pid)?.includes(cluster) !== true) {
    rmSync(pidFile, { force: true });
    return;
  }
  log(`stopping the PostgreSQL that an earlier run left behind (process ${pid})`);
  // postgres(1): SIGINT is a fast, SIGQUIT an immediate shutdown.
  for (const stop of ['SIGINT', 'SIGQUIT', 'SIGKILL'] as const) {
    signalProcess(pid, stop);
    if (await waitUntil(() => startOf(pid) === undefined, { timeoutMs: fastStopMs })) return;
  }
}
