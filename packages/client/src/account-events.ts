import { ConnectionError } from './errors.ts';
import { eventsOf, type ServerEvent } from './sse.ts';
import type { Transport } from './transport.ts';
import type { AccountEvent, CallOptions } from './types.ts';
import { pauseOrGiveUp, silenceMs } from './video-events.ts';

/** What has happened to a video of the account. */
export interface FollowedEvent extends AccountEvent {
  /** Pass it as `after` to go on from here. */
  readonly position: string;
}

export interface AccountEventOptions extends CallOptions {
  /** Where an earlier program was. */
  readonly after?: string | undefined;
  /** Too much has happened to be told: read the videos again. */
  readonly onReset?: (() => void) | undefined;
}

/** Videos of which it is remembered what was told of them. */
const mostRemembered = 10_000;

/**
 * What happens to all videos of the account, each status once; does not end by itself. A stream that
 * breaks off is opened again where it was.
 */
export async function* accountEvents(
  transport: Transport,
  { signal, after, onReset = () => undefined }: AccountEventOptions,
): AsyncGenerator<FollowedEvent, void, undefined> {
  const told = new Map<string, number>();
  const place = { position: after };
  for (let attempt = 1; ; attempt += 1) {
    const events = await openEvents(transport, place.position, signal);
    try {
      for await (const event of events) {
        attempt = 0;
        place.position = event.id ?? place.position;
        if (event.event === 'reset') onReset();
        yield* newsIn(event, told, place.position);
      }
    } catch (error) {
      signal?.throwIfAborted();
      if (!(error instanceof ConnectionError)) throw error;
    }
    await pauseOrGiveUp(transport, attempt, signal);
  }
}

async function openEvents(
  transport: Transport,
  position: string | undefined,
  signal: AbortSignal | undefined,
): Promise<AsyncIterable<ServerEvent>> {
  const { body } = await transport.open({
    path: '/v1/events',
    headers: {
      accept: 'text/event-stream',
      ...(position !== undefined && { 'last-event-id': position }),
    },
    signal,
  });
  return eventsOf(body ?? new Blob([]).stream(), silenceMs);
}

/** What an event says of a video, unless that was told before. */
function* newsIn(
  { event, data }: ServerEvent,
  told: Map<string, number>,
  position = '',
): Generator<FollowedEvent, void, undefined> {
  if (event === 'reset' || event === 'ready') return;
  const item = JSON.parse(data) as AccountEvent;
  if (item.sequence <= (told.get(item.video.id) ?? 0)) return;
  remember(told, item);
  yield { ...item, position };
}

function remember(told: Map<string, number>, { video, sequence }: AccountEvent): void {
  told.delete(video.id);
  told.set(video.id, sequence);
  if (told.size <= mostRemembered) return;
  const [oldest] = told.keys();
  if (oldest !== undefined) told.delete(oldest);
}
