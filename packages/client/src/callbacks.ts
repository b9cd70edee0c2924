import { listOf, type List, type ListOptions } from './pages.ts';
import type { Transport } from './transport.ts';
import type {
  CallbackAttempt,
  CallbackRedelivery,
  CallbackSecret,
  CallbackState,
  CallbackTest,
  CallOptions,
  Redelivery,
  RedeliveryRequest,
  TaskCallback,
} from './types.ts';

/** The log of pushes, and the secret that signs them: `client.callbacks`. */
export class Callbacks {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** Every attempt to push the statuses of a video, newest first. */
  list(videoId: string, options: ListOptions = {}): List<CallbackAttempt> {
    return listOf<CallbackAttempt>(this.#transport, { path: pathOf(videoId) }, options);
  }

  /** Pushes the newest status of a video once more. */
  redeliver(videoId: string, { signal }: CallOptions = {}): Promise<Redelivery> {
    return this.#transport.json<Redelivery>({
      method: 'POST',
      path: `${pathOf(videoId)}/redeliver`,
      repeatable: 'if refused',
      signal,
    });
  }

  /** Where the callbacks of all videos stand, newest video first. */
  everywhere(
    filter: {
      readonly state?: CallbackState | undefined;
      /** Id of an endpoint: what goes there, in place of what goes to each video's own address. */
      readonly endpoint?: string | undefined;
    } = {},
    options: ListOptions = {},
  ): List<TaskCallback> {
    const call = { path: '/v1/callbacks', query: filter };
    return listOf<TaskCallback>(this.#transport, call, options);
  }

  /** Pushes the newest status of the next videos in a state once more; go on behind `last_id`. */
  redeliverMany(
    request: RedeliveryRequest,
    { signal }: CallOptions = {},
  ): Promise<CallbackRedelivery> {
    return this.#transport.json<CallbackRedelivery>({
      method: 'POST',
      path: '/v1/callbacks/redeliver',
      json: request,
      signal,
    });
  }

  /** Sends a challenge and a test event to an address, and says what came back. Never repeated. */
  test(callbackUrl: string, { signal }: CallOptions = {}): Promise<CallbackTest> {
    return this.#transport.json<CallbackTest>({
      method: 'POST',
      path: '/v1/callbacks/test',
      json: { callback_url: callbackUrl },
      repeatable: 'if refused',
      signal,
    });
  }

  /** The secret that signs every push. */
  secret({ signal }: CallOptions = {}): Promise<CallbackSecret> {
    return this.#transport.json<CallbackSecret>({ path: '/v1/callback-secret', signal });
  }

  /** A new secret; the previous one signs too for `overlapSeconds`, a day when left out. */
  rotateSecret({
    overlapSeconds,
    signal,
  }: CallOptions & { readonly overlapSeconds?: number } = {}): Promise<CallbackSecret> {
    return this.#transport.json<CallbackSecret>({
      method: 'POST',
      path: '/v1/callback-secret/rotate',
      repeatable: 'if refused',
      signal,
      ...(overlapSeconds !== undefined && { json: { overlap_seconds: overlapSeconds } }),
    });
  }
}

const pathOf = (videoId: string): string => `/v1/videos/${encodeURIComponent(videoId)}/callbacks`;
