import { openDownload, type Download, type DownloadOptions, type VideoFile } from './download.ts';
import { GatewayError } from './errors.ts';
import { listOf, type List, type ListOptions } from './pages.ts';
import { pause } from './retry.ts';
import type { Transport } from './transport.ts';
import {
  isFinished,
  type CallOptions,
  type DeletedVideo,
  type FinishedVideo,
  type ReceiptKeys,
  type Video,
  type VideoFilter,
  type VideoMoment,
  type VideoQuote,
  type VideoReceipt,
  type VideoRequest,
} from './types.ts';
import {
  isStreamRefused,
  videoEvents,
  type EventOptions,
  type VideoEvent,
} from './video-events.ts';

export interface CreateOptions extends CallOptions {
  /**
   * Repeating a creation with the same key and body makes no second video. Made anew for each call
   * when left out, so that only repetitions inside the call share it: keep your own where a crash
   * of your program must not make a second video.
   */
  readonly idempotencyKey?: string | undefined;
}

export interface IncludeOptions {
  /** What is read beside the video. */
  readonly include?: 'request' | undefined;
}

export interface WaitOptions extends CallOptions {
  /** Called with each status, and with each new position in the queue. */
  readonly onProgress?: ((video: Video) => void) | undefined;
}

const positionEveryMs = 2_000;
const pollEveryMs = 5_000;

const pathOf = (id: string, rest = ''): string => `/v1/videos/${encodeURIComponent(id)}${rest}`;

/** Random, and good enough to be unique, where pages without TLS have no `randomUUID`. */
export function newIdempotencyKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return `sdk-${Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')}`;
}

