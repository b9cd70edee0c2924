import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { VideoResource } from '@gateway/contracts';
import { eventually } from '@gateway/testing';
import { startChaosStack, type ChaosStack } from '../chaos/chaos-stack.ts';
import { readVendorTasks } from '../chaos/checks/evidence.ts';
import { call, type CallOutcome } from '../chaos/customer.ts';
import { isReady } from '../chaos/disturb.ts';
import { chaosEnvironment } from '../chaos/run.ts';
import type { StackCustomer } from '../chaos/stack.ts';
import type { Peer } from '../chaos/wires.ts';

/*
 * A peer that falls silent as a lost node does: nothing arrives, and nothing is closed. Then another
 * server answers at its address, or the network comes back.
 */

const silentMs = 12_000;
const noticedWithinMs = 10_000;
const goesOnWithinMs = 30_000;

let stack: ChaosStack;
let customer: StackCustomer;
beforeAll(async () => {
  stack = await startChaosStack({
    doubled: [],
    log: () => undefined,
    env: {
      ...chaosEnvironment,
      // A vendor is asked for a lost submission for longer than it is silent here, as by default.
      'video-worker': { ...chaosEnvironment['video-worker'], SUBMISSION_UNKNOWN_AFTER_MS: '90000' },
    },
  });
  customer = await stack.aCustomer(10_000_000);
});
afterAll(() => stack.stop());

const create = (prompt: string): Promise<CallOutcome> =>
  call({
    method: 'POST',
    url: `${stack.suite.baseUrl}/v1/videos`,
    apiKey: customer.apiKey,
    body: { model: 'sandbox-video', prompt, duration: 4, resolution: '480p' },
  });

const statusOf = (response: CallOutcome): number | string =>
  response.kind === 'responded' ? response.status : response.kind;

async function aVideo(prompt: string): Promise<string> {
  const response = await create(prompt);
  expect(statusOf(response)).toBe(200);
  return ((response as { body: unknown }).body as VideoResource).id;
}

async function ends(id: string): Promise<void> {
  const response = await call({
    method: 'GET',
    url: `${stack.suite.baseUrl}/v1/videos/${id}`,
    apiKey: customer.apiKey,
  });
  expect(response).toMatchObject({ status: 200, body: { status: 'succeeded' } });
}

const pause = (ms: number): Promise<void> =>
  new Promise((resolve) => {
    setTimeout(resolve, ms);
  });

/** How long it took until `/readyz` was no 200; undefined when that did not happen in time. */
async function unreadyAfter(service: string): Promise<number | undefined> {
  const startedAt = performance.now();
  for (;;) {
    const elapsedMs = performance.now() - startedAt;
    if (elapsedMs > silentMs) return undefined;
    if (!(await isReady(stack.suite, service))) return elapsedMs;
    await pause(50);
  }
}

interface Silence {
  readonly peer: Peer;
  /** Who says so at `/readyz`. */
  readonly noticedBy: readonly string[];
  /** What customers get for a creation meanwhile. */
  readonly meanwhile: 200 | 503;
  readonly end: 'replace' | 'mend';
}

const silences: readonly Silence[] = [
  {
    peer: 'postgres',
    noticedBy: ['api', 'billing', 'video-worker'],
    meanwhile: 503,
    end: 'replace',
  },
  { peer: 'redis', noticedBy: ['video-worker'], meanwhile: 200, end: 'replace' },
  { peer: 'billing', noticedBy: [], meanwhile: 503, end: 'replace' },
  // A submission that another vendor never had ends as unknown; it is not sent twice.
  { peer: 'vendor', noticedBy: [], meanwhile: 200, end: 'mend' },
  // A request to another storage is given a minute to be answered, and then sent again.
  { peer: 'storage', noticedBy: ['video-worker'], meanwhile: 200, end: 'mend' },
];

describe('a peer that falls silent', () => {
  it.each(silences)(
    '$peer: customers get a $meanwhile, and work goes on',
    async ({ peer, noticedBy, meanwhile, end }) => {
      const before = await aVideo(`before ${peer} fell silent`);
      stack.wires.of[peer].fallSilent();
      const over = pause(silentMs);

      const [during, noticed] = await Promise.all([
        create(`while ${peer} is silent`),
        Promise.all(noticedBy.map(unreadyAfter)),
        over,
      ]);
      stack.wires.of[peer][end]();

      expect(statusOf(during)).toBe(meanwhile);
      for (const ms of noticed) expect(ms).toBeLessThan(noticedWithinMs);
      const after = await eventually(() => aVideo(`after ${peer} was silent`), {
        withinMs: goesOnWithinMs,
        everyMs: 100,
      });
      await eventually(() => Promise.all([before, after].map(ends)), {
        withinMs: goesOnWithinMs,
        everyMs: 250,
      });
    },
  );

  it('has made nothing twice, and the books are right', async () => {
    const asked = (await readVendorTasks(stack.suite.sandboxUrl)).map(
      ({ safety_identifier: taskId }) => taskId,
    );
    expect(new Set(asked).size).toBe(asked.length);
    await expect(stack.admin('billing', 'verify', '--grace', '0')).resolves.toMatchObject({
      code: 0,
    });
  });
});
