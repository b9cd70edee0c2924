import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { eventually } from '@gateway/testing';
import { openDeployment, type Deployment, type Replica, type ReplicaOptions } from './replicas.ts';

let deployment: Deployment;
beforeEach(() => {
  deployment = openDeployment();
});
afterEach(() => deployment.close());

const rules = { failuresToOpen: 3, coolDownMs: 400 };
const replica = (options: ReplicaOptions = {}): Promise<Replica> =>
  deployment.replica({
    breakers: rules,
    timings: { longestCoolDownMs: 1_600, probePermitMs: 400, probeMs: 60_000 },
    ...options,
  });
const fail = ({ breakers: breakers }: Replica, times: number = rules.failuresToOpen): void => {
  for (let time = 0; time < times; time += 1) breakers.failed('route');
};
const statesOf = (all: readonly Replica[]): (string | undefined)[] =>
  all.map(({ breakers: breakers }) => breakers.states().get('route'));
const eventuallyAll = (all: readonly Replica[], state: string): Promise<void> =>
  eventually(
    () => {
      expect(new Set(statesOf(all))).toEqual(new Set([state]));
    },
    { everyMs: 5 },
  );

/**
 * Asks all replicas in turn until one may probe; returns which, after every one has been asked in
 * the same round.
 */
const eventuallyOneProbes = (all: readonly Replica[]): Promise<Replica> =>
  eventually(
    () => {
      const probing = all.filter(({ breakers: breakers }) => breakers.mayTry('route'));
      expect(probing).toHaveLength(1);
      return probing[0]!;
    },
    { everyMs: 5 },
  );

describe('a breaker over three replicas', () => {
  it('opens on all of them when it fails on one', async () => {
    const all = await Promise.all([replica(), replica(), replica()]);
    for (const { breakers: breakers } of all) expect(breakers.mayTry('route')).toBe(true);

    fail(all[0]);

    expect(all[0].breakers.mayTry('route')).toBe(false);
    await eventuallyAll(all, 'open');
    expect(all.map(({ breakers: breakers }) => breakers.mayTry('route'))).toEqual([
      false,
      false,
      false,
    ]);
  });

  it('is open for a replica that starts later', async () => {
    const one = await replica({ breakers: { ...rules, coolDownMs: 30_000 } });
    fail(one);
    await eventually(async () => {
      expect((await deployment.keys()).some((key) => key.endsWith('circuits'))).toBe(true);
    });

    const late = await replica({ breakers: rules });

    expect(late.breakers.mayTry('route')).toBe(false);
    expect(statesOf([late])).toEqual(['open']);
  });

  it('is probed once by one of them after the cool-down, and closes on all when that succeeds', async () => {
    const all = await Promise.all([replica(), replica(), replica()]);
    fail(all[0]);
    await eventuallyAll(all, 'open');

    const probing = await eventuallyOneProbes(all);
    const end = Date.now() + 1_000;
    while (Date.now() < end) {
      expect(all.filter(({ breakers: breakers }) => breakers.mayTry('route'))).toEqual([]);
      await probing.check();
    }
    probing.breakers.succeeded('route');

    await eventuallyAll(all, 'closed');
    expect(all.map(({ breakers: breakers }) => breakers.mayTry('route'))).toEqual([
      true,
      true,
      true,
    ]);
  });

  it('opens again on all of them, for longer, when the probe fails', async () => {
    const all = await Promise.all([replica(), replica(), replica()]);
    fail(all[0]);
    await eventuallyAll(all, 'open');
    const probing = await eventuallyOneProbes(all);

    const openedAt = Date.now();
    fail(probing, 1);

    await eventuallyAll(all, 'open');
    await eventuallyOneProbes(all);
    expect(Date.now() - openedAt).toBeGreaterThanOrEqual(2 * rules.coolDownMs - 5);
  });

  it('lets the first request after the cool-down through when only one replica has requests', async () => {
    const all = await Promise.all([replica(), replica(), replica()]);
    fail(all[0]);
    await eventuallyAll(all, 'half_open');
    const busy = all[2];

    let refusals = 0;
    await eventually(
      () => {
        refusals += 1;
        expect(busy.breakers.mayTry('route')).toBe(true);
      },
      { everyMs: 20 },
    );

    expect(refusals).toBeLessThanOrEqual(5);
  });

  it('lets the very first request after the cool-down through on a replica that is alone', async () => {
    const one = await replica();
    fail(one);
    await eventuallyAll([one], 'half_open');

    expect(one.breakers.mayTry('route')).toBe(true);
    expect(one.breakers.mayTry('route')).toBe(false);
  });

  it('is probed by another replica when the one with the permit to probe has died', async () => {
    const [one, two] = [await replica(), await replica()];
    fail(one);
    await eventuallyAll([one, two], 'half_open');
    one.die();

    await eventuallyOneProbes([two]);
  });

  it('is probed again when nobody says how the probe ended', async () => {
    const forgetful = (): Promise<Replica> =>
      replica({ timings: { longestCoolDownMs: 1_600, probePermitMs: 400, probeMs: 300 } });
    const all = [await forgetful(), await forgetful()];
    fail(all[0]!);
    await eventuallyAll(all, 'open');
    await eventuallyOneProbes(all);

    await eventuallyOneProbes(all);
  });
});

describe('the breakers of a route over two replicas', () => {
  const failures = (accounts: readonly string[], { routes }: Replica): void => {
    for (const account of accounts) routes.failed('vendor/model', account, { of: 'account' });
  };
  const refused = ({ routes }: Replica, accounts: readonly string[]): string[] =>
    accounts.filter((account) => !routes.mayTry('vendor/model', account));

  it('refuse one account on both of them, and then everybody', async () => {
    const [one, two] = [await replica(), await replica()];
    const accounts = ['hostile', 'unlucky', 'new'];

    failures(['hostile', 'hostile', 'hostile'], one);
    await eventually(() => {
      expect(refused(two, accounts)).toEqual(['hostile']);
    });
    expect(refused(one, accounts)).toEqual(['hostile']);

    failures(['unlucky'], one);
    await eventually(() => {
      expect(refused(two, accounts)).toEqual(accounts);
    });
    expect(two.routes.states().get('vendor/model')).toBe('open');
  });
});
