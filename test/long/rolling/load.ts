import { expect } from '@jest/globals';
import type { VideoResource } from '@gateway/contracts';
import { eventually } from '@gateway/testing';
import { openBalancer, type Balancer } from '../../chaos/balancer.ts';
import { readTasks, readVendorTasks } from '../../chaos/checks/evidence.ts';
import { call, type Call, type CallOutcome } from '../../chaos/customer.ts';
import { isReady } from '../../chaos/disturb.ts';
import { chaosEnvironment } from '../../chaos/run.ts';
import { startStack, type Stack, type StackCustomer } from '../../chaos/stack.ts';
import { askText, type TextExperience } from '../../chaos/text.ts';

const replicated = ['api', 'billing', 'video-worker', 'callback-dispatcher'] as const;
/** Two of each. */
const replicas: readonly string[] = replicated.flatMap((name) => [name, `${name}-2`]);
const everyMs = { video: 250, text: 500 };
/** Kubernetes waits for so long before it kills. */
const graceMs = 30_000;

/** The suite twice, behind balancers that pass a connection on when a replica refuses it. */
export interface RollingStage {
  readonly stack: Stack;
  readonly api: Balancer;
  readonly customer: StackCustomer;
  readonly close: () => Promise<void>;
}

/** `release`: the checkout whose programs run; this one when left out. */
export async function openRollingStage(release?: string): Promise<RollingStage> {
  const [api, billing] = await Promise.all([openBalancer(), openBalancer()]);
  const env = {
    ...chaosEnvironment,
    api: { BILLING_URL: billing.url },
    'billing-2': chaosEnvironment.billing,
    'api-2': { BILLING_URL: billing.url },
  };
  const stack = await startStack({
    doubled: replicated,
    log: () => undefined,
    release,
    env: {
      ...env,
      'sandbox-vendor': { ...chaosEnvironment['sandbox-vendor'], SANDBOX_TOKENS_PER_SECOND: '25' },
    },
  });
  for (const [balancer, name] of [
    [api, 'api'],
    [billing, 'billing'],
  ] as const) {
    balancer.serve([stack.suite.urlOf(name), stack.suite.urlOf(`${name}-2`)]);
  }
  return {
    stack,
    api,
    customer: await stack.aCustomer(10_000_000),
    async close() {
      await stack.stop();
      await Promise.all([api.close(), billing.close()]);
    },
  };
}

interface Replaced {
  readonly process: string;
  readonly how: string;
  readonly tookMs: number;
}

/** SIGTERM; waits until it has ended and the one in its place is ready. */
async function replace(stack: Stack, process: string): Promise<Replaced> {
  const before = stack.ended.length;
  const askedAt = Date.now();
  stack.suite.kill(process, 'SIGTERM');
  const ended = await eventually(
    () => {
      const found = stack.ended.slice(before).find((one) => one.process === process);
      if (found === undefined) throw new Error(`${process} has not ended`);
      return found;
    },
    { withinMs: graceMs },
  );
  await eventually(
    async () => {
      expect(await isReady(stack.suite, process)).toBe(true);
    },
    { withinMs: 20_000, everyMs: 50 },
  );
  return { process, how: ended.how, tookMs: ended.atMs - askedAt };
}

/** Replaces every replica, one after the other; each ends in order and within its grace period. */
export async function replaceAll(stack: Stack): Promise<void> {
  const replaced: Replaced[] = [];
  for (const process of replicas) replaced.push(await replace(stack, process));
  expect(replaced.map(({ process, how }) => `${process}: ${how}`)).toEqual(
    replicas.map((process) => `${process}: exit code 0`),
  );
  expect(Math.max(...replaced.map(({ tookMs }) => tookMs))).toBeLessThan(graceMs);
}

export interface Load {
  readonly creations: readonly Promise<CallOutcome>[];
  readonly streams: readonly Promise<TextExperience>[];
  /**
   * A connection that the system has taken and the process has not, at the moment at which it stops
   * listening, is reset before a byte of it was read. Nobody can help that but who stops sending
   * first, and a client with a key just asks again.
   */
  readonly resets: readonly CallOutcome[];
  readonly stop: () => void;
}

/** Videos and text streams, steadily; resolves in the middle of it, when streams have ended too. */
export async function startLoad({ api, customer }: RollingStage): Promise<Load> {
  const creations: Promise<CallOutcome>[] = [];
  const streams: Promise<TextExperience>[] = [];
  const resets: CallOutcome[] = [];
  const callAgainAfterReset = async (request: Call): Promise<CallOutcome> => {
    const response = await call(request);
    if (response.kind !== 'broken' || response.begun) return response;
    resets.push(response);
    return call(request);
  };
  const video = setInterval(() => {
    const body = {
      model: 'sandbox-video',
      prompt: `rolling ${creations.length % 8}`,
      duration: 4,
      resolution: '480p',
    };
    creations.push(
      callAgainAfterReset({
        ...customer,
        method: 'POST',
        url: `${api.url}/v1/videos`,
        body,
        headers: { 'idempotency-key': `rolling-${creations.length}` },
      }),
    );
  }, everyMs.video);
  const text = setInterval(() => {
    streams.push(
      askText(
        { ref: `stream-${streams.length}`, atMs: 0, stream: true },
        { baseUrl: api.url, customer },
      ),
    );
  }, everyMs.text);
  await eventually(() => {
    expect(streams.length).toBeGreaterThan(2);
  });
  await streams[0];
  return {
    creations,
    streams,
    resets,
    stop() {
      clearInterval(video);
      clearInterval(text);
    },
  };
}

/** Every creation got its 200 and its one render, every stream its last line and its one record. */
export async function expectNothingLost(
  { stack }: RollingStage,
  { creations, streams, resets }: Load,
  { resetsAllowed }: { readonly resetsAllowed: number },
): Promise<void> {
  const responses = await Promise.all(creations);
  expect(
    responses
      .map((response) => (response.kind === 'responded' ? response.status : response.kind))
      .filter((status) => status !== 200),
  ).toEqual([]);
  const asked = await Promise.all(streams);
  const unbegun = asked.filter(({ response }) => response.kind === 'broken' && !response.begun);
  expect(asked.filter((one) => !one.isWhole && !unbegun.includes(one))).toEqual([]);
  expect(resets.length + unbegun.length).toBeLessThanOrEqual(resetsAllowed);
  const ids = responses
    .map((response) => (response.kind === 'responded' ? (response.body as VideoResource).id : ''))
    .sort();
  await eventually(
    async () => {
      expect((await readTasks(stack.database)).map(({ id, status }) => `${id} ${status}`)).toEqual(
        ids.map((id) => `${id} succeeded`),
      );
    },
    { withinMs: 60_000, everyMs: 250 },
  );
  expect(
    (await readVendorTasks(stack.suite.sandboxUrl)).map((one) => one.safety_identifier).sort(),
  ).toEqual(ids);
  await eventually(
    async () => {
      expect((await stack.admin('billing', 'verify', '--grace', '0')).code).toBe(0);
    },
    { withinMs: 20_000, everyMs: 500 },
  );
  const { rows } = await stack.database.pool.query<{ request_id: string }>(
    'SELECT request_id FROM usage_record ORDER BY request_id',
  );
  expect(rows.map((row) => row.request_id)).toEqual(
    asked
      .filter(({ isWhole }) => isWhole)
      .map(({ order: wish }) => wish.ref)
      .sort(),
  );
}
