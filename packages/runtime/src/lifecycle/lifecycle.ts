import { describeError } from '@gateway/domain';
import type { Log } from '../log.ts';
import type { Part } from './part.ts';
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
}

/**
 * A service that has not stopped after this is ended: shorter than the grace period of the shortest
 * orchestrator default (30 s).
 */
const stopDeadlineMs = 25_000;

/**
 * The whole life of a service process: build, start, run until SIGTERM or SIGINT, stop in order,
 * exit. A failed start is one readable message and exit code 1, or 78 for a wrong setting, before
 * anything listens. A signal that comes while the service is being built or started takes effect
 * when that is done: what has begun to take work gives it back.
 */
export async function runService(build: () => Service | Promise<Service>): Promise<void> {
  let service: Service | undefined;
  let signal: NodeJS.Signals | undefined;
  let stop: (() => Promise<void>) | undefined;
  const end = (): void => {
    if (signal !== undefined && stop !== undefined && service !== undefined) {
      endService({ signal, stop, log: service.log });
    }
  };
  const onSignal = (received: NodeJS.Signals): void => {
    // A second signal must not stop the stores while the first one's drain still uses them.
    if (signal !== undefined) return;
    signal = received;
    setTimeout(() => {
      service?.log.error('did not stop in time');
      process.exit(1);
    }, stopDeadlineMs).unref();
    end();
  };
  for (const each of stopSignals) process.on(each, onSignal);
  // asks for a look at the configuration: who has none must not die of it
  process.on('SIGHUP', ignore);
  try {
    service = await build();
    stop = await startAll(service.parts);
    end();
  } catch (error) {
    for (const each of stopSignals) process.off(each, onSignal);
    if (service === undefined) process.stderr.write(`${describeError(error)}\n`);
    else service.log.error('could not start', { error });
    process.exit(error instanceof SettingsError ? settingsExitCode : 1);
  }
}

const stopSignals = ['SIGTERM', 'SIGINT'] as const;
const ignore = (): void => undefined;

function endService({
  signal,
  stop,
  log,
}: {
  signal: NodeJS.Signals;
  stop: () => Promise<void>;
  log: Log;
}): void {
  log.info('stopping', { signal });
  void stop().then(
    () => {
      log.info('stopped');
      process.exit(0);
    },
    (error: unknown) => {
      log.error('did not stop cleanly', { error });
      process.exit(1);
    },
  );
}
