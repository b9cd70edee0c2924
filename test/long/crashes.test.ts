import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Redis } from 'ioredis';
import type { VideoResource } from '@gateway/contracts';
import { isTerminal } from '@gateway/domain';
import { eventually, openReceiver, type Receiver } from '@gateway/testing';
import { openSuite, type Customer, type SuiteUnderTest } from '../e2e/harness.ts';
import { deleteKeys } from '../integration/queue/delete-keys.ts';

let gateway: SuiteUnderTest;
let receiver: Receiver;
let customer: Customer;
beforeAll(async () => {
  [gateway, receiver] = await Promise.all([openSuite(), openReceiver()]);
  customer = await gateway.aCustomer(1_000_000);
});
afterAll(async () => {
  await receiver.close();
  await gateway.close();
});

/** The task once it has a status that never changes. */
const terminal = (id: string): Promise<VideoResource> =>
  eventually(
    async () => {
      const { body } = await customer.request('GET', `/v1/videos/${id}`);
      const task = body as VideoResource;
      if (!isTerminal(task.status)) throw new Error(`task is ${task.status}`);
      return task;
    },
    { withinMs: 60_000, everyMs: 200 },
  );

const services = ['video-worker', 'callback-dispatcher', 'billing', 'api'] as const;

describe('a suite whose services are killed in the middle of load', () => {
  it('loses no task, renders none twice, bills each once and pushes every final status', async () => {
    const ids: string[] = [];
    for (const [index, service] of services.entries()) {
      ids.push(
        ...(
          await Promise.all(
            Array.from({ length: 5 }, (_unused, number) =>
              customer.create({
                model: 'sandbox-video',
                prompt: `video ${index}-${number}`,
                duration: 4,
                resolution: '480p',
                callback_url: receiver.url,
              }),
            ),
          )
        ).map(({ id }) => id),
      );
      gateway.suite.kill(service, 'SIGKILL');
      await eventually(
        async () => {
          expect((await fetch(`${gateway.suite.opsUrlOf(service)}/readyz`)).status).toBe(200);
        },
        { withinMs: 20_000, everyMs: 100 },
      );
    }

    const ended = await Promise.all(ids.map((id) => terminal(id)));

    // A worker killed between the committed intent and the call leaves a task that must not be sent
    // again.
    const succeeded = ended.filter(({ status }) => status === 'succeeded');
    const unknown = ended.filter(({ error }) => error?.code === 'submission_unknown');
    expect(succeeded.length + unknown.length).toBe(ids.length);
    expect(succeeded.length).toBeGreaterThanOrEqual(15);
    expect(succeeded.every(({ portal_billing: { billed_quota: billed } }) => billed === 240)).toBe(
      true,
    );
    expect(unknown.every(({ portal_billing: { billed_quota: billed } }) => billed === 0)).toBe(
      true,
    );
    const stats = (await (await fetch(`${gateway.suite.sandboxUrl}/control/stats`)).json()) as {
      creates_accepted: number;
    };
    expect(stats.creates_accepted).toBe(succeeded.length);
    await eventually(
      () => {
        for (const { id, status } of ended) {
          expect(
            receiver
              .pushes()
              .filter(({ body }) => body.id === id)
              .at(-1)?.body.status,
          ).toBe(status);
        }
      },
      { withinMs: 60_000, everyMs: 200 },
    );
    await eventually(async () => {
      expect((await gateway.admin('billing', 'verify', '--grace', '0')).code).toBe(0);
    });
    expect(
      JSON.parse(
        (await gateway.admin('account', 'balance', '--account', customer.accountId, '--json'))
          .output,
      ),
    ).toMatchObject({ balance_quota: 1_000_000 - succeeded.length * 240, held_quota: 0 });
  });

  it('finishes what it was doing although every job in Redis is gone', async () => {
    const created = await Promise.all(
      Array.from({ length: 5 }, (_unused, number) =>
        customer.create({
          model: 'sandbox-video',
          prompt: `[slow=1] flushed ${number}`,
          duration: 4,
          resolution: '480p',
          callback_url: receiver.url,
        }),
      ),
    );
    const redis = new Redis(gateway.suite.redisUrl);
    expect(await deleteKeys(redis, `${gateway.queuePrefix}:*:*`)).toBeGreaterThan(0);
    redis.disconnect();

    await Promise.all(created.map(({ id }) => customer.until(id, 'succeeded', 80_000)));

    await eventually(
      () => {
        for (const { id } of created) {
          expect(
            receiver
              .pushes()
              .filter(({ body }) => body.id === id)
              .map(({ body }) => body.status)
              .at(-1),
          ).toBe('succeeded');
        }
      },
      { withinMs: 30_000 },
    );
  });
});
