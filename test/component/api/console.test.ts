import { readFileSync } from 'node:fs';
import { brotliDecompressSync, gunzipSync, gzipSync } from 'node:zlib';
import http from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { openApi, type ApiUnderTest } from './harness.ts';

let api: ApiUnderTest;
beforeAll(async () => {
  api = await openApi();
});
afterAll(async () => {
  await api.close();
});

interface Served {
  readonly status: number;
  readonly headers: http.IncomingHttpHeaders;
  readonly body: Buffer;
}

/** As it comes over the wire, still compressed. */
function get(
  path: string,
  headers: http.OutgoingHttpHeaders = {},
  method = 'GET',
): Promise<Served> {
  return new Promise((resolve, reject) => {
    http
      .request(`${api.url}${path}`, { method, headers, agent: false }, (response) => {
        const pieces: Buffer[] = [];
        response.on('data', (piece: Buffer) => pieces.push(piece));
        response.on('end', () => {
          resolve({
            status: response.statusCode ?? 0,
            headers: response.headers,
            body: Buffer.concat(pieces),
          });
        });
      })
      .on('error', reject)
      .end();
  });
}

const built = (path: string): Buffer =>
  readFileSync(new URL(`../../../services/console/dist/${path}`, import.meta.url));
const page = built('index.html').toString();
const assetsOf = (pattern: RegExp): string[] =>
  [...page.matchAll(pattern)].map(([, path]) => path ?? '');
const [script = ''] = assetsOf(/<script type="module"[^>]* src="\/console\/(assets\/[^"]+)"/g);

describe('GET /console', () => {
  it.each(['/console', '/console/', '/console/videos/video_1', '/console/playground?models=a,b'])(
    'serves the page at %s, under a policy that lets nothing in from elsewhere',
    async (path) => {
      const { status, headers, body } = await get(path);

      expect([status, body.toString()]).toEqual([200, page]);
      expect(headers['content-type']).toBe('text/html; charset=utf-8');
      expect(headers['cache-control']).toBe('no-cache');
      expect(headers).toMatchObject({
        'x-frame-options': 'DENY',
        'referrer-policy': 'no-referrer',
        'x-content-type-options': 'nosniff',
      });
      const policy = headers['content-security-policy'] as string;
      expect(policy).toMatch(/^default-src 'self'; /);
      expect(policy).toContain("frame-ancestors 'none'");
      expect(policy).not.toMatch(/unsafe|\*|data:/);
    },
  );

  it('has nothing inline in its page', () => {
    expect(page).not.toMatch(/<style|style=|<script(?![^>]* src=)|\son\w+=|data:/);
  });

  it.each([
    ['br', brotliDecompressSync],
    ['gzip', gunzipSync],
  ] as const)('sends scripts as %s that was made at build time', async (encoding, open) => {
    const { headers, body } = await get(`/console/${script}`, { 'accept-encoding': encoding });

    expect(headers['content-encoding']).toBe(encoding);
    expect(headers.vary).toMatch(/accept-encoding/i);
    expect(headers['cache-control']).toBe('public, max-age=31536000, immutable');
    expect(open(body).equals(built(script))).toBe(true);
  });

  it('answers a current copy with 304 and a HEAD without a body', async () => {
    const { headers } = await get('/console');

    const again = await get('/console', { 'if-none-match': headers.etag });
    const head = await get('/console', {}, 'HEAD');

    expect([again.status, again.body.length]).toEqual([304, 0]);
    expect([head.status, head.body.length, head.headers.etag]).toEqual([200, 0, headers.etag]);
  });

  it.each(['/console/assets/none.js', '/console/assets/../../package.json', '/consoles'])(
    'has no %s',
    async (path) => {
      const { status, body } = await get(path);

      expect(status === 200 && body.toString() !== page ? 'a file' : 'no file').toBe('no file');
    },
  );

  it('takes no other method', async () => {
    expect((await get('/console', {}, 'POST')).status).toBe(405);
  });

  it('is led to by the front door', async () => {
    expect((await get('/', { accept: 'text/html' })).body.toString()).toContain('href="/console"');
  });

  it('needs at most 120 kB of JavaScript for the first page', () => {
    const sizeOf = (path: string): number => gzipSync(built(path), { level: 9 }).length;
    const first = assetsOf(/(?:src|href)="\/console\/(assets\/[^"]+\.js)"/g);

    expect(first).toContain(script);
    expect(first.reduce((sum, path) => sum + sizeOf(path), 0)).toBeLessThan(120_000);
  });

  it('has nothing of the pages for operators in the first page', () => {
    const first = assetsOf(/(?:src|href)="\/console\/(assets\/[^"]+\.js)"/g);
    const scripts = first.map((path) => built(path).toString());

    // All they know of operators is where to ask whether one is signed in.
    const named = scripts.flatMap((text) => text.match(/\/admin\/v1[\w/]*/g) ?? []);
    expect(new Set(named)).toEqual(new Set(['/admin/v1/session']));
    expect(scripts.join()).toContain('/v1/videos');
  });
});

describe('with CONSOLE=off', () => {
  it('there is no console', async () => {
    const without = await openApi({ edge: { console: 'off' } });
    try {
      const console = await fetch(`${without.url}/console`);
      const door = await fetch(without.url, { headers: { accept: 'text/html' } });

      expect(console.status).toBe(404);
      expect(await door.text()).not.toContain('/console');
    } finally {
      await without.close();
    }
  });
});
