import { describeError } from '@gateway/domain';
import type { Log } from './logger.ts';

/** Something that is started with the service and stopped with it. */
export interface Part {
  readonly name: string;
  start?(): Promise<void>;
  stop(): Promise<void>;
}

/** Starts parts in order; on stop, or when one fails to start, stops them in reverse, every one of them. */
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

/** A service that has not stopped after this is ended: shorter than the grace period of the shortest orchestrator default (30 s). */
const stopDeadlineMs = 25_000;

/**
 * The whole life of a service process: build, start, run until SIGTERM or SIGINT, stop in order, exit.
 * A wrong setting or a failed start is one readable message and exit code 1, before anything listens.
 */
export async function runService(build: () => Service | Promise<Service>): Promise<void> {
  let service: Service | undefined;
  try {
    service = await build();
    const { log } = service;
    const stop = await startAll(service.parts);
    let stopping = false;
    const end = (signal: NodeJS.Signals): void => {
      // A second signal must not stop the stores while the first one's drain still uses them.
      if (stopping) return;
      stopping = true;
      log.info('stopping', { signal });
      setTimeout(() => { log.error('did not stop in time'); process.exit(1); }, stopDeadlineMs).unref();
      void stop().then(
        () => { log.info('stopped'); process.exit(0); },
        (error: unknown) => { log.error('did not stop cleanly', { error }); process.exit(1); },
      );
    };
    for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, end);
  } catch (error) {
    if (service === undefined) process.stderr.write(`${describeError(error)}\n`);
    else service.log.error('could not start', { error });
    process.exit(1);
  }
}