/** Videos: `client.videos`. */
export class Videos {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** Creates a video, once, however often a lost response makes it ask again. */
  async create(
    request: VideoRequest,
    { idempotencyKey = newIdempotencyKey(), signal }: CreateOptions = {},
  ): Promise<Video> {
    if (!/^[\x20-\x7e]{1,255}$/.test(idempotencyKey)) {
      throw new GatewayError('idempotencyKey must be 1 to 255 printable ASCII characters.');
    }
    return this.#transport.json<Video>({
      method: 'POST',
      path: '/v1/videos',
      json: request,
      headers: { 'idempotency-key': idempotencyKey },
      signal,
    });
  }

  /** Creates a video and waits for its end, whichever it is: look at its `status`. */
  async createAndWait(
    request: VideoRequest,
    { idempotencyKey, ...waiting }: CreateOptions & WaitOptions = {},
  ): Promise<FinishedVideo> {
    const { signal, onProgress } = waiting;
    const video = await this.create(request, {
      signal,
      ...(idempotencyKey !== undefined && { idempotencyKey }),
    });
    onProgress?.(video);
    return isFinished(video) ? video : this.#follow(video.id, waiting, video.status);
  }

  /** Waits for the end of a video, whichever it is. */
  wait(id: string, options: WaitOptions = {}): Promise<FinishedVideo> {
    return this.#follow(id, options);
  }

  /** With `include: 'request'` it has what was asked for. */
  get(id: string, { signal, include }: CallOptions & IncludeOptions = {}): Promise<Video> {
    return this.#transport.json<Video>({ path: pathOf(id), query: { include }, signal });
  }

  /** When what happened to a video, as far as it is on record. */
  async timeline(id: string, { signal }: CallOptions = {}): Promise<readonly VideoMoment[]> {
    const { data } = await this.#transport.json<{ readonly data: readonly VideoMoment[] }>({
      path: pathOf(id, '/timeline'),
      signal,
    });
    return data;
  }

  /** Every video of the account, newest first. */
  list({ metadata = {}, ...filter }: VideoFilter = {}, options: ListOptions = {}): List<Video> {
    const named = Object.entries(metadata).map(([name, value]) => [`metadata[${name}]`, value]);
    const query = { ...filter, ...(Object.fromEntries(named) as Record<string, string>) };
    return listOf<Video>(this.#transport, { path: '/v1/videos', query }, options);
  }

  /** Each status of a video as it takes it, from the first or behind `after`. */
  events(id: string, options: EventOptions = {}): AsyncGenerator<VideoEvent, void> {
    return videoEvents(this.#transport, id, options);
  }

  /** The file of a finished video: its bytes as you take them. */
  download(id: string, options: DownloadOptions = {}): Promise<Download> {
    const { file = 'video', signal } = options;
    const address = async (): Promise<string> => {
      const { content, status } = contentOf(await this.get(id, { signal }));
      const found = content?.[addressField[file]];
      if (found === undefined) {
        throw new GatewayError(`${id} is ${status} and has no such file (${file}).`);
      }
      return found;
    };
    return openDownload(this.#transport, address, options);
  }

  /** Cancels a video while that is possible; throws `not_cancellable` when it is not. */
  cancel(id: string, { signal }: CallOptions = {}): Promise<Video> {
    return this.#transport.json<Video>({ method: 'POST', path: pathOf(id, '/cancel'), signal });
  }

  /** Removes a finished video and its files. */
  delete(id: string, { signal }: CallOptions = {}): Promise<DeletedVideo> {
    return this.#transport.json<DeletedVideo>({
      method: 'DELETE',
      path: pathOf(id),
      whenGone: { id, object: 'video.deleted', deleted: true },
      signal,
    });
  }

  /** A signed statement of what a finished video is and cost. */
  receipt(id: string, { signal }: CallOptions = {}): Promise<VideoReceipt> {
    return this.#transport.json<VideoReceipt>({ path: pathOf(id, '/receipt'), signal });
  }

  /** The public keys that receipts are checked with. */
  receiptKeys({ signal }: CallOptions = {}): Promise<ReceiptKeys> {
    return this.#transport.json<ReceiptKeys>({
      path: '/.well-known/gateway-receipt-keys.json',
      withoutKey: true,
      signal,
    });
  }

  /** What a video would cost; creates and reserves nothing. */
  quote(request: VideoRequest, { signal }: CallOptions = {}): Promise<VideoQuote> {
    return this.#transport.json<VideoQuote>({
      method: 'POST',
      path: '/v1/videos/quote',
      json: request,
      signal,
    });
  }

  /** Tells of what comes after the status that is known already. */
  async #follow(id: string, options: WaitOptions, known?: Video['status']): Promise<FinishedVideo> {
    const video = await this.#lastOf(id, options, known);
    return video ?? this.#poll(id, options);
  }

  /** Follows the events of a video; undefined where its last one cannot be had from them. */
  async #lastOf(
    id: string,
    { onProgress, signal }: WaitOptions,
    known?: Video['status'],
  ): Promise<FinishedVideo | undefined> {
    const queued = new AbortController();
    if (onProgress !== undefined) {
      const both = signal === undefined ? [queued.signal] : [signal, queued.signal];
      // The events tell of every failure that matters.
      void this.#reportPositions(id, onProgress, AbortSignal.any(both)).catch(() => undefined);
    }
    try {
      for await (const { video } of this.events(id, { signal })) {
        if (video.status !== 'queued') queued.abort();
        // Events begin with the first, also behind a repeated creation that finds the video at work.
        if (isLater(video.status, known)) onProgress?.(video);
        if (isFinished(video)) return video;
      }
      return undefined;
    } catch (error) {
      if (isStreamRefused(error)) return undefined;
      throw error;
    } finally {
      queued.abort();
    }
  }

  /** The position in the queue is no event: while a video waits it is asked for. */
  async #reportPositions(
    id: string,
    onProgress: NonNullable<WaitOptions['onProgress']>,
    whileQueued: AbortSignal,
  ): Promise<void> {
    let known: number | undefined;
    for (;;) {
      await pause(positionEveryMs, whileQueued);
      const video = await this.get(id, { signal: whileQueued });
      if (video.status !== 'queued') return;
      const position = positionOf(video);
      if (position !== undefined && position !== known) onProgress(video);
      known = position;
    }
  }

  async #poll(id: string, { onProgress, signal }: WaitOptions): Promise<FinishedVideo> {
    for (;;) {
      const video = await this.get(id, { signal });
      onProgress?.(video);
      if (isFinished(video)) return video;
      await pause(pollEveryMs, signal);
    }
  }
}

const isLater = (status: Video['status'], known: Video['status'] | undefined): boolean =>
  status !== known && !(status === 'queued' && known === 'running');

const contentOf = (
  video: Video,
): {
  readonly status: Video['status'];
  readonly content?: { readonly [Field in (typeof addressField)[VideoFile]]?: string };
} => video;

const addressField = {
  video: 'video_url',
  last_frame: 'last_frame_url',
  poster: 'poster_url',
} as const satisfies Record<VideoFile, string>;

/** How far a video is from the front of its vendor's queue, where that is known. */
export const positionOf = (video: Video): number | undefined =>
  'queue_position' in video ? video.queue_position : undefined;
