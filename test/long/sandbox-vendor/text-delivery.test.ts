/** @workers 3: it promises no times. */
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { startSandboxVendor, type RunningSandbox } from '@gateway/sandbox-vendor';
import { eventually } from '@gateway/testing';
import { rawClient, type TextLog } from './text-harness.ts';

let vendor: RunningSandbox;
let raw: ReturnType<typeof rawClient>;

beforeAll(async () => {
  vendor = await startSandboxVendor();
  raw = rawClient(vendor, { 'anthropic-version': '2023-06-01' });
});
afterAll(() => vendor.stop());
afterEach(async () => {
  await fetch(`${vendor.url}/control/reset`, { method: 'POST' });
});

const routes = [
  ['messages', '/v1/messages'],
  ['chat', '/v1/chat/completions'],
] as const;
const body = (prompt: string, fields: object = {}): object => ({
  model: 'sandbox',
  max_tokens: 100_000,
  messages: [{ role: 'user', content: prompt }],
  ...fields,
});
const counts = ({ active, started, finished, aborted, broken }: TextLog): number[] => [
  active,
  started,
  finished,
  aborted,
  broken,
];

describe.each(routes)('a text request to the %s route', (dialect, path) => {
  it('is noted with its body and headers, but without its key', async () => {
    await raw.post(`${path}?beta=true`, body('Hello'), { 'x-mark': 'here' });

    const log = await eventually(async () => {
      const now = await raw.log();
      expect(counts(now)).toEqual([0, 1, 1, 0, 0]);
      return now;
    });
    expect(log.requests).toEqual([
      {
        dialect,
        path: `${path}?beta=true`,
        model: 'sandbox',
        stream: false,
        body: body('Hello'),
        headers: expect.objectContaining({ 'x-mark': 'here' }),
        credentials: ['authorization'],
        body_bytes: JSON.stringify(body('Hello')).length,
        body_sha256: expect.stringMatching(/^[0-9a-f]{64}$/),
        outcome: 'finished',
        status: 200,
      },
    ]);
    expect(JSON.stringify(log)).not.toContain(vendor.apiKey);
    await raw.resetLog();
    expect(await raw.log()).toEqual({
      active: 0,
      started: 0,
      finished: 0,
      aborted: 0,
      broken: 0,
      requests: [],
    });
  });

  it('is given up as soon as its client goes away, in a stream, in a stall and before the first byte', async () => {
    for (const prompt of ['[pace=20] [tokens=5000]', '[stall]']) {
      const { request, response } = await raw.open(path, body(prompt, { stream: true }));
      response.on('error', () => undefined).resume();
      expect((await raw.log()).active).toBe(1);
      request.destroy();
      await eventually(
        async () => {
          expect((await raw.log()).active).toBe(0);
        },
        { withinMs: 5_000 },
      );
    }
    const controller = new AbortController();
    const waiting = fetch(`${vendor.url}${path}`, {
      method: 'POST',
      headers: { 'x-api-key': vendor.apiKey, 'anthropic-version': '2023-06-01' },
      body: JSON.stringify(body('[slow-first-byte=600]')),
      signal: controller.signal,
    });
    await eventually(async () => {
      expect((await raw.log()).active).toBe(1);
    });
    controller.abort();
    await expect(waiting).rejects.toThrow('abort');

    await eventually(
      async () => {
        expect(counts(await raw.log())).toEqual([0, 3, 0, 3, 0]);
      },
      { withinMs: 5_000 },
    );
  });

  it('comes at the requested pace, streamed or not, and later with [slow-first-byte]', async () => {
    const tookMs = async (prompt: string, fields: object = {}): Promise<number> => {
      const start = Date.now();
      expect((await raw.post(path, body(prompt, fields))).status).toBe(200);
      return Date.now() - start;
    };

    for (const fields of [{}, { stream: true }]) {
      const ms = await tookMs('[tokens=50] [pace=100]', fields);
      expect(ms).toBeGreaterThanOrEqual(450);
      expect(ms).toBeLessThan(2_000);
    }
    expect(await tookMs('[slow-first-byte=0.4]')).toBeGreaterThanOrEqual(395);
  });

  it.each<[string, object, number[]]>([
    ['[early-end]', { stream: true }, [0, 1, 1, 0, 0]],
    ['[cut-mid-stream]', { stream: true }, [0, 1, 0, 0, 1]],
    ['[cut-mid-stream]', {}, [0, 1, 0, 0, 1]],
    ['[reset]', {}, [0, 1, 0, 0, 1]],
  ])(
    'that asks for %s %j ends as the vendor wants it, not as the client',
    async (prompt, fields, expected) => {
      const text = await raw.post(path, body(prompt, fields)).then(
        (response) => response.text,
        () => 'no completion',
      );

      expect(text === 'no completion').toBe(expected[4] === 1);
      expect(text).not.toMatch(/message_stop|\[DONE\]/);
      await eventually(async () => {
        expect(counts(await raw.log())).toEqual(expected);
      });
    },
  );

  it('combines directives', async () => {
    const start = Date.now();
    const refused = await raw.post(path, body('[slow-first-byte=0.3] [rate-limited]'));

    expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '2']);
    expect(Date.now() - start).toBeGreaterThanOrEqual(295);
    expect((await raw.post(path, body('[html]'))).headers.get('content-type')).toBe(
      'text/html; charset=utf-8',
    );
    expect((await raw.post(path, body('[garbage]'))).body).toBeUndefined();
    expect((await raw.post(path, body('[early-end] [garbage] x', { stream: true }))).text).toMatch(
      /data: \{"[a-z]+":"[a-z_-]+\n\n$/,
    );
  });

  it('meets the faults of the control endpoint, of its dialect and of both', async () => {
    await raw.addFault({
      operation: 'text',
      action: 'status',
      status: 529,
      retry_after_seconds: 7,
    });
    await raw.addFault({ operation: dialect, action: 'drop-before' });
    await raw.addFault({ operation: dialect === 'chat' ? 'messages' : 'chat', action: 'status' });

    const first = await raw.post(path, body('a'));
    await expect(raw.post(path, body('a'))).rejects.toThrow('fetch failed');
    const third = await raw.post(path, body('a'));

    expect([
      first.status,
      first.headers.get('retry-after'),
      first.body.error.type,
      third.status,
    ]).toEqual([529, '7', dialect === 'chat' ? 'server_error' : 'overloaded_error', 200]);
    await eventually(async () => {
      expect(counts(await raw.log())).toEqual([0, 3, 2, 0, 1]);
    });
  });

  it('is one of two hundred streams at once', async () => {
    const responses = await Promise.all(
      Array.from({ length: 200 }, () =>
        raw.post(path, body('[tokens=100] [pace=200]', { stream: true })),
      ),
    );

    expect(new Set(responses.map(({ status }) => status))).toEqual(new Set([200]));
    expect(responses.filter(({ text }) => /message_stop|\[DONE\]/.test(text))).toHaveLength(200);
  });
});

describe('the sandbox vendor with text streams', () => {
  it('stops at once although some are stalled', async () => {
    const other = await startSandboxVendor();
    const { response } = await rawClient(other, { 'anthropic-version': '2023-06-01' }).open(
      '/v1/messages',
      body('[stall]', { stream: true }),
    );
    response.on('error', () => undefined).resume();

    const start = Date.now();
    await other.stop();

    expect(Date.now() - start).toBeLessThan(3_000);
  });

  it('shows newcomers its text models and directives', async () => {
    const { text } = (await raw.get('/')).body;

    expect(text.models).toEqual([
      'sandbox-messages',
      'sandbox-chat',
      'sandbox-responses',
      'sandbox-embedding',
    ]);
    expect(text.directives).toContainEqual({
      directive: '[pace=N]',
      when: 'answer',
      description: 'tokens in a second; 0 is as fast as possible',
    });
  });

  it('responds at fifty tokens a second when nothing else is set', async () => {
    const other = await startSandboxVendor({ SANDBOX_TOKENS_PER_SECOND: '' });
    const start = Date.now();

    await rawClient(other).post('/v1/chat/completions', body('[tokens=40]'));

    expect(Date.now() - start).toBeGreaterThanOrEqual(795);
    await other.stop();
  });
});
