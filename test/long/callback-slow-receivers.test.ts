import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import {
  anAccount,
  eventually,
  openReceiver,
  type Received,
  type Receiver,
} from '@gateway/testing';
import type { ServerResponse } from 'node:http';
import { openStage, type Stage } from '../component/callback-dispatcher-stage.ts';

let stage: Stage;
const receivers: Receiver[] = [];

beforeEach(async () => {
  stage = await openStage();
});
afterEach(async () => {
  for (const receiver of receivers.splice(0)) await receiver.close();
  await stage.close();
});

async function aReceiver(misbehave?: Parameters<typeof openReceiver>[0]): Promise<Receiver> {
  const receiver = await openReceiver(misbehave);
  receivers.push(receiver);
  return receiver;
}

interface SlowReceiver extends Receiver {
  /** Requests that came and were not responded to. */
  inFlight(): number;
  /** Responds to all that it let hang, and from now on at once. */
  recover(): void;
}

/** Never responds, or lets its response trickle, to the challenge too. */
async function aSlowReceiver(kind: 'silent' | 'trickling'): Promise<SlowReceiver> {
  const hanging = new Map<ServerResponse, () => void>();
  let isWell = false;
  const hold = ({ body }: Received, response: ServerResponse): boolean => {
    if (isWell) return false;
    const { challenge } = JSON.parse(body.toString()) as { challenge?: string };
    const end = `"challenge":${JSON.stringify(challenge ?? null)}}`;
    if (kind === 'silent') hanging.set(response, () => response.end(`{${end}`));
    else {
      response.write('{');
      const timer = setInterval(() => response.write(' '), 100).unref();
      hanging.set(response, () => response.end(end));
      response.once('finish', () => {
        clearInterval(timer);
      });
      response.once('close', () => {
        clearInterval(timer);
      });
    }
    response.once('close', () => hanging.delete(response));
    return true;
  };
  const receiver = await aReceiver(hold);
  return Object.assign(receiver, {
    inFlight: () => hanging.size,
    recover() {
      isWell = true;
      for (const respond of hanging.values()) respond();
    },
  });
}

const accountOf = async (): Promise<string> =>
  (await anAccount(stage.test.database, { quota: 1_000_000 })).id;
const undelivered = async (): Promise<number> =>
  (await stage.sql(`SELECT 1 FROM callback_push WHERE state = 'pending'`)).length;

/** Milliseconds until each of so many new tasks of the account was pushed, one after the other. */
async function delaysOf(accountId: string, receiver: Receiver, count: number): Promise<number[]> {
  const delays: number[] = [];
  for (let index = 0; index < count; index += 1) {
    const createdAt = Date.now();
    const { id } = await stage.create(receiver.url, { accountId });
    delays.push(
      await eventually(
        () => {
          const push = receiver.pushes().find(({ body }) => body.id === id);
          expect(push).toBeDefined();
          return push!.at - createdAt;
        },
        { everyMs: 5 },
      ),
    );
  }
  return delays;
}

describe('twenty accounts whose receivers hang', () => {
  it('delay nobody else, and get what they are owed once they respond', async () => {
    // Nothing that hangs ends by itself within this test. The accounts could fill it.
    await stage.start({
      CALLBACK_CONCURRENCY: '100',
      CALLBACK_TIMEOUT_MS: '60000',
      CALLBACK_SWEEP_MS: '500',
    });
    const slow = await Promise.all(
      Array.from({ length: 20 }, (_, index) =>
        aSlowReceiver(index % 2 === 0 ? 'silent' : 'trickling'),
      ),
    );
    const accounts = await Promise.all(slow.map(accountOf));
    const [known, unknown] = [await aReceiver(), await aReceiver()];
    const ownAccount = await accountOf();
    const quiet = await delaysOf(ownAccount, known, 5);

    for (let round = 0; round < 6; round += 1) {
      await Promise.all(
        slow.map(({ url }, index) => stage.create(url, { accountId: accounts[index]! })),
      );
    }
    await eventually(() => {
      expect(slow.filter((each) => each.inFlight() > 0)).toHaveLength(20);
    });
    const delays = [
      ...(await delaysOf(ownAccount, known, 15)),
      ...(await delaysOf(await accountOf(), unknown, 5)),
      ...(await delaysOf(accounts[0]!, await aReceiver(), 5)), // of one of the twenty, elsewhere
    ];

    // On a machine that does much else all are slow; whoever waited behind what hangs would wait
    // for a minute.
    expect(Math.max(...delays)).toBeLessThan(Math.max(2_000, 4 * Math.max(...quiet)));
    expect(slow.reduce((sum, each) => sum + each.inFlight(), 0)).toBeLessThanOrEqual(60);
    await eventually(async () => {
      expect(await undelivered()).toBe(120);
    });

    for (const each of slow) each.recover();

    await eventually(
      async () => {
        expect(await undelivered()).toBe(0);
      },
      { withinMs: 30_000 },
    );
    expect(slow.map((each) => each.pushes().length)).toEqual(Array(20).fill(6));
    expect(await stage.sql('SELECT 1 FROM callback WHERE failures > 0')).toEqual([]);
  });

  it('wait as rows and nothing else: whoever is put off has no job and costs no attempt', async () => {
    const dispatcher = await stage.start({
      CALLBACK_CONCURRENCY: '20',
      CALLBACK_TIMEOUT_MS: '60000',
    });
    const slow = await aSlowReceiver('silent');
    const accountId = await accountOf();
    const tasks = await Promise.all(
      Array.from({ length: 30 }, () => stage.create(slow.url, { accountId })),
    );

    await eventually(async () => {
      expect(
        await stage.sql('SELECT 1 FROM callback WHERE waiting_for = $1', [
          `${accountId} ${slow.url}`,
        ]),
      ).toHaveLength(30 - slow.inFlight());
    });

    expect(slow.inFlight()).toBeLessThanOrEqual(5);
    const metrics = await (await fetch(`${dispatcher.opsUrl}/metrics`)).text();
    expect(metrics).toMatch(/gateway_queue_jobs\{[^}]*state="delayed"[^}]*\} 0/);
    expect(metrics).toMatch(/gateway_receivers_waited_for\{[^}]*\} 1/);
    expect(
      await stage.sql('SELECT 1 FROM callback WHERE task_id = ANY($1) AND attempts > 0', [
        tasks.map(({ id }) => id),
      ]),
    ).toEqual([]);
  });
});
