import type { ProcessSpec } from './supervisor.ts';
import { runtimeModule } from './package-folder.ts';
import type { Account } from './account.ts';

export interface NativeServer {
  readonly name: string;
  readonly command: string;
  readonly args: readonly string[];
  /** The signal that makes this server stop in good order. */
  readonly stopSignal: NodeJS.Signals;
  readonly account?: Account | undefined;
  readonly env?: NodeJS.ProcessEnv;
  readonly cwd: string;
  readonly logFile: string;
  readonly whyNotReady: () => Promise<string | undefined>;
}

/** The keeper kills the server after this time, before the supervisor would kill the keeper. */
const keeperGraceMs = 10_000;
export const nativeStopTimeoutMs = keeperGraceMs + 2_000;

/** A native server as a supervised process: behind a keeper, so that it never outlives us. */
export function keptServer(server: NativeServer): ProcessSpec {
  const { name, command, args, stopSignal, account, env, cwd, logFile, whyNotReady } = server;
  const order = {
    command,
    args,
    stopSignal,
    graceMs: keeperGraceMs,
    uid: account?.uid,
    gid: account?.gid,
    env,
  };
  return {
    name,
    command: process.execPath,
    args: [runtimeModule('keep-server'), JSON.stringify(order)],
    env: process.env,
    cwd,
    logFile,
    whyNotReady,
  };
}
