import { launchChild, type Child, type ChildEnd, type ChildSpec } from './child.ts';
import { LocalStackError } from './local-stack-error.ts';
import { prepareLogFile, tailOf } from './log-file.ts';
import { crashesInARow, isHopeless, restartDelayMs } from './restart-policy.ts';
import { waitUntil } from './wait.ts';

export interface ProcessSpec extends ChildSpec {
  readonly name: string;
  /** Undefined when the process does its work, else in words why not yet. */
  readonly whyNotReady: () => Promise<string | undefined>;
}

export interface SupervisionOptions {
  readonly restart: boolean;
  readonly readyTimeoutMs: number;
  /** From SIGTERM to SIGKILL. */
  readonly stopTimeoutMs: number;
  readonly log: (line: string) => void;
  readonly signal?: AbortSignal | undefined;
}

export interface SupervisedProcess {
  readonly name: string;
  /** Starts the process; nothing happens when it runs. */
  start(): void;
  /**
   * Resolves when the process is ready; throws `not_ready` with the end of its log when it ends or
   * takes too long.
   */
  ready(): Promise<void>;
  /** Undefined while the process is down. */
  pid(): number | undefined;
  /** Sends a signal to the process alone; false when it is down. */
  kill(signal: NodeJS.Signals): boolean;
  stop(): Promise<void>;
}

const sayEveryMs = 10_000;

interface State {
  child?: Child | undefined;
  restartTimer?: NodeJS.Timeout;
  /** Why the process was given up. */
  failure?: string | undefined;
  isWanted: boolean;
  hasBeenReady: boolean;
  crashes: number;
}

/**
 * Keeps one process running: a crash is announced, and the process started again after a growing
 * delay.
 */
export function superviseProcess(
  spec: ProcessSpec,
  options: SupervisionOptions,
): SupervisedProcess {
  const state: State = { isWanted: false, hasBeenReady: false, crashes: 0 };
  const logStart = prepareLogFile(spec.logFile);

  const launch = (): void => {
    const startedAt = performance.now();
    state.failure = undefined;
    state.child = launchChild(spec, (end) => {
      state.child = undefined;
      if (state.isWanted) onCrash(end, performance.now() - startedAt);
    });
  };

  const onCrash = ({ how, exitCode }: ChildEnd, upMs: number): void => {
    state.crashes = crashesInARow(state.crashes, upMs);
    if (
      !options.restart ||
      (!state.hasBeenReady && isHopeless({ crashes: state.crashes, exitCode }))
    ) {
      state.failure = `ended (${how})`;
      options.log(`${spec.name} ended (${how}); see ${spec.logFile}`);
      return;
    }
    const delayMs = restartDelayMs(state.crashes);
    options.log(
      `${spec.name} ended (${how}); starting it again in ${delayMs / 1000} s; see ${spec.logFile}`,
    );
    state.restartTimer = setTimeout(() => {
      launch();
      if (state.hasBeenReady) announceReturn(state.child);
    }, delayMs);
  };

  const announceReturn = (child: Child | undefined): void => {
    ready().then(
      () => {
        if (state.child === child) options.log(`${spec.name} is back`);
      },
      () => undefined,
    );
  };

  const ready = async (): Promise<void> => {
    const reason = await whyNeverReady(spec, state, options);
    if (reason !== undefined) {
      throw new LocalStackError(
        'not_ready',
        `${spec.name} ${reason}. The end of ${spec.logFile}:\n${tailOf(spec.logFile, logStart)}`,
      );
    }
    state.hasBeenReady = true;
  };

  return {
    name: spec.name,
    start: () => {
      if (state.isWanted && state.failure === undefined) return;
      state.isWanted = true;
      launch();
    },
    ready,
    pid: () => state.child?.pid,
    kill: (signal) => state.child?.kill(signal) ?? false,
    stop: async () => {
      state.isWanted = false;
      clearTimeout(state.restartTimer);
      await state.child?.end(options.stopTimeoutMs);
    },
  };
}

/** Waits for readiness; returns undefined then, else why there is no more reason to wait. */
async function whyNeverReady(
  spec: ProcessSpec,
  state: Readonly<State>,
  options: SupervisionOptions,
): Promise<string | undefined> {
  let reason: string | undefined;
  let saidAt = performance.now();
  const isOver = await waitUntil(
    async () => {
      if (state.failure !== undefined || !state.isWanted) return true;
      const { child } = state;
      reason = child === undefined ? 'it is down' : await spec.whyNotReady();
      if (reason !== undefined && performance.now() - saidAt > sayEveryMs) {
        saidAt = performance.now();
        options.log(`still waiting for ${spec.name}: ${reason}`);
      }
      return reason === undefined && state.child === child;
    },
    { timeoutMs: options.readyTimeoutMs, signal: options.signal },
  );
  if (!isOver) {
    return `was not ready after ${options.readyTimeoutMs / 1000} s (${reason ?? 'its responses came from a process that ended'})`;
  }
  return state.failure ?? (state.isWanted ? undefined : 'was stopped');
}
