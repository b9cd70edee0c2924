import { afterEach, describe, expect, it } from '@jest/globals';
import { eventually } from '@gateway/testing';
import {
  asMessages,
  behave,
  createOpener,
  hello,
  openUpstream,
  post,
  type TextStage,
  type UpstreamRequest,
} from '../component/api/text-stage.ts';

const { upstreamThat, stageWith, closeAll } = createOpener();
afterEach(closeAll);

const limits = `
limits: { default_key: { requests_per_minute: 100000, concurrent_requests: 100 } }
`;
const oneRoute = (url: string, extra = ''): string => `
providers: { one: { kind: messages, base_url: "${url}", api_key: "\${KEY}"${extra} } }
models: { m: { kind: text, routes: [{ provider: one, model: m }] } }
${limits}`;
const twoRoutes = (first: string, second: string): string => `
providers:
  one: { kind: messages, base_url: "${first}", api_key: "\${KEY}" }
  two: { kind: messages, base_url: "${second}", api_key: "\${KEY}" }
models:
  m: { kind: text, routes: [{ provider: one, model: m }, { provider: two, model: m, fallback: true }] }
${limits}`;

const refuse = ({ response }: UpstreamRequest, status: number): void => {
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(JSON.stringify({ type: 'error', error: { type: 'api_error', message: 'broken' } }));
};
const ask = (stage: TextStage, apiKey: string, extra: object = {}): Promise<number> =>
  post(`${stage.url}/v1/messages`, { headers: asMessages(apiKey), body: hello('m', extra) }).status;

/** An upstream that some requests break: each says with which status. Others wait if they say so. */
const breakable = (held: UpstreamRequest[] = []) =>
  upstreamThat((request) => {
    const metadata = request.json['metadata'] as { status?: number; held?: true } | undefined;
    const status = metadata?.status;
    if (metadata?.held === true) held.push(request);
    else if (status === undefined) behave(request);
    else if (status === 0) request.response.destroy();
    else refuse(request, status);
  });

let payloads = 0;
const breaking = (status: number): object => ({
  metadata: { status, payload: (payloads += 1) },
});

const statusesOf = (all: readonly number[]): Record<string, number> =>
  Object.fromEntries([...new Set(all)].map((each) => [each, all.filter((s) => s === each).length]));

