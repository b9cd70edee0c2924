import { ApiError, ConnectionError, connectionErrorOf } from './errors.ts';
import { pause, waitBeforeRetry } from './retry.ts';
import { eventsOf } from './sse.ts';
import type { Transport } from './transport.ts';
import { isFinished, type CallOptions, type Video, type VideoStatus } from './types.ts';

/** A status that a video has taken. */
export interface VideoEvent {
  /** Grows with each status; pass it as `after` to go on from here. */
  readonly sequence: number;
  readonly status: VideoStatus;
  readonly video: Video;
}

export interface EventOptions extends CallOptions {
  /** Only events after this one. */
  readonly after?: number | undefined;
}

/** The gateway says something at least every fifteen seconds. */
export const silenceMs = 45_000;

/**
 * The statuses of a video as it takes them, from the first; ends after the last. A stream that
 * breaks off is opened again behind the last event that arrived.
 */
export async function* videoEvents(
  transport: Transport,
  id: string,
  { signal, after = 0 }: EventOptions,
): AsyncGenerator<VideoEvent, void, undefined> {
  let last = after;
  for (let attempt = 1; ; attempt += 1) {
    const response = await openStream(transport, { id, last, signal });
    if (response === undefined) return;
    try {
      for await (const event of eventsOf(response, silenceMs)) {
        const video = JSON.parse(event.data) as Video;
        last = Number(event.id);
        attempt = 0;
        yield { sequence: last, status: video.status, video };
        if (isFinished(video)) return;
      }
    } catch (error) {
      signal?.throwIfAborted();
      if (!(error instanceof ConnectionError)) throw error;
    }
    await pauseOrGiveUp(transport, attempt, signal);
  }
}

async function openStream(
  transport: Transport,
  { id, last, signal }: { id: string; last: number; signal: AbortSignal | undefined },
): Promise<ReadableStream<Uint8Array> | undefined> {
  const response = await transport.open({
    path: `/v1/videos/${encodeURIComponent(id)}/events`,
    headers: {
      accept: 'text/event-stream',
      ...(last > 0 && { 'last-event-id': String(last) }),
    },
    signal,
  });
  // 204: nothing can follow any more.
  return response.body ?? undefined;
}

/** Streams that end again and again without any news are no use. */
export async function pauseOrGiveUp(
  transport: Transport,
  attempt: number,
  signal: AbortSignal | undefined,
): Promise<void> {
  const broken = connectionErrorOf(new Error('the stream of events broke off'));
  const wait = waitBeforeRetry(broken, {
    attempt: Math.max(1, attempt),
    repeatable: 'anyway',
    limits: transport.limits,
    random: Math.random(),
  });
  if (wait === undefined) throw broken;
  await pause(wait, signal);
}

/** Whether a stream was refused because the key has too many of them open. */
export const isStreamRefused = (error: unknown): boolean =>
  error instanceof ApiError && error.status === 429;
