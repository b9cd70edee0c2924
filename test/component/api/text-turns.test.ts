import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { eventually, scrapeAnew } from '@gateway/testing';
import {
  asMessages,
  behave,
  createOpener,
  hello,
  messagesEvents,
  post,
  type Client,
  type TextStage,
  type Upstream,
} from './text-stage.ts';

const { upstreamThat, stageWith, closeAll } = createOpener();
afterEach(closeAll);
jest.setTimeout(60_000);

const limits = `
limits: { default_key: { requests_per_minute: 100000, concurrent_requests: 100 } }
`;
const withSlots = (url: string, slots: number, extra = ''): string => `
providers: { one: { kind: messages, base_url: "${url}", api_key: "\${KEY}", max_concurrent: ${slots}${extra} } }
models: { m: { kind: text, routes: [{ provider: one, model: m }] } }
${limits}`;

/** A request whose name the upstream sees. */
const ask = (stage: TextStage, apiKey: string, name: string, stream = false): Client =>
  post(`${stage.url}/v1/messages`, {
    headers: asMessages(apiKey),
    body: hello('m', { metadata: { name }, stream }),
  });
const namesAt = ({ received }: Upstream): unknown[] =>
  received.map(({ json }) => (json['metadata'] as { name: string }).name);
const whoseAt = (upstream: Upstream): unknown[] =>
  namesAt(upstream).map((name) => String(name).replace(/\d+$/, ''));
/** Counted first: a failed expectation would print the sockets of every request, each time. */
const arrived = (upstream: Upstream, count: number): Promise<void> =>
  eventually(() => {
    expect(upstream.received.length).toBe(count);
  });
const serve = (upstream: Upstream, name: string): void => {
  behave(upstream.received[namesAt(upstream).indexOf(name)]!);
};

