import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createHash } from 'node:crypto';
import request from 'supertest';
import { buildDocument, withoutNames } from '@gateway/api';
import { openApi, type ApiUnderTest } from './harness.ts';

let api: ApiUnderTest;
beforeAll(async () => {
  api = await openApi({
    adminToken: 'admin-token-for-tests',
    publicBaseUrl: 'https://gateway.test',
  });
});
afterAll(async () => {
  await api.close();
});

const get = (path: string, headers: Record<string, string> = {}) =>
  request(api.url).get(path).set(headers);
const documentedRoutes = (): string[] =>
  Object.entries(buildDocument({ baseUrl: api.url, version: '0' }).paths).flatMap(
    ([path, methods]) =>
      Object.keys(methods).map((method) => withoutNames(`${method.toUpperCase()} ${path}`)),
  );

describe('the document and what is served', () => {
  it('name the same routes and methods', () => {
    expect([...api.routes].sort()).toEqual(documentedRoutes().sort());
  });
});

describe('GET /openapi.json', () => {
  it('responds to the document without a key, for any page, with the public address, and 304 to who has it', async () => {
    const response = await get('/openapi.json');
    const again = await get('/openapi.json', {
      'if-none-match': `"other", W/${response.headers['etag']!}`,
    });

    expect(response.status).toBe(200);
    expect(response.body).toMatchObject({
      openapi: '3.1.0',
      servers: [{ url: 'https://gateway.test' }],
    });
    expect(response.headers).toMatchObject({
      'content-type': 'application/json; charset=utf-8',
      'cache-control': 'public, max-age=300',
      'access-control-allow-origin': '*',
      etag: expect.stringMatching(/^"[\w-]{27}"$/),
    });
    expect({ status: again.status, text: again.text, etag: again.headers['etag'] }).toEqual({
      status: 304,
      text: '',
      etag: response.headers['etag'],
    });
  });
});

/** What a page loads or runs from elsewhere, or without its policy. */
const foreign =
  /<(?:link|img|iframe|object|embed|base|form)\b|\bsrc=|\bon\w+=|style="|javascript:|url\(|@import/i;

describe.each([
  ['/docs', 5, "; connect-src 'self'"],
  ['/', 1, ''],
])('GET %s in a browser', (path, scripts, calls) => {
  it('is one page that loads nothing and runs only what its policy names by hash', async () => {
    const { status, headers, text } = await get(path, {
      accept: 'text/html,application/xhtml+xml,*/*;q=0.8',
    });

    expect(status).toBe(200);
    expect(headers['content-type']).toBe('text/html; charset=utf-8');
    const policy = headers['content-security-policy']!;
    const sources = policy.replaceAll(/'sha256-[^ ]{43}='/g, 'HASH');
    expect(sources).toBe(
      `default-src 'none'; style-src HASH; script-src${' HASH'.repeat(scripts)}${calls}; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
    );
    const parts = [...text.matchAll(/<(style|script type="module")>(.*?)<\/\w+>/gs)];
    expect(parts).toHaveLength(scripts + 1);
    for (const [, , part] of parts) {
      expect(policy).toContain(`'sha256-${createHash('sha256').update(part!).digest('base64')}'`);
    }
    const markup = text
      .replace(/<(style|script)[^>]*>.*?<\/\1>/gs, '')
      .replace(/<pre>.*?<\/pre>/gs, '');
    expect(markup).not.toMatch(foreign);
    expect(markup).not.toContain('`');
    expect(
      [...markup.matchAll(/href="([^"#][^"]*)"/g)]
        .map(([, target]) => target)
        .filter((target) => !target!.startsWith('/')),
    ).toEqual([]);
  });
});

describe('GET /docs', () => {
  it('has every route with its anchor and a curl command, and no link into nowhere', async () => {
    const { text } = await get('/docs');

    const ids = [...text.matchAll(/\bid="([^"]+)"/g)].map(([, anchor]) => anchor);
    const anchors = new Set(ids);
    expect(ids.filter((id, place) => ids.indexOf(id) !== place)).toEqual([]);
    const links = [...text.matchAll(/href="#([^"]+)"/g)].map(([, anchor]) => anchor);
    expect(links.filter((link) => !anchors.has(link))).toEqual([]);
    for (const methods of Object.values(buildDocument({ baseUrl: '', version: '0' }).paths)) {
      for (const operation of Object.values(methods)) {
        expect(anchors).toContain(operation['operationId']);
      }
    }
    expect(text.match(/<article/g)!.length).toBeGreaterThan(documentedRoutes().length);
    expect(text).toContain('curl &#39;https://gateway.test/v1/videos'.replaceAll('&#39;', "'"));
    expect(text).toContain('authorization: Bearer $KEY');
  });

  it('returns 304 to who has it', async () => {
    const { headers } = await get('/docs');

    expect((await get('/docs', { 'if-none-match': headers['etag']! })).status).toBe(304);
  });
});

describe('GET /', () => {
  it.each([[undefined], ['*/*'], ['application/json'], ['text/plain']])(
    'returns JSON to a client that accepts %s',
    async (accept) => {
      const response = await get('/', accept === undefined ? {} : { accept });

      expect(response.body).toMatchObject({
        name: 'generation-gateway',
        endpoints: { create_video: 'POST /v1/videos', reference: 'GET /docs' },
      });
    },
  );

  it('leads a person to the reference and the document', async () => {
    const { text, headers } = await get('/', { accept: 'text/html' });

    expect(headers['vary']).toMatch(/accept/i);
    for (const target of ['/docs', '/openapi.json']) expect(text).toContain(`href="${target}"`);
  });

  it.each(['/docs', '/openapi.json', '/'])('refuses other methods of %s', async (path) => {
    const response = await request(api.url).post(path);

    expect({ status: response.status, allow: response.headers['allow'] }).toEqual({
      status: 405,
      allow: 'GET, HEAD',
    });
  });
});
