import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { marginReport, type Task } from '@gateway/contracts';
import { taskFailure } from '@gateway/domain';
import {
  createHolds,
  createMarginReads,
  createTaskEndings,
  createTaskMoves,
  createTaskTries,
  type VendorCost,
} from '@gateway/store';
import { anAccount, openTestDatabase, type TestDatabase } from '@gateway/testing';
import { aResult, contentOf, storiesOf, won, type Stories } from './stories.ts';

let test: TestDatabase;
let stories: Stories;
let accountId: string;
beforeEach(async () => {
  test = await openTestDatabase();
  accountId = (await anAccount(test.database, { quota: 10_000 })).id;
  stories = storiesOf(test.database, accountId);
});
afterEach(() => test.close());

const usd = (amount: string): VendorCost => ({ amount, currency: 'USD', source: 'calculated' });
const moves = () => createTaskMoves(test.database);

async function succeeded(seconds: number, cost?: VendorCost): Promise<Task> {
  const task = await stories.running();
  return won(
    await moves().move(task, 'stored', {
      changes: {
        step: 'done',
        result: aResult,
        billed: { seconds, quota: seconds * task.price.secondQuota },
      },
      media: [contentOf(task)],
      cost,
    }),
  );
}

const day = async (): Promise<string> =>
  (
    await test.database.pool.query<{ day: string }>(
      `SELECT (now() AT TIME ZONE 'UTC')::date::text AS day`,
    )
  ).rows[0]?.day ?? '';

const report = async (
  rates: Readonly<Record<string, number>> = { USD: 100 },
  period?: { from: string; to: string },
) => {
  const today = await day();
  const asked = period ?? { from: today, to: today };
  return marginReport(await createMarginReads(test.database).ofPeriod(asked), {
    ...asked,
    rates: new Map(Object.entries(rates)),
  });
};

describe('the margin of a day', () => {
  it('is what was billed without what vendors asked for, to the last digit', async () => {
    await succeeded(5, usd('0.1'));
    const task = await succeeded(3, usd('0.200000000001'));

    expect((await createTaskTries(test.database).ofTask(task.id))[0]).toMatchObject({
      vendorCost: '0.200000000001',
      vendorCurrency: 'USD',
      costSource: 'calculated',
    });
    const { data, total, exposures } = await report();
    const figures = {
      videos: 2,
      videos_without_cost: 0,
      revenue_quota: 80,
      costs: [{ currency: 'USD', cost: '0.300000000001', exposure: '0' }],
      cost_quota: 31,
      margin_quota: 49,
    };
    expect(data).toEqual([
      {
        object: 'margin',
        day: await day(),
        model: 'sandbox-video',
        provider: 'sandbox',
        ...figures,
      },
    ]);
    expect(total).toEqual(figures);
    expect(exposures).toEqual([]);
  });

  it('is not told while a cost is not known, or a currency has no rate', async () => {
    await succeeded(5, { amount: '2', currency: 'CNY', source: 'reported' });

    expect((await report()).total).toMatchObject({
      costs: [{ currency: 'CNY', cost: '2', exposure: '0' }],
      cost_quota: null,
      margin_quota: null,
    });
    await succeeded(5);
    expect((await report({ CNY: 5 })).total).toMatchObject({
      videos: 2,
      videos_without_cost: 1,
      cost_quota: 10,
      margin_quota: null,
    });
  });

  it('outlives the deletion of a task', async () => {
    const task = await succeeded(5, usd('0.35'));
    await createHolds(test.database).settle(task.id);
    const before = await report();
    const endings = createTaskEndings(test.database);

    expect(await endings.markDeleted(task.id, accountId)).toBe('marked');
    await endings.forget(task.id);

    expect(await report()).toEqual(before);
    expect(before.total).toMatchObject({ revenue_quota: 50, cost_quota: 35, margin_quota: 15 });
  });

  it('counts a lost output once, as exposure, and lists it', async () => {
    const running = await stories.running();
    const output = { videoUrl: 'https://v.example/x.mp4', seconds: 5 };
    const ingesting = won(await moves().stay(running, { step: 'ingest', vendorOutput: output }));

    won(
      await moves().move(ingesting, 'expired', {
        changes: {
          step: 'done',
          failure: taskFailure('output_unavailable'),
          billed: { seconds: 0, quota: 0 },
        },
        cost: usd('0.35'),
      }),
    );

    const { total, exposures } = await report();
    expect(total).toMatchObject({
      videos: 0,
      costs: [{ currency: 'USD', cost: '0', exposure: '0.35' }],
      margin_quota: -35,
    });
    expect(exposures).toMatchObject([
      {
        object: 'exposure',
        task_id: running.id,
        kind: 'output_lost',
        model: 'sandbox-video',
        vendor_cost: '0.35',
        vendor_currency: 'USD',
        cost_source: 'calculated',
      },
    ]);
  });

  it('shows exposure whose cost nobody knows', async () => {
    const task = await stories.ended('expired');

    await moves().recordExposure({
      taskId: task.id,
      kind: 'late_success',
      provider: 'sandbox',
      vendorTaskId: 'vendor-1',
      detail: 'late',
    });

    expect((await report()).exposures).toMatchObject([{ kind: 'late_success', vendor_cost: null }]);
  });

  it('is that of the days that were asked for, by UTC', async () => {
    const task = await succeeded(5, usd('0.1'));
    await test.database.pool.query(
      `UPDATE task_try SET ended_at = '2026-03-01T23:59:59.999Z' WHERE task_id = $1`,
      [task.id],
    );

    const of = async (from: string, to: string): Promise<unknown[]> =>
      (await report({}, { from, to })).data.map((row) => row.day);
    expect(await of('2026-03-01', '2026-03-01')).toEqual(['2026-03-01']);
    expect(await of('2026-03-02', '2026-03-05')).toEqual([]);
    expect(await of('2026-02-01', '2026-02-28')).toEqual([]);
  });
});
