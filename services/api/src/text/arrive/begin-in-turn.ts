import type { ServerResponse } from 'node:http';
import { countUnexpected, guarded, type Log } from '@gateway/runtime';
import { inTurn } from '../hot-path/index.ts';

/** When a request arrived: of the monotonic clock, and since the epoch. */
export interface Arrival {
  readonly startedMs: number;
  readonly startedAtMs: number;
}

export interface BeginPorts {
  readonly log: Log;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
}

/**
 * Begins a request when it is due: once the response before it on its connection has ended, for until
 * then nothing would say that the client has left; and in its turn, where many come at once.
 */
export function beginInTurn(
  { log, now }: BeginPorts,
  response: ServerResponse,
  begin: (arrival: Arrival) => void,
): void {
  const fail = (error: unknown): void => {
    log.error('a request could not be started', { error });
    countUnexpected('request');
    response.destroy();
  };
  const arrive = (): void => {
    const arrival = { startedMs: performance.now(), startedAtMs: now() };
    inTurn(
      guarded(fail, () => {
        begin(arrival);
      }),
    );
  };
  if (response.socket === null) response.once('socket', guarded(fail, arrive));
  else arrive();
}
