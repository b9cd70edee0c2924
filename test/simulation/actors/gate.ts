import { createVendorBreakers } from '../../../packages/limits/src/vendor-breakers.ts';
import { createBreakerGate } from '../../../services/video-worker/src/adapters/breaker-gate.ts';
import type { AdmitTasksPorts } from '../../../services/video-worker/src/use-cases/admit-tasks.ts';
import type { SubmissionGate } from '../../../services/video-worker/src/use-cases/ports.ts';
import { createLoneLimits } from './limits.ts';
import type { Footing, Surroundings } from './surroundings.ts';

export interface VendorGate extends Pick<AdmitTasksPorts, 'admissionOf'> {
  readonly gate: SubmissionGate;
}

const failuresToOpen = 5;

/** The circuit breakers before the vendors, as one life of a worker keeps them alone. */
export function createVendorGate({ world, vendors }: Surroundings, { life }: Footing): VendorGate {
  const { breakers } = createLoneLimits(world, life, {
    failuresToOpen,
    coolDownMs: 10_000,
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
  return { gate, admissionOf: before.admission };
}
