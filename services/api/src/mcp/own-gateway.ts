import { setTimeout as pause } from 'node:timers/promises';
import {
  isEnded,
  type Gateway,
  type Json,
  type Model,
  type Page,
  type Refusal,
  type Upload,
  type Video,
  type VideoQuote,
} from '@gateway/mcp';
import type { InnerCall, InnerCalls, InnerResponse } from './inner-calls.ts';

/** The request that the calls belong to. */
export interface Outer {
  readonly apiKey: string;
  readonly peer: string;
  readonly requestId: string;
}

/** How often a video that somebody waits for is read. */
const pollEveryMs = 1_000;

/** The gateway as the key of a request sees it, by its own routes. */
export function ownGateway({ call }: Pick<InnerCalls, 'call'>, outer: Outer): Gateway {
  const json = async <Body>({
    headers,
    ...rest
  }: Omit<InnerCall, 'peer' | 'headers'> & Partial<InnerCall>): Promise<Body> => {
    const response = await call({
      peer: outer.peer,
      headers: {
        authorization: `Bearer ${outer.apiKey}`,
        'x-request-id': outer.requestId,
        ...headers,
      },
      ...rest,
    });
    if (response.status !== 200) throw new RefusedCall(response);
    return JSON.parse(response.text) as Body;
  };
  const get = (id: string, signal: AbortSignal): Promise<Video> =>
    json({ method: 'GET', path: pathOf(id), signal });
  return {
    get,
    quote: (request, signal) =>
      json<VideoQuote>({ ...posted('/v1/videos/quote', request), signal }),
    create: (request, idempotencyKey, signal) => {
      const { headers, ...rest } = posted('/v1/videos', request);
      return json<Video>({
        ...rest,
        headers: { ...headers, 'idempotency-key': idempotencyKey },
        signal,
      });
    },
    cancel: (id, signal) => json<Video>({ method: 'POST', path: `${pathOf(id)}/cancel`, signal }),
    list: (query, signal) =>
      json<Page<Video>>({
        method: 'GET',
        path: `/v1/videos?${new URLSearchParams(query).toString()}`,
        signal,
      }),
    models: async (signal) =>
      (await json<Page<Model>>({ method: 'GET', path: '/v1/models', signal })).data,
    upload: (upload, signal) => json<Json>({ ...uploaded(upload), signal }),
    async wait(id, onChange, signal) {
      let known = '';
      for (;;) {
        const video = await get(id, signal);
        const now = `${video.status} ${video.queue_position ?? ''}`;
        if (now !== known) onChange(video);
        known = now;
        if (isEnded(video)) return video;
        await pause(pollEveryMs, undefined, { signal });
      }
    },
  };
}

const pathOf = (id: string): string => `/v1/videos/${encodeURIComponent(id)}`;

const posted = (path: string, body: Json) => ({
  method: 'POST' as const,
  path,
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify(body),
});

const uploaded = ({ bytes, name, contentType = 'application/octet-stream' }: Upload) => ({
  method: 'POST' as const,
  path: `/v1/assets${name === undefined ? '' : `?name=${encodeURIComponent(name)}`}`,
  headers: { 'content-type': contentType },
  body: bytes,
});

/** A route has refused, in its own words. */
class RefusedCall extends Error implements Refusal {
  override readonly name = 'RefusedCall';
  readonly status: number;
  readonly code: string;
  readonly param?: string;
  readonly requestId?: string;
  readonly retryAfterMs?: number;

  constructor({ status, headers, text }: InnerResponse) {
    const { error } = JSON.parse(text) as {
      readonly error: { readonly message: string; readonly code: string; readonly param?: string };
    };
    super(error.message);
    this.status = status;
    this.code = error.code;
    const { 'x-request-id': requestId, 'retry-after': retryAfter } = headers;
    if (typeof error.param === 'string') this.param = error.param;
    if (typeof requestId === 'string') this.requestId = requestId;
    if (retryAfter !== undefined) this.retryAfterMs = Number(retryAfter) * 1_000;
  }
}
