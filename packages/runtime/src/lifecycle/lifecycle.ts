import { describeError } from '@gateway/domain';
import { watchExceptions, type ExceptionWatch } from '../faults/index.ts';
import type { Log } from '../log.ts';
import type { Part } from './part.ts';
import { collectAtRest } from './rest.ts';
import { SettingsError, settingsExitCode } from '../settings/settings.ts';

/**
 * Starts parts in order; on stop, or when one fails to start, stops them in reverse, every one of
 * them.
 */
export async function startAll(parts: readonly Part[]): Promise<() => Promise<void>> {
  const running: Part[] = [];
  const stop = async (): Promise<void> => {
    const errors: unknown[] = [];
    for (let part = running.pop(); part !== undefined; part = running.pop()) {
      await part.stop().catch((error: unknown) => errors.push(error));
    }
    if (errors.length > 0) throw new AggregateError(errors, 'some parts did not stop cleanly');
  };
  try {
    for (const part of parts) {
      running.push(part);
      await part.start?.();
    }
  } catch (error) {
    await stop().catch(() => undefined); // the reason to report is why the start failed
    throw error;
  }
  return stop;
}

/** What a service gives back to its main.ts. */
export interface Service {
  readonly log: Log;
  readonly parts: readonly Part[];
  /**
   * Accounts whose requests or jobs met an unexpected exception within a minute, from which on the
   * process is restarted; 0: never.
   */
  readonly exceptionsBeforeRestart: number;
  /** How long what is under way may go on when the service stops; default 15 s. */
  readonly drainMs?: number;
}

const usualDrainMs = 15_000;
/**
 * A service that has not stopped so long after its drain is ended: with the usual one shorter than the
 * shortest grace period that orchestrators have by default (30 s).
 */
const afterDrainMs = 10_000;

/** Why and how a running process ends. */
interface Ending {
  readonly why: { readonly signal: NodeJS.Signals } | { readonly reason: string };
  readonly exitCode: number;
}

/**
 * How a process ends that may be broken: EX_SOFTWARE of sysexits.h. Whoever supervises it starts it
 * again.
 */
const brokenExitCode = 70;

/**
 * The whole life of a service process: build, start, run until SIGTERM or SIGINT, stop in order,
 * exit. A failed start is one readable message and exit code 1, or 78 for a wrong setting, before
 * anything listens. A signal that comes while the service is being built or started takes effect
 * when that is done: what has begun to take work gives it back. An exception that nobody caught
 * ends its request or job; where the process may be broken it stops in the same order, with exit
 * code 70. Once at rest, the process gives back the memory that its start took.
 */
export async function runService(
  build: () => Service | Promise<Service>,
  { restCheckMs = 10_000 }: { readonly restCheckMs?: number } = {},
): Promise<void> {
  let service: Service | undefined;
  let ending: Ending | undefined;
  let stop: (() => Promise<void>) | undefined;
  const end = (): void => {
    if (ending !== undefined && stop !== undefined && service !== undefined) {
      endService({ ending, stop, log: service.log });
    }
  };
  const begin = (asked: Ending): void => {
    // A second signal must not stop the stores while the first one's drain still uses them.
    if (ending !== undefined) return;
    ending = asked;
    setTimeout(
      () => {
        service?.log.error('did not stop in time');
        process.exit(1);
      },
      (service?.drainMs ?? usualDrainMs) + afterDrainMs,
    ).unref();
    end();
  };
  const forget = listenToProcess({
    signal: (signal) => {
      begin({ why: { signal }, exitCode: 0 });
    },
    exception: exceptionListener({
      service: () => service,
      isEnding: () => ending !== undefined,
      endProcess: (reason) => {
        begin({ why: { reason }, exitCode: brokenExitCode });
      },
    }),
  });
  try {
    service = await build();
    stop = await startAll(service.parts);
    collectAtRest({ everyMs: restCheckMs });
    end();
  } catch (error) {
    forget();
    if (service === undefined) process.stderr.write(`${describeError(error)}\n`);
    else service.log.error('could not start', { error });
    process.exit(error instanceof SettingsError ? settingsExitCode : 1);
  }
}

const stopSignals = ['SIGTERM', 'SIGINT'] as const;
const exceptionEvents = ['uncaughtException', 'unhandledRejection'] as const;
const ignore = (): void => undefined;

/** Returns how to stop listening. */
function listenToProcess({
  signal,
  exception,
}: {
  readonly signal: (signal: NodeJS.Signals) => void;
  readonly exception: (error: unknown) => void;
}): () => void {
  for (const each of stopSignals) process.on(each, signal);
  for (const each of exceptionEvents) process.on(each, exception);
  // asks for a look at the configuration: who has none must not die of it
  process.on('SIGHUP', ignore);
  return () => {
    for (const each of stopSignals) process.off(each, signal);
    for (const each of exceptionEvents) process.off(each, exception);
  };
}

interface ExceptionListenerOptions {
  readonly service: () => Service | undefined;
  readonly isEnding: () => boolean;
  readonly endProcess: (reason: string) => void;
}

function exceptionListener({
  service,
  isEnding,
  endProcess,
}: ExceptionListenerOptions): (error: unknown) => void {
  let watch: ExceptionWatch | undefined;
  return (error) => {
    const built = service();
    if (built === undefined) {
      process.stderr.write(`${describeError(error)}\n`);
      process.exit(1);
      return;
    }
    // Nobody reads the log any more: a line about it would be the next of these errors.
    if (isEnding() && (error as NodeJS.ErrnoException | null)?.code === 'EPIPE') return;
    watch ??= watchExceptions({
      log: built.log,
      accountsBeforeRestart: built.exceptionsBeforeRestart,
      endProcess,
    });
    watch.caught(error);
  };
}

function endService({
  ending: { why, exitCode },
  stop,
  log,
}: {
  ending: Ending;
  stop: () => Promise<void>;
  log: Log;
}): void {
  log.info('stopping', why);
  void stop().then(
    () => {
      log.info('stopped');
      process.exit(exitCode);
    },
    (error: unknown) => {
      log.error('did not stop cleanly', { error });
      process.exit(1);
    },
  );
}
