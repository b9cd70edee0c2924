/** @workers 3: it promises no times. */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { crashPoints, type CrashPointName } from '@gateway/runtime';
import { eventually, openReceiver } from '@gateway/testing';
import { openCrashStage, pointsOf, succeeds, type CrashStage, type PointOf } from './stage.ts';

interface Scenario {
  /**
   * Which message the receiver gets a second time, under the same id: the challenge, or the event
   * with this number.
   */
  readonly again?: 'challenge' | 1;
}

const scenarios: Readonly<Record<PointOf<'verify' | 'push'>, Scenario>> = {
  'verify.claimed': {},
  'verify.posted': { again: 'challenge' },
  'verify.recorded': {},
  'push.claimed': {},
  'push.posted': { again: 1 },
  'push.recorded': {},
};

const inOrder = Object.keys(scenarios) as (keyof typeof scenarios)[];
const tasks = new Map<CrashPointName, string>();

let stage: CrashStage;
beforeAll(async () => {
  stage = await openCrashStage();
});
afterAll(async () => {
  await stage.close();
});

/** The bodies that the receiver got under this id, each once. */
const bodiesOf = (id: string): { readonly times: number; readonly bodies: ReadonlySet<string> } => {
  const own = stage.receiver.received
    .filter(({ headers }) => headers['webhook-id'] === id)
    .map(({ body }) => body.toString());
  return { times: own.length, bodies: new Set(own) };
};

describe('a callback-dispatcher that is killed', () => {
  it.each(inOrder)('at %s dies there', async (point) => {
    await stage.gateway.suite.stopService(crashPoints[point].service);
    const id = await stage.create('x');
    tasks.set(point, id);
    await stage.order(point, id);
    stage.launch(crashPoints[point].service);
    await stage.death(point);
    if (point === inOrder.at(-1)) await stage.revive(point);
  });

  it('has died at every point that it has', () => {
    expect([...tasks.keys()].sort()).toEqual(pointsOf('verify', 'push').sort());
  });

  it.each(inOrder)('at %s leaves a task of which every status arrives, in order', async (point) => {
    const id = tasks.get(point)!;
    await stage.endsAs(id, succeeds);
    const suffix = id.slice(id.indexOf('_') + 1);
    const { again }: Scenario = scenarios[point];
    for (const message of ['challenge', 1] as const) {
      const { times, bodies } = bodiesOf(`msg_${suffix}_${message}`);
      expect(bodies.size).toBe(1);
      expect(times).toBeGreaterThanOrEqual(message === again ? 2 : 1);
    }
  });
});

const ofEndpoints = ['push.claimed', 'push.posted', 'push.recorded'] as const;

describe('a callback-dispatcher that is killed while it pushes to an endpoint', () => {
  it.each(ofEndpoints)('at %s pushes every status there, in order', async (point) => {
    const receiver = await openReceiver();
    const made = await stage.send('POST', '/v1/webhook-endpoints', { url: receiver.url });
    const { id: endpointId } = made!.body as { id: string };
    await stage.gateway.suite.stopService(crashPoints[point].service);
    const id = await stage.create('x');
    await stage.order(point, `${id}.${endpointId}`);
    stage.launch(crashPoints[point].service);
    await stage.death(point);
    await stage.revive(point);

    await stage.endsAs(id, succeeds);
    const sequences = () =>
      receiver.received
        .filter(({ headers }) => headers['x-gateway-task'] === id)
        .map(({ headers }) => Number(headers['x-gateway-sequence']));
    await eventually(
      () => {
        expect([...new Set(sequences())]).toEqual([1, 2, 3]);
      },
      { withinMs: 60_000 },
    );
    expect(sequences()).toEqual(sequences().toSorted((one, other) => one - other));
    expect(sequences().filter((each) => each === 1)).toHaveLength(point === 'push.posted' ? 2 : 1);
    await stage.send('DELETE', `/v1/webhook-endpoints/${endpointId}`);
    await receiver.close();
  });

  it('leaves books that are right', async () => {
    await stage.booksAreRight(inOrder.length + ofEndpoints.length);
  });
});