async function metricOf({ opsUrl }: TextStage, series: RegExp): Promise<number> {
  const line = (await scrapeAnew(opsUrl)).split('\n').find((each) => series.test(each));
  return Number(line?.split(' ').at(-1) ?? 0);
}
const waitingAre = (stage: TextStage, count: number): Promise<void> =>
  eventually(
    async () => {
      expect(await metricOf(stage, /^gateway_text_slot_waiting\{.*provider="one"/)).toBe(count);
    },
    { withinMs: 20_000 },
  );

/** One account holds all slots with streams that do not end, and `waiting` more of its wait. */
async function occupied(options: {
  readonly slots: number;
  readonly waiting: number;
  readonly provider?: string;
  readonly settings?: Parameters<typeof stageWith>[0]['settings'];
}) {
  const upstream = await upstreamThat(() => undefined);
  const { stage, apiKey: hostile } = await stageWith({
    yaml: withSlots(upstream.url, options.slots, options.provider),
    // Nobody's time is up on a busy machine.
    settings: { DRAIN_MS: 100, TEXT_QUEUE_MS: 60_000, ...options.settings },
  });
  const { apiKey: victim } = await stage.aKey();
  for (let each = 0; each < options.slots; each += 1) {
    const client = ask(stage, hostile, `long${each}`, true);
    await arrived(upstream, each + 1).catch(() => {
      throw new Error(`long${each} did not reach the upstream; it was told: ${client.text()}`);
    });
  }
  for (let each = 0; each < options.waiting; each += 1) ask(stage, hostile, `more${each}`, true);
  if (options.waiting > 0) await waitingAre(stage, options.waiting);
  return { upstream, stage, hostile, victim };
}

describe('an account that holds all slots of a provider and keeps asking', () => {
  it('leaves another account the next ones that become free, up to its share', async () => {
    const { upstream, stage, hostile, victim } = await occupied({ slots: 4, waiting: 3 });
    const asked = [1, 2, 3].map((at) => ask(stage, victim, `good${at}`));
    await waitingAre(stage, 6);

    serve(upstream, 'long0');
    await arrived(upstream, 5);
    ask(stage, hostile, 'late', true);
    await waitingAre(stage, 6);
    serve(upstream, 'long1');
    await arrived(upstream, 6);
    expect(whoseAt(upstream).slice(4)).toEqual(['good', 'good']);

    // Both have two of four: the turns go on.
    behave(upstream.received[4]!);
    await arrived(upstream, 7);
    expect(whoseAt(upstream)[6]).toBe('good');
    serve(upstream, 'long2');
    await arrived(upstream, 8);
    expect(whoseAt(upstream)[7]).toBe('more');
    behave(upstream.received[5]!);
    behave(upstream.received[6]!);
    expect(await Promise.all(asked.map(({ status }) => status))).toEqual([200, 200, 200]);
    expect(await metricOf(stage, /slot_wait_seconds_count\{.*outcome="slot"/)).toBeGreaterThan(3);
  });

  it('goes on alone as soon as nobody else waits', async () => {
    const { upstream } = await occupied({ slots: 2, waiting: 2 });

    serve(upstream, 'long0');
    serve(upstream, 'long1');

    await arrived(upstream, 4);
    expect(namesAt(upstream).slice(2).sort()).toEqual(['more0', 'more1']);
  });

  it('may have 50 requests waiting, and hears what it has exceeded', async () => {
    const { stage, hostile, victim, upstream } = await occupied({ slots: 1, waiting: 0 });
    for (let each = 0; each < 50; each += 1) ask(stage, hostile, `more${each}`);
    await waitingAre(stage, 50);

    const refused = ask(stage, hostile, 'refused');
    expect(await refused.status).toBe(503);
    expect((await refused.headers)['retry-after']).toBe('5');
    expect(await refused.body).toContain('50 requests of this account already wait');
    expect(await metricOf(stage, /slot_refusals_total\{.*reason="account"/)).toBe(1);

    const good = ask(stage, victim, 'good');
    await waitingAre(stage, 51);
    serve(upstream, 'long0');
    await arrived(upstream, 2);
    behave(upstream.received[1]!);
    await arrived(upstream, 3);
    expect(whoseAt(upstream)).toEqual(['long', 'more', 'good']);
    serve(upstream, 'good');
    expect(await good.status).toBe(200);
  });
});

describe('a request that waits for a slot', () => {
  it('is refused when its time is up, and told why', async () => {
    const { stage, victim } = await occupied({
      slots: 1,
      waiting: 0,
      settings: { TEXT_QUEUE_MS: 300 },
    });

    const refused = ask(stage, victim, 'good');

    expect(await refused.status).toBe(503);
    expect((await refused.headers)['retry-after']).toBe('5');
    expect(await refused.body).toMatch(/max_concurrent.*within 0\.3 s/);
    expect(await metricOf(stage, /slot_refusals_total\{.*reason="time"/)).toBe(1);
  });

  it('does not wait at all with TEXT_QUEUE_MS=0', async () => {
    const { stage, victim } = await occupied({
      slots: 1,
      waiting: 0,
      settings: { TEXT_QUEUE_MS: 0 },
    });

    expect(await ask(stage, victim, 'good').status).toBe(503);
    expect(await metricOf(stage, /slot_wait_seconds_count/)).toBe(0);
  });

  it('is taken out when its client leaves, reaches no upstream and costs nothing', async () => {
    const { upstream, stage, victim } = await occupied({ slots: 1, waiting: 0 });
    const leaver = ask(stage, victim, 'gone', true);
    await waitingAre(stage, 1);
    const stayer = ask(stage, victim, 'stays');
    await waitingAre(stage, 2);

    const left = Promise.allSettled([leaver.status, leaver.headers]);
    leaver.leave();
    await left;
    await waitingAre(stage, 1);
    serve(upstream, 'long0');
    await arrived(upstream, 2);
    serve(upstream, 'stays');

    expect(await stayer.status).toBe(200);
    expect(namesAt(upstream)).toEqual(['long0', 'stays']);
    expect(await stage.usage(2)).toHaveLength(2);
    expect(await metricOf(stage, /slot_wait_seconds_count\{.*outcome="abandoned"/)).toBe(1);
  });

  it('gets pings, and its upstream has all its time for the first byte', async () => {
    const { upstream, stage, victim } = await occupied({
      slots: 1,
      waiting: 0,
      provider: ', first_byte_timeout_seconds: 3',
      settings: { TEXT_PING_MS: 300 },
    });
    // The first keeps its slot by what it sends.
    upstream.received[0]!.response.writeHead(200, { 'content-type': 'text/event-stream' });
    upstream.received[0]!.response.write(messagesEvents[0]);
    const client = ask(stage, victim, 'good', true);
    await eventually(
      () => {
        expect(client.text().split('event: ping').length).toBeGreaterThan(12);
      },
      { withinMs: 20_000 },
    );

    upstream.received[0]!.response.end(messagesEvents.slice(1).join(''));
    await arrived(upstream, 2);
    serve(upstream, 'good');

    expect(await client.status).toBe(200);
    expect(await client.body).toContain('message_stop');
  });

  it('ends with an error event when its time is up after a ping', async () => {
    const { stage, victim } = await occupied({
      slots: 1,
      waiting: 0,
      settings: { TEXT_PING_MS: 100, TEXT_QUEUE_MS: 600 },
    });

    const body = await ask(stage, victim, 'good', true).body;

    expect(body).toMatch(/event: ping[^]*event: error[^]*overloaded_error[^]*max_concurrent/);
  });

  it.each([
    [false, 529, /restarting/],
    [true, 200, /event: error[^]*restarting/],
  ])('is told when the replica stops (stream: %s)', async (stream, status, body) => {
    const { stage, victim, upstream } = await occupied({
      slots: 1,
      waiting: 0,
    });
    const client = ask(stage, victim, 'good', stream);
    await waitingAre(stage, 1);

    await stage.stopApi();

    expect(await client.status).toBe(status);
    expect(await client.body).toMatch(body);
    expect(upstream.received).toHaveLength(1);
  });

  it('is not sent to a route that has failed for everybody meanwhile', async () => {
    const { stage, victim, upstream } = await occupied({ slots: 1, waiting: 0 });
    const clients = Array.from({ length: 40 }, (_, at) => ask(stage, victim, `good${at}`));
    await waitingAre(stage, 40);

    // Nobody is served, and no request of a customer can be the reason.
    serve(upstream, 'long0');
    let isOver = false;
    const all = Promise.all(clients.map(({ status }) => status)).finally(() => {
      isOver = true;
    });
    let refused = 1;
    await eventually(
      () => {
        for (; refused < upstream.received.length; refused += 1) {
          const { response } = upstream.received[refused]!;
          response.writeHead(401, { 'content-type': 'application/json' }).end('{}');
        }
        expect(isOver).toBe(true);
      },
      { withinMs: 40_000 },
    );
    const statuses = await all;

    expect(statuses.filter((status) => status === 200)).toEqual([]);
    expect(upstream.received.length).toBeLessThan(20);
  });
});

describe('another route of the model', () => {
  it('serves a request at once while the first has no slot', async () => {
    const [full, free] = [await upstreamThat(() => undefined), await upstreamThat(behave)];
    const { stage, apiKey } = await stageWith({
      yaml: `
providers:
  one: { kind: messages, base_url: "${full.url}", api_key: "\${KEY}", max_concurrent: 1 }
  two: { kind: messages, base_url: "${free.url}", api_key: "\${KEY}" }
models:
  m: { kind: text, routes: [{ provider: one, model: m }, { provider: two, model: m, fallback: true }] }
${limits}`,
    });
    ask(stage, apiKey, 'long', true);
    await arrived(full, 1);

    expect(await ask(stage, apiKey, 'other').status).toBe(200);
    expect(full.received).toHaveLength(1);
    expect(await metricOf(stage, /slot_wait_seconds_count/)).toBe(0);
  });
});
