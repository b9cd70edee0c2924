import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import {
  adoptSlots,
  beginUse,
  claimSlots,
  createSlotLease,
  forgetIdle,
  isExact,
  isFull,
  isOutOfStock,
  reviewSlots,
  stockOf,
  useSlot,
  type SlotLease,
} from '../../../packages/limits/src/slot-lease.ts';

const leaseWith = (change: Partial<SlotLease>): SlotLease =>
  Object.assign(createSlotLease(100), { validUntil: 1_000, uses: 10 }, change);

describe('the stock of idle slots', () => {
  it.each([
    [1, 0],
    [20, 0],
    [21, 1],
    [50, 2],
    [100, 4],
    [400, 16],
    [10_000, 16],
  ])('of a limit of %i is %i', (limit, stock) => {
    expect(stockOf(limit)).toBe(stock);
  });
});

describe('a lease of slots', () => {
  it.each<[string, Partial<SlotLease>, boolean]>([
    ['has an idle slot', { leased: 3, inUse: 2 }, true],
    ['has none idle', { leased: 3, inUse: 3 }, false],
    ['has run out', { leased: 3, inUse: 2, validUntil: 500 }, false],
    ['is larger than the limit by now', { leased: 30, inUse: 25, limit: 25 }, false],
  ])('that %s serves the next request, or not (%#)', (_what, change, expected) => {
    expect(useSlot(leaseWith(change), 500)).toBe(expected);
  });

  it.each<[string, Partial<SlotLease>, number, object]>([
    [
      'keeps what is idle and fills its stock up',
      { leased: 6, inUse: 5 },
      2,
      { inUse: 5, kept: 6, need: 2, extra: 3 },
    ],
    [
      'gives back what is idle when others want it',
      { leased: 6, inUse: 5, wantedUntil: 600 },
      0,
      { inUse: 5, kept: 5, need: 0, extra: 0 },
    ],
    [
      'gives back what is idle of a small limit',
      { limit: 20, leased: 6, inUse: 5 },
      1,
      { inUse: 5, kept: 5, need: 1, extra: 0 },
    ],
    [
      'gives up what is idle after it has run out',
      { leased: 6, inUse: 5, validUntil: 500 },
      1,
      { inUse: 5, kept: 5, need: 1, extra: 4 },
    ],
    [
      'asks for no stock when there was none',
      { leased: 5, inUse: 5, scarceUntil: 600 },
      1,
      { inUse: 5, kept: 5, need: 1, extra: 0 },
    ],
    [
      'asks for no stock when nobody uses it',
      { leased: 0, inUse: 0 },
      0,
      { inUse: 0, kept: 0, need: 0, extra: 0 },
    ],
    [
      'declares all in use, also above a lowered limit',
      { limit: 30, leased: 40, inUse: 35 },
      0,
      { inUse: 35, kept: 35, need: 0, extra: 1 },
    ],
  ])('%s', (_what, change, need, claim) => {
    const lease = leaseWith(change);

    expect(claimSlots(lease, 500, need)).toEqual(claim);
    expect(lease.leased).toBe((claim as { kept: number }).kept);
  });

  it('keeps what was in use at once and its stock at a review, and nothing when none was', () => {
    const lease = leaseWith({ leased: 50, inUse: 10, peak: 30 });
    const sizes = [1, 2].map(() => {
      reviewSlots(lease);
      return lease.leased;
    });
    lease.inUse = 0;
    sizes.push(
      ...[3, 4].map(() => {
        reviewSlots(lease);
        return lease.leased;
      }),
    );

    expect(sizes).toEqual([34, 14, 14, 0]);
  });

  it.each<[string, Partial<SlotLease>, { readonly full: boolean; readonly out: boolean }]>([
    ['holds all there is', { leased: 100, inUse: 100 }, { full: true, out: false }],
    [
      'held all there is and has run out',
      { leased: 100, inUse: 100, validUntil: 500 },
      { full: false, out: false },
    ],
    ['uses all it has', { leased: 50, inUse: 50 }, { full: false, out: true }],
    [
      'uses all it has, and Redis has no more',
      { leased: 50, inUse: 50, scarceUntil: 600 },
      { full: false, out: false },
    ],
    [
      'uses all it has, while others want some',
      { leased: 50, inUse: 50, wantedUntil: 600 },
      { full: false, out: false },
    ],
  ])('that %s knows so', (_what, change, { full, out }) => {
    const lease = leaseWith(change);

    expect({ full: isFull(lease, 500), out: isOutOfStock(lease, 500) }).toEqual({ full, out });
  });
});

