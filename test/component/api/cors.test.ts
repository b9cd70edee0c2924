import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import request from 'supertest';
import { withCors } from '../../../services/api/src/http/cors.ts';
import { openApi, type ApiUnderTest } from './harness.ts';

const origin = 'https://app.example.com';
/** What the official clients of both dialects send from a browser. */
const sent = [
  'authorization',
  'content-type',
  'anthropic-version',
  'anthropic-beta',
  'anthropic-dangerous-direct-browser-access',
  'x-api-key',
  'idempotency-key',
  'openai-organization',
  'x-stainless-arch',
  'x-stainless-helper-method',
  'x-stainless-retry-count',
  'x-stainless-timeout',
];
const paths = [
  '/v1/messages',
  '/v1/chat/completions',
  '/messages',
  '/v1/videos',
  '/v1/videos/video_01h455vb4pex5vsknk084sn02q/content',
  '/v1/nowhere',
];

let closed: ApiUnderTest;
let api: ApiUnderTest;
let open: ApiUnderTest;
beforeAll(async () => {
  [closed, api, open] = await Promise.all([
    openApi(),
    openApi({
      adminToken: 'admin-token-for-tests',
      edge: { corsOrigins: `http://localhost:5173, ${origin}` },
    }),
    openApi({ edge: { corsOrigins: '*' } }),
  ]);
});
afterAll(async () => {
  await Promise.all([closed.close(), api.close(), open.close()]);
});

const preflight = (url: string, path: string, from = origin, headers = sent.join(',')) =>
  request(url).options(path).set({
    origin: from,
    'access-control-request-method': 'POST',
    'access-control-request-headers': headers,
  });
const corsOf = (headers: Record<string, string>): string[] =>
  Object.keys(headers).filter((name) => name.startsWith('access-control-'));

describe('a page of another origin', () => {
  it.each(paths)('may ask for %s with the headers of the official clients', async (path) => {
    const { status, headers } = await preflight(api.url, path);

    expect(status).toBe(204);
    expect(headers['access-control-allow-origin']).toBe(origin);
    expect(headers['access-control-allow-headers']).toBe(sent.join(', '));
    expect(headers['access-control-allow-methods']).toContain('POST');
    expect(headers['access-control-allow-credentials']).toBeUndefined();
    expect(headers['vary']).toBe('Origin');
  });

  it.each([
    ['get', '/v1/videos', 200],
    ['get', '/v1/videos/x', 404],
    ['post', '/v1/messages', 403],
    ['post', '/chat/completions', 403],
  ] as const)(
    'reads the response and its headers, failures too: %s %s',
    async (method, path, status) => {
      const { apiKey } = await api.aKey();
      const { headers } = await request(api.url)
        [method](path)
        .set({ origin, authorization: `Bearer ${apiKey}` })
        .expect(status);

      expect(headers['access-control-allow-origin']).toBe(origin);
      const exposed = headers['access-control-expose-headers'];
      for (const name of ['x-request-id', 'request-id', 'retry-after', 'x-ratelimit-remaining']) {
        expect(exposed).toContain(name);
      }
    },
  );

  it('is not told of headers that nobody needs', async () => {
    const { headers } = await preflight(api.url, '/v1/messages', origin, 'x-evil, content-type');

    expect(headers['access-control-allow-headers']).toBe('content-type');
  });

  it.each(['https://app.example.com.evil.example', 'http://app.example.com', 'null'])(
    'is refused unless its origin is listed: %s',
    async (from) => {
      const asked = await preflight(api.url, '/v1/messages', from);
      expect([asked.status, corsOf(asked.headers as Record<string, string>)]).toEqual([405, []]);

      const { headers } = await request(api.url).get('/v1/videos').set('origin', from);
      expect(corsOf(headers as Record<string, string>)).toEqual([]);
      expect(headers['vary']).toBe('Origin');
    },
  );

  it('has no business with the operator’s routes', async () => {
    const { status, headers } = await preflight(api.url, '/admin/v1/accounts');

    expect([status, corsOf(headers as Record<string, string>)]).toEqual([401, []]);
  });

  it('may be any when the operator says so', async () => {
    const { status, headers } = await preflight(open.url, '/v1/messages', 'https://x.example');

    expect([status, headers['access-control-allow-origin']]).toEqual([204, '*']);
  });

  it('may be none unless the operator says so', async () => {
    for (const path of paths.slice(0, 4)) {
      const { status, headers } = await preflight(closed.url, path);
      expect([status, corsOf(headers as Record<string, string>)]).toEqual([405, []]);
    }
  });
});

describe('origins that are none', () => {
  it.each(['app.example.com', 'https://app.example.com/', 'https://app.example.com/a'])(
    'keep the api from starting: %s',
    (origins) => {
      expect(() => withCors(origins, () => undefined)).toThrow('CORS_ORIGINS must be');
    },
  );
});
