import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createGoneModels, type GoneModel, type GoneModels } from '@gateway/store';
import { openTestDatabase, type TestDatabase } from '@gateway/testing';
import { inTurn, morePools } from './books.ts';

let test: TestDatabase;
let models: GoneModels;
beforeAll(async () => {
  test = await openTestDatabase();
  models = createGoneModels(test.database);
});
afterAll(() => test.close());

const pause = { firstMs: 60_000, maxMs: 200_000 } as const;
let routes = 0;
const aRoute = () => {
  routes += 1;
  return { provider: `vendor-${routes}`, upstreamModel: 'model-1' };
};
type Route = ReturnType<typeof aRoute>;

const heardBy = (taskId: string, route: Route, by = models): Promise<boolean> =>
  by.heard(route, { taskId, detail: `${taskId} was told`, pause });
const known = async ({ provider }: Route): Promise<GoneModel | undefined> =>
  (await models.all()).find((model) => model.provider === provider);
const pauseMs = async (route: Route): Promise<number> => {
  const [row] = (
    await test.database.pool.query<{ ms: number }>(
      `SELECT (extract(epoch FROM paused_until - now()) * 1000)::float8 AS ms FROM gone_model WHERE provider = $1`,
      [route.provider],
    )
  ).rows;
  return row!.ms;
};
const pauseIsOver = (route: Route): Promise<unknown> =>
  test.database.pool.query(
    `UPDATE gone_model SET paused_until = now() - interval '1 second' WHERE provider = $1`,
    [route.provider],
  );

describe('a model that its vendor does not have', () => {
  it('is news once, however many replicas are told at the same moment', async () => {
    const route = aRoute();
    const pools = morePools(test.url, 3);
    const stores = pools.databases.map(createGoneModels);

    const news = await Promise.all(
      Array.from({ length: 30 }, (_, index) =>
        heardBy(`task-${index}`, route, inTurn(stores, index)),
      ),
    );

    await pools.close();
    expect(news.filter(Boolean)).toHaveLength(1);
    expect(await known(route)).toMatchObject({ refusals: 1, trialTaskId: null });
    expect(await pauseMs(route)).toBeGreaterThan(pause.firstMs - 20_000);
  });

  it('is tried again by one task after the pause, whose refusal makes the pause longer', async () => {
    const route = aRoute();
    await heardBy('first', route);
    expect(await models.beginTrial(route, 'early', 60_000)).toBe(false);
    await pauseIsOver(route);

    const trials = await Promise.all(
      ['a', 'b', 'c'].map((id) => models.beginTrial(route, id, 60_000)),
    );
    expect(trials.filter(Boolean)).toHaveLength(1);
    const { trialTaskId } = (await known(route))!;
    // It may ask again: its turn at the vendor may come later.
    expect(await models.beginTrial(route, trialTaskId!, 60_000)).toBe(true);

    // Sent before anybody knew: says nothing new.
    expect(await heardBy('straggler', route)).toBe(false);
    expect(await known(route)).toMatchObject({ refusals: 1, trialTaskId });
    expect(await heardBy(trialTaskId!, route)).toBe(false);
    expect(await known(route)).toMatchObject({ refusals: 2, trialTaskId: null });
    expect(await pauseMs(route)).toBeGreaterThan(pause.firstMs * 1.5);
  });

  it('is left out for a bounded time, however often it is refused', async () => {
    const route = aRoute();
    for (let time = 0; time < 40; time += 1) {
      await heardBy('task', route);
      await pauseIsOver(route);
    }
    await heardBy('task', route);

    expect(await known(route)).toMatchObject({ refusals: 41 });
    expect(await pauseMs(route)).toBeLessThanOrEqual(pause.maxMs);
  });

  it('is tried by another task when the one that tried it never came back', async () => {
    const route = aRoute();
    await heardBy('first', route);
    await pauseIsOver(route);
    await models.beginTrial(route, 'died', 60_000);
    expect(await models.beginTrial(route, 'next', 60_000)).toBe(false);
    await pauseIsOver(route);

    expect(await models.beginTrial(route, 'next', 60_000)).toBe(true);
  });

  it('is forgotten once', async () => {
    const route = aRoute();
    await heardBy('first', route);

    expect([await models.forget(route), await models.forget(route)]).toEqual([true, false]);
    expect(await known(route)).toBeUndefined();
    expect(await heardBy('again', route)).toBe(true);
  });
});
