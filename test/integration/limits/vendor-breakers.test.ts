import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { RouteFailure } from '../../../packages/limits/src/route-breakers.ts';
import { eventually } from '@gateway/testing';
import type { VendorPermit } from '@gateway/limits';
import { openDeployment, type Deployment, type Replica, type ReplicaOptions } from './replicas.ts';

let deployment: Deployment;
beforeEach(() => {
  deployment = openDeployment();
});
afterEach(() => deployment.close());

const vendor = 'ark http://vendor/api 0123';
const probeMs = 900;
/** Where Redis is there, a command that a busy machine holds up must not look as if it were not. */
const timings = {
  longestCoolDownMs: 1_200,
  probePermitMs: 300,
  probeMs,
  commandTimeoutMs: 30_000,
};
const replica = (options: ReplicaOptions = {}): Promise<Replica> =>
  deployment.replica({
    breakers: { failuresToOpen: 3, coolDownMs: 300 },
    timings,
    ...options,
  });

type Granted = Extract<VendorPermit, { kind: 'granted' }>;
const outage: RouteFailure = { of: 'everybody' };

function fail({ vendors }: Replica, accounts = ['a', 'b', 'c'], of: RouteFailure = outage): void {
  for (const account of accounts) {
    const permit = vendors.enter(vendor, account);
    if (permit.kind !== 'granted') throw new Error(`may not enter: ${permit.kind}`);
    permit.failed(of);
    permit.end();
  }
}
const verdicts = (all: readonly Replica[], account = 'a'): string[] =>
  all.map(({ vendors }) => vendors.judge(vendor, account));
const eventuallyAll = (all: readonly Replica[], state: string): Promise<void> =>
  eventually(
    () => {
      expect(all.map(({ vendors }) => vendors.states().get(vendor) ?? 'closed')).toEqual(
        all.map(() => state),
      );
    },
    { everyMs: 5 },
  );
/** The one probe that the replicas let through together. */
const eventuallyOneProbes = (all: readonly Replica[]): Promise<Granted> =>
  eventually(
    () => {
      const probes = all
        .map(({ vendors }) => vendors.enter(vendor, 'a'))
        .filter((permit): permit is Granted => permit.kind === 'granted');
      expect(probes).toHaveLength(1);
      return probes[0]!;
    },
    { everyMs: 5 },
  );

describe('the breaker before a vendor, over two replicas', () => {
  it('opens on both, offers its one trial to one of them, and closes on both', async () => {
    const all = [await replica(), await replica()];
    fail(all[0]!);
    await eventuallyAll(all, 'open');
    expect(verdicts(all)).toEqual(['open', 'open']);
    expect(all.map(({ vendors }) => vendors.admission(vendor).isOpen)).toEqual([true, true]);

    await eventually(
      () => {
        const trials = all.filter(({ vendors }) => vendors.admission(vendor).isTrial);
        expect(trials).toHaveLength(1);
      },
      { everyMs: 5 },
    );
    expect(all.map(({ vendors }) => vendors.admission(vendor).isTrial)).toEqual([false, false]);

    const probe = await eventuallyOneProbes(all);
    expect(verdicts(all, 'b')).not.toContain('go');
    probe.succeeded();
    probe.end();

    await eventuallyAll(all, 'closed');
    expect(verdicts(all)).toEqual(['go', 'go']);
  });

  it('lets a task be the probe on the replica that has it, whoever has the permit', async () => {
    const all = [await replica(), await replica()];
    fail(all[0]!);
    await eventuallyAll(all, 'open');
    const holder = await eventually(
      () => {
        const found = all.find(({ vendors }) => vendors.admission(vendor).isTrial);
        expect(found).toBeDefined();
        return found;
      },
      { everyMs: 5 },
    );
    const other = all.find((each) => each !== holder)!;

    await eventually(
      () => {
        expect(other.vendors.judge(vendor, 'a')).toBe('go');
      },
      { everyMs: 5 },
    );
    expect(other.vendors.enter(vendor, 'a')).toMatchObject({ kind: 'granted', isProbe: true });
  });

  it('is probed again after a prober was killed, when its lease has ended', async () => {
    const all = [await replica(), await replica()];
    fail(all[0]!);
    await eventuallyAll(all, 'open');
    const [first, second] = all as [Replica, Replica];
    await eventually(
      () => {
        expect(first.vendors.enter(vendor, 'a').kind).toBe('granted');
      },
      { everyMs: 5 },
    );
    const takenAt = Date.now();
    await first.check();
    first.die();

    await eventually(
      () => {
        expect(second.vendors.enter(vendor, 'a').kind).toBe('granted');
      },
      { everyMs: 5 },
    );
    expect(Date.now() - takenAt).toBeGreaterThanOrEqual(probeMs - 50);
  });

  it('pauses the account whose requests fail on both, and nobody else', async () => {
    const all = [await replica(), await replica()];
    let tasks = 0;
    for (let time = 0; time < 3; time += 1) {
      fail(all[0]!, ['a'], { of: 'account', once: `task ${(tasks += 1)}` });
    }

    await eventually(() => {
      expect(all.map(({ vendors }) => vendors.admission(vendor).paused)).toEqual([['a'], ['a']]);
    });
    expect(verdicts(all, 'b')).toEqual(['go', 'go']);
  });

  it('is open for a replica that starts later', async () => {
    const one = await replica({ breakers: { failuresToOpen: 3, coolDownMs: 30_000 } });
    fail(one);
    await eventually(async () => {
      expect((await deployment.keys()).some((key) => key.endsWith('circuits'))).toBe(true);
    });

    expect(verdicts([await replica()])).toEqual(['open']);
  });

  it('works on each replica by itself while Redis is gone', async () => {
    const all = [await replica({ isCut: true }), await replica({ isCut: true })];
    expect(verdicts(all)).toEqual(['go', 'go']);

    fail(all[0]!);
    expect(verdicts(all)).toEqual(['open', 'go']);

    await eventually(() => {
      expect(all[0]!.vendors.admission(vendor).isTrial).toBe(true);
    });
    const probe = all[0]!.vendors.enter(vendor, 'a') as Granted;
    expect(probe.isProbe).toBe(true);
    probe.succeeded();
    probe.end();
    expect(verdicts(all)).toEqual(['go', 'go']);
  });

  it('goes on when Redis falls silent in the middle of a pause', async () => {
    const impatient = { timings: { ...timings, commandTimeoutMs: 300 } };
    const all = [await replica(impatient), await replica(impatient)];
    fail(all[0]!);
    await eventuallyAll(all, 'open');
    for (const each of all) each.fallSilent();

    for (const { vendors } of all) {
      const probe = await eventually(
        () => {
          const permit = vendors.enter(vendor, 'a');
          expect(permit.kind).toBe('granted');
          return permit as Granted;
        },
        { everyMs: 20, withinMs: 10_000 },
      );
      probe.succeeded();
      probe.end();
    }

    expect(verdicts(all)).toEqual(['go', 'go']);
  });
});
