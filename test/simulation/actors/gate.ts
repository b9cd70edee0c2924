import { createVendorBreakers } from '../../../packages/limits/src/vendor-breakers.ts';
import { createBreakerGate } from '../../../services/video-worker/src/adapters/breaker-gate.ts';
import type { AdmitTasksPorts } from '../../../services/video-worker/src/use-cases/admit-tasks.ts';
import type { SubmissionGate } from '../../../services/video-worker/src/use-cases/ports.ts';
import { watchGate } from '../checks/outages.ts';
import { createLoneLimits } from './limits.ts';
import type { Footing, Surroundings } from './surroundings.ts';

export interface VendorGate extends Pick<AdmitTasksPorts, 'admissionOf'> {
  readonly gate: SubmissionGate;
}

const failuresToOpen = 5;
const coolDownMs = 10_000;

/** The circuit breakers before the vendors, as one life of a worker keeps them alone. */
export function createVendorGate(
  { world, vendors, seen, lacks }: Surroundings,
  { life }: Footing,
): VendorGate {
  const { breakers } = createLoneLimits(world, life, {
    failuresToOpen,
    coolDownMs,
    longestCoolDownMs: 120_000,
  });
  const before = createVendorBreakers({ breakers, now: world.now, failuresToOpen });
  const gate = createBreakerGate({
    vendors: before,
    vendorOf: ({ vendor: { provider } }) => ({
      breaker: provider,
      provider: vendors.get(provider)?.providerFor(life) ?? {},
    }),
    breakerBefore: (provider) => provider,
    onRefused: () => undefined,
    random: world.dice.roll,
  });
  const watched = watchGate(lacks === 'vendor breakers' ? openGate : gate, {
    now: world.now,
    name: life.name,
    seen,
    failuresToOpen,
    // What the product's dice may shorten it to.
    coolDownMs: 0.8 * coolDownMs,
  });
  return { gate: watched, admissionOf: before.admission };
}

/** Nothing stands before a vendor. */
const openGate: SubmissionGate = {
  hindrance: () => undefined,
  enter: () => Promise.resolve({ kind: 'granted', report: () => undefined, end: () => undefined }),
  inquire: () => Promise.resolve(),
};
