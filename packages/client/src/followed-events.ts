import { ConnectionError } from './errors.ts';
import { eventsOf, type ServerEvent } from './sse.ts';
import type { Transport } from './transport.ts';
import type { CallOptions } from './types.ts';
import { pauseOrGiveUp, silenceMs } from './video-events.ts';

/** An event that stands somewhere in a stream. */
export type Followed<Event> = Event & {
  /** Pass it as `after` to go on from here. */
  readonly position: string;
};

export interface FollowOptions extends CallOptions {
  /** Where an earlier program was. */
  readonly after?: string | undefined;
  /** Too much has happened to be told: read the videos again. */
  readonly onReset?: (() => void) | undefined;
}

/** A stream that is followed, and the video that one of its events is about. */
export interface FollowedStream<Event> {
  readonly path: string;
  readonly idIn: (event: Event) => string;
}

interface Sequenced {
  readonly sequence: number;
}

/** Videos of which it is remembered what was told of them. */
const mostRemembered = 10_000;

/**
 * What happens to many videos, each status once; does not end by itself. A stream that breaks off is
 * opened again where it was.
 */
export async function* followedEvents<Event extends Sequenced>(
  transport: Transport,
  { path, idIn }: FollowedStream<Event>,
  { signal, after, onReset = () => undefined }: FollowOptions,
): AsyncGenerator<Followed<Event>, void, undefined> {
  const told = new Map<string, number>();
  const place = { position: after };
  for (let attempt = 1; ; attempt += 1) {
    const events = await openEvents(transport, { path, position: place.position, signal });
    try {
      for await (const event of events) {
        attempt = 0;
        place.position = event.id ?? place.position;
        if (event.event === 'reset') onReset();
        yield* newsIn(event, { idIn, told, position: place.position });
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
  {
    path,
    position,
    signal,
  }: { path: string; position: string | undefined; signal: AbortSignal | undefined },
): Promise<AsyncIterable<ServerEvent>> {
  const { body } = await transport.open({
    path,
    headers: {
      accept: 'text/event-stream',
      ...(position !== undefined && { 'last-event-id': position }),
    },
    signal,
  });
  return eventsOf(body ?? new Blob([]).stream(), silenceMs);
}

interface Reading<Event> extends Pick<FollowedStream<Event>, 'idIn'> {
  readonly told: Map<string, number>;
  readonly position: string | undefined;
}

/** What an event says of a video, unless that was told before. */
function* newsIn<Event extends Sequenced>(
  { event, data }: ServerEvent,
  { idIn, told, position = '' }: Reading<Event>,
): Generator<Followed<Event>, void, undefined> {
  if (event === 'reset' || event === 'ready') return;
  const item = JSON.parse(data) as Event;
  const id = idIn(item);
  if (item.sequence <= (told.get(id) ?? 0)) return;
  remember(told, id, item.sequence);
  yield { ...item, position };
}

function remember(told: Map<string, number>, id: string, sequence: number): void {
  told.delete(id);
  told.set(id, sequence);
  if (told.size <= mostRemembered) return;
  const [oldest] = told.keys();
  if (oldest !== undefined) told.delete(oldest);
}
