/** @workers 3: it promises no times. */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { readFile, writeFile } from 'node:fs/promises';
import type { VideoResource } from '@gateway/contracts';
import type { CrashPointName } from '@gateway/runtime';
import { eventually } from '@gateway/testing';
import { openCrashStage, quotaGiven, type CrashStage } from './stage.ts';

/** Every point between a hold and its task. */
const points = [
  'hold.taken',
  'create.held',
  'create.references-stored',
] as const satisfies readonly CrashPointName[];
const changes = [
  ['up', 60, 90],
  ['down', 90, 60],
] as const;

let stage: CrashStage;
beforeAll(async () => {
  stage = await openCrashStage({ env: { billing: { ORPHAN_GRACE_SECONDS: '300' } } });
});
afterAll(async () => {
  await stage.close();
});

const body = { model: 'sandbox-video', prompt: 'x', duration: 4, resolution: '480p' };

/** Writes the price of a second at 480p, and waits until the api goes by it. */
async function setPrice(secondQuota: number): Promise<void> {
  const file = stage.gateway.configFile;
  const text = await readFile(file, 'utf8');
  await writeFile(file, text.replaceAll(/480p: \d+/g, `480p: ${secondQuota}`));
  await eventually(
    async () => {
      const { body: quote } = await stage.customer.request('POST', '/v1/videos/quote', body);
      expect(quote).toMatchObject({ portal_billing: { second_quota: secondQuota } });
    },
    { withinMs: 30_000, everyMs: 200 },
  );
}

let spent = 0;
const made: string[] = [];

describe.each(points)('a service that is killed at %s', (point) => {
  it.each(changes)(
    'leaves a creation that costs what is held when the price goes %s',
    async (what, before, after) => {
      await setPrice(before);
      const headers = { 'idempotency-key': `${point} ${what}` };
      await stage.order(point);
      const under = stage.send('POST', '/v1/videos', body, headers);
      await stage.death(point);
      await stage.revive(point);
      await under;
      expect(await heldWithoutTask()).toEqual([{ second_quota: before }]);
      await setPrice(after);

      const created = await eventually(
        async () => {
          const response = await stage.customer.request('POST', '/v1/videos', body, headers);
          expect(response.status).toBe(200);
          return response.body as VideoResource;
        },
        { withinMs: 30_000, everyMs: 100 },
      );

      expect(created.portal_billing).toMatchObject({
        second_quota: before,
        max_billing_quota: 4 * before,
      });
      spent += 4 * before;
      made.push(created.id);
    },
  );
});

const heldWithoutTask = () =>
  stage.sql(
    `SELECT second_quota FROM hold h WHERE state = 'open' AND NOT EXISTS (SELECT 1 FROM task t WHERE t.id = h.task_id)`,
  );

describe('what the customer pays', () => {
  it('is what each task showed, and the books are right', async () => {
    for (const id of made) {
      const { portal_billing: billing } = await stage.customer.until(id, 'succeeded');
      expect(billing.billed_quota).toBe(billing.max_billing_quota);
    }
    await eventually(
      async () => {
        const { body: balance } = await stage.customer.request('GET', '/v1/billing/balance');
        expect(balance).toMatchObject({ balance_quota: quotaGiven - spent, held_quota: 0 });
      },
      { withinMs: 30_000 },
    );
    expect(made).toHaveLength(points.length * changes.length);
    expect(await stage.gateway.admin('billing', 'verify', '--grace', '0')).toMatchObject({
      code: 0,
    });
  });
});
