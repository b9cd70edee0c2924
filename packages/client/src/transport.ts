import {
  ApiError,
  apiErrorOf,
  ConnectionError,
  GatewayError,
  connectionErrorOf,
} from './errors.ts';
import { pause, waitBeforeRetry, type Repeatable, type Repetition } from './retry.ts';

export interface ClientOptions {
  /** Of the gateway, such as `https://gateway.example`; with or without `/v1`. */
  readonly baseUrl: string;
  /** Left out in a page of the gateway itself, whose browser has signed in: its session counts. */
  readonly apiKey?: string | undefined;
  /** How often a failed call is repeated; 4 by default. */
  readonly retries?: number | undefined;
  /** The longest wait before a repetition, in milliseconds; a minute by default. */
  readonly maxWaitMs?: number | undefined;
  /** How long one attempt may be without a response, in milliseconds; a minute by default. */
  readonly timeoutMs?: number | undefined;
  /** In place of the global `fetch`. */
  readonly fetch?: typeof globalThis.fetch | undefined;
}

/** Sends one request, as `fetch` does. */
export type Send = (address: string, init: RequestInit) => Promise<Response>;

/** One call of the gateway. */
export interface Call {
  readonly method?: 'GET' | 'HEAD' | 'POST' | 'PATCH' | 'DELETE';
  /** Behind the address of the gateway, or a whole address. */
  readonly path: string;
  readonly query?: Readonly<Record<string, string | number | undefined>>;
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent as JSON. */
  readonly json?: unknown;
  /** Asked for at each attempt: a stream can be read only once. */
  readonly body?: () => NonNullable<RequestInit['body']>;
  /** In place of the client's `fetch`, for this call. */
  readonly send?: Send;
  readonly repeatable?: Repeatable;
  /** Signed addresses get no key. */
  readonly withoutKey?: boolean;
  /** Returned when a repetition finds nothing any more: the lost response was a success. */
  readonly whenGone?: unknown;
  readonly signal?: AbortSignal | undefined;
}

/** Sends calls, and repeats those that may be repeated. */
export class Transport {
  readonly #baseUrl: string;
  /** What says who is asking; a cookie goes along by itself. */
  readonly #credential: Readonly<Record<string, string>>;
  readonly #fetch: typeof globalThis.fetch;
  readonly #timeoutMs: number;
  readonly limits: Repetition;

  constructor({ baseUrl, apiKey, ...options }: ClientOptions) {
    this.#baseUrl = baseUrl.replace(/\/+$/, '').replace(/\/v1$/, '');
    this.#credential =
      apiKey === undefined ? { 'x-gateway-console': '1' } : { authorization: `Bearer ${apiKey}` };
    // Browsers and workers refuse a fetch that is called as a method of something else.
    this.#fetch = options.fetch ?? globalThis.fetch.bind(globalThis);
    this.#timeoutMs = options.timeoutMs ?? 60_000;
    this.limits = { retries: options.retries ?? 4, maxWaitMs: options.maxWaitMs ?? 60_000 };
  }

  /** The JSON of a successful response. */
  json<Body>(call: Call): Promise<Body> {
    return this.#repeat(call, async (response) => JSON.parse(await response.text()) as Body);
  }

  /** The response itself, whose body has not been read; the time limit covers its head alone. */
  open(call: Call): Promise<Response> {
    return this.#repeat(call, (response) => response);
  }

  async #repeat<Body>(
    call: Call,
    read: (response: Response) => Body | Promise<Body>,
  ): Promise<Body> {
    const { repeatable = 'anyway', signal } = call;
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await this.#attempt(call, read);
      } catch (error) {
        signal?.throwIfAborted();
        if (attempt > 1 && isGone(error) && 'whenGone' in call) return call.whenGone as Body;
        const wait = waitBeforeRetry(error, {
          attempt,
          repeatable,
          limits: this.limits,
          random: Math.random(),
        });
        if (wait === undefined) throw error;
        await pause(wait, signal);
      }
    }
  }

  async #attempt<Body>(
    call: Call,
    read: (response: Response) => Body | Promise<Body>,
  ): Promise<Body> {
    // Before the timer: a wrong address throws at once, and must leave nothing behind.
    const [address, init] = [this.#addressOf(call), this.#initOf(call)];
    const limit = new AbortController();
    const timeoutMs = this.#timeoutMs;
    const timer = setTimeout(() => {
      limit.abort(new ConnectionError(`There was no response within ${timeoutMs} ms.`));
    }, timeoutMs);
    const signal =
      call.signal === undefined ? limit.signal : AbortSignal.any([call.signal, limit.signal]);
    const send = call.send ?? this.#fetch;
    try {
      const response = await send(address, { ...init, signal });
      if (!response.ok) throw apiErrorOf(response, await response.text());
      return await read(response);
    } catch (error) {
      if (limit.signal.aborted) throw limit.signal.reason;
      throw error instanceof GatewayError ? error : connectionErrorOf(error);
    } finally {
      clearTimeout(timer);
    }
  }

  #addressOf({ path, query = {} }: Call): string {
    const url = new URL(/^https?:/.test(path) ? path : this.#baseUrl + path);
    for (const [name, value] of Object.entries(query)) {
      if (value !== undefined) url.searchParams.set(name, String(value));
    }
    return url.href;
  }

  #initOf({ method = 'GET', headers = {}, json, body, withoutKey = false }: Call): RequestInit {
    return {
      method,
      headers: {
        ...(!withoutKey && this.#credential),
        ...(json !== undefined && { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(json !== undefined && { body: JSON.stringify(json) }),
      // Node sends a stream only with this word, which browsers know too.
      ...(body !== undefined && { body: body(), duplex: 'half' }),
    };
  }
}

const isGone = (error: unknown): boolean => error instanceof ApiError && error.status === 404;
