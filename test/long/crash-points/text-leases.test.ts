/** @workers 3: it promises no times. */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { CrashPointName } from '@gateway/runtime';
import { eventually } from '@gateway/testing';
import { openCrashStage, pointsOf, quotaGiven, type CrashStage, type PointOf } from './stage.ts';

type Point = PointOf<'lease'>;

const patience = { withinMs: 60_000, everyMs: 200 };
const died: CrashPointName[] = [];
/** Responses that the customer paid for. */
let completed = 0;

let stage: CrashStage;
beforeAll(async () => {
  stage = await openCrashStage({
    env: {
      api: { TEXT_LEASE_IDLE_SECONDS: '1' },
      billing: { USAGE_LEASE_SECONDS: '15' },
    },
  });
});
afterAll(async () => {
  await stage.close();
});

async function ask(): Promise<number | undefined> {
  const response = await stage.send('POST', '/v1/chat/completions', {
    model: 'sandbox-chat',
    messages: [{ role: 'user', content: 'hello' }],
  });
  if (response?.status === 200) completed += 1;
  return response?.status;
}

const openLeases = async (): Promise<number> => {
  const [row] = await stage.sql(
    `SELECT count(*) AS leases FROM text_lease WHERE state = 'open' AND account_id = $1`,
    stage.customer.accountId,
  );
  return Number(row?.['leases']);
};

async function dies(point: Point): Promise<void> {
  await stage.death(point);
  await stage.revive(point);
  died.push(point);
}

async function isRecorded(): Promise<void> {
  expect(
    await stage.sql(
      'SELECT count(*) AS records FROM usage_record WHERE account_id = $1',
      stage.customer.accountId,
    ),
  ).toEqual([{ records: completed }]);
}

/** What was used is charged once, nothing is held, and the account can spend on. */
async function isPaidAndFree(): Promise<void> {
  await eventually(async () => {
    expect(await ask()).toBe(200);
  }, patience);
  await eventually(async () => {
    expect(await openLeases()).toBe(0);
    await isRecorded();
  }, patience);
  await eventually(async () => {
    expect(await stage.gateway.admin('billing', 'verify', '--grace', '0')).toMatchObject({
      code: 0,
    });
  }, patience);
  const { body } = await stage.customer.request('GET', '/v1/billing/balance');
  const [row] = await stage.sql(
    'SELECT floor(sum(cost_nano) / 1000000000)::bigint AS cost FROM usage_record WHERE account_id = $1',
    stage.customer.accountId,
  );
  expect(body).toMatchObject({
    balance_quota: quotaGiven - Number(row?.['cost']),
    held_quota: 0,
  });
}

describe('a billing service that is killed while text is paid for', () => {
  it.each(['lease.asked', 'lease.settled'] as const)(
    'at %s leaves what the next request puts right',
    async (point) => {
      await stage.order(point);
      const under = ask();
      await dies(point);
      // The response itself may be lost or refused; nothing may be charged for it then.
      expect([200, 503]).toContain(await under);
      await isPaidAndFree();
    },
  );

  it('at lease.taken-back leaves quota of a dead replica that is given back once', async () => {
    expect(await ask()).toBe(200);
    // What ended within the last second is known to the process alone.
    await eventually(async () => {
      await isRecorded();
      expect(await openLeases()).toBe(1);
    }, patience);
    await stage.order('create.read');
    await stage.order('lease.taken-back');
    await stage.send('POST', '/v1/videos', { model: 'sandbox-video', prompt: 'x' });
    await stage.death('create.read');

    await dies('lease.taken-back');
    await stage.revive('create.read');

    await isPaidAndFree();
  });

  it('has died at every point that there is', () => {
    expect(died.sort()).toEqual(pointsOf('lease').sort());
  });
});