describe('an account whose requests break the upstream', () => {
  it.each([500, 503, 403, 0])(
    'with %i every time costs another account nothing, whoever comes first',
    async (status) => {
      const held: UpstreamRequest[] = [];
      const upstream = await breakable(held);
      const { stage, apiKey: hostile } = await stageWith({ yaml: oneRoute(upstream.url) });
      const { apiKey: victim } = await stage.aKey();
      const hammer = async (): Promise<void> => {
        for (let round = 0; round < 3; round += 1) {
          await Promise.all([1, 2, 3].map(() => ask(stage, hostile, breaking(status))));
        }
      };

      await hammer();
      const going = hammer();
      const served: number[] = [];
      for (let round = 0; round < 2; round += 1) {
        // None may count on another that is answered before it comes.
        const early: number[] = [];
        const asked = Array.from({ length: 20 }, async () => {
          const came = await ask(stage, victim, { metadata: { held: true } });
          early.push(came);
          return came;
        });
        await eventually(
          () => {
            expect({ held: held.length, early }).toEqual({ held: 20, early: [] });
          },
          { withinMs: 40_000 },
        );
        held.splice(0).forEach(behave);
        served.push(...(await Promise.all(asked)));
      }
      await going;

      expect(statusesOf(served)).toEqual({ 200: 40 });
    },
  );

  it('costs another nothing either when it has two accounts, and good requests among them', async () => {
    const upstream = await breakable();
    const { stage, apiKey: first } = await stageWith({ yaml: oneRoute(upstream.url) });
    const [second, victim] = [(await stage.aKey()).apiKey, (await stage.aKey()).apiKey];
    const hammer = async (key: string): Promise<void> => {
      for (let round = 0; round < 4; round += 1) {
        await ask(stage, key);
        await Promise.all([1, 2, 3].map(() => ask(stage, key, breaking(500))));
      }
    };

    await Promise.all([hammer(first), hammer(second)]);
    const going = Promise.all([hammer(first), hammer(second)]);
    const served: number[] = [];
    for (let round = 0; round < 50; round += 1) served.push(await ask(stage, victim));
    await going;

    expect(statusesOf(served)).toEqual({ 200: 50 });
  });

  it('is itself refused after a while, and told when to come back', async () => {
    const upstream = await breakable();
    const { stage, apiKey } = await stageWith({ yaml: oneRoute(upstream.url) });

    for (let round = 0; round < 5; round += 1) {
      expect(await ask(stage, apiKey, breaking(500))).toBe(500);
    }
    const asked = upstream.received.length;
    const clients = Array.from({ length: 20 }, () =>
      post(`${stage.url}/v1/messages`, {
        headers: asMessages(apiKey),
        body: hello('m', breaking(500)),
      }),
    );
    const statuses = await Promise.all(clients.map(({ status }) => status));

    // A clock may pass a second meanwhile.
    expect(upstream.received.length - asked).toBeLessThanOrEqual(2);
    const refused = clients[statuses.indexOf(503)]!;
    expect(await refused.body).toContain('no upstream can take this request right now');
    expect((await refused.headers)['retry-after']).toBe('5');
  });

  it('may repeat one broken request, and time out again and again, without a consequence', async () => {
    const upstream = await upstreamThat((request) => {
      const metadata = request.json['metadata'] as { status?: number; slow?: boolean } | undefined;
      if (metadata?.slow === true) return;
      if (metadata?.status === undefined) behave(request);
      else refuse(request, metadata.status);
    });
    const { stage, apiKey } = await stageWith({
      yaml: oneRoute(upstream.url, ', answer_timeout_seconds: 0.2'),
    });
    const same = breaking(500);

    for (let round = 0; round < 10; round += 1) {
      expect(await ask(stage, apiKey, same)).toBe(500);
    }
    const slow = [1, 2, 3, 4, 5, 6].map((number) =>
      ask(stage, apiKey, { metadata: { slow: true, number } }),
    );
    expect(statusesOf(await Promise.all(slow))).toEqual({ 504: 6 });

    const good = await Promise.all([1, 2, 3].map(() => ask(stage, apiKey)));
    expect(statusesOf(good)).toEqual({ 200: 3 });
  });
});

describe('an upstream that serves nobody', () => {
  it('is left alone after three requests of two accounts when it returns 503', async () => {
    const bad = await upstreamThat((request) => {
      refuse(request, 503);
    });
    const good = await upstreamThat(behave);
    const { stage, apiKey: one } = await stageWith({ yaml: twoRoutes(bad.url, good.url) });
    const [two, three] = [(await stage.aKey()).apiKey, (await stage.aKey()).apiKey];

    for (const key of [one, two, one]) expect(await ask(stage, key)).toBe(200);
    const asked = bad.received.length;
    for (const key of [one, two, three]) expect(await ask(stage, key)).toBe(200);

    expect(asked).toBeLessThanOrEqual(6);
    expect(bad.received).toHaveLength(asked);
  });

  it('is left alone after three requests of anybody when nobody listens there', async () => {
    const gone = await openUpstream();
    await gone.close();
    const good = await upstreamThat(behave);
    const { stage, apiKey: one } = await stageWith({ yaml: twoRoutes(gone.url, good.url) });
    const { apiKey: two } = await stage.aKey();

    for (let round = 0; round < 3; round += 1) expect(await ask(stage, one)).toBe(200);
    const client = post(`${stage.url}/v1/messages`, {
      headers: asMessages(two),
      body: hello('m'),
    });

    expect((await client.headers)['x-gateway-attempts']).toBe('1');
  });

  it('serves the next request that is tried for lack of another route, and then all', async () => {
    let works = false;
    const upstream = await upstreamThat((request) => {
      if (works) behave(request);
      else refuse(request, 401);
    });
    const { stage, apiKey: one } = await stageWith({ yaml: oneRoute(upstream.url) });
    const [two, three] = [(await stage.aKey()).apiKey, (await stage.aKey()).apiKey];
    for (const key of [one, two, one, two, one]) expect(await ask(stage, key)).toBe(502);
    works = true;

    expect(await ask(stage, three)).toBe(200);

    const served = await Promise.all(Array.from({ length: 30 }, () => ask(stage, three)));
    expect(statusesOf(served)).toEqual({ 200: 30 });
    expect(await ask(stage, two)).toBe(200);
  });
});