type Step = {
  readonly replica: number;
  readonly does: 'use' | 'release' | 'trip' | 'review' | 'wanted' | 'forget' | 'lapse';
};

const step: fc.Arbitrary<Step> = fc.record({
  replica: fc.nat(2),
  does: fc.constantFrom(
    'use',
    'use',
    'use',
    'release',
    'release',
    'trip',
    'trip',
    'review',
    'wanted',
    'forget',
    'lapse',
  ),
});

describe('leases of three replicas, whatever happens in whatever order', () => {
  it('never have more slots in use than the limit', () => {
    fc.assert(
      fc.property(
        fc.array(step, { maxLength: 300 }),
        fc.integer({ min: 1, max: 60 }),
        (steps, limit) => {
          const leases = [0, 1, 2].map(() => Object.assign(createSlotLease(limit), { limit }));
          const declared = [0, 0, 0];
          let now = 0;
          for (const { replica, does } of steps) {
            now += 1;
            const lease = leases[replica]!;
            const act: Record<Step['does'], () => void> = {
              use: () => {
                useSlot(lease, now);
              },
              release: () => {
                if (lease.inUse > 0) lease.inUse -= 1;
              },
              trip: () => {
                tripOf(lease, { declared, replica, now });
              },
              review: () => {
                reviewSlots(lease);
              },
              wanted: () => {
                lease.wantedUntil = now + 5;
              },
              forget: () => {
                forgetIdle(lease);
              },
              lapse: () => {
                lease.validUntil = 0;
              },
            };
            act[does]();

            expect(leases.reduce((total, { inUse }) => total + inUse, 0)).toBeLessThanOrEqual(
              limit,
            );
            expect(declared.reduce((total, held) => total + held, 0)).toBeLessThanOrEqual(limit);
          }
        },
      ),
      { seed: 20_240_601, numRuns: 500 },
    );
  });
});

/**
 * What Redis does with a claim, in the words of the script; a request that waits is served with the
 * response.
 */
function tripOf(
  lease: SlotLease,
  {
    declared,
    replica,
    now,
  }: { readonly declared: number[]; readonly replica: number; readonly now: number },
): void {
  const others = declared.reduce((total, held, at) => (at === replica ? total : total + held), 0);
  const { inUse, kept, need, extra } = claimSlots(lease, now, 1);
  const held = Math.max(inUse, Math.min(kept, declared[replica]!));
  const free = Math.max(0, lease.limit - others - held);
  const granted = Math.min(need, free);
  declared[replica] = held + granted + Math.min(extra, Math.floor((free - granted) / 4));
  adoptSlots(lease, { held: declared[replica], validUntil: now + 1_000 });
  if (granted > 0) beginUse(lease);
  expect(isExact(lease, now) && lease.leased > lease.inUse).toBe(false);
}

describe('a subject that asks seldom', () => {
  it.each([
    [0, 0, true],
    [1, 0, true],
    [2, 1, true],
    [3, 0, false],
    [0, 3, false],
  ])(
    'with %i uses since the last review and %i before it gives idle slots back at once: %p',
    (uses, usesBefore, expected) => {
      const lease = Object.assign(createSlotLease(100), { validUntil: 1_000, uses, usesBefore });

      expect(isExact(lease, 0)).toBe(expected);
    },
  );
});
