import type { SubmissionGate } from '../../../services/video-worker/src/use-cases/ports.ts';

interface GateWatch {
  readonly now: () => number;
  /** Of whom a fault is told. */
  readonly name: string;
  readonly seen: Set<string>;
  readonly failuresToOpen: number;
  readonly coolDownMs: number;
}

interface Vendor {
  failures: number;
  openedAt: number;
}

/** Watches what one replica lets through: nothing, for a while after a vendor was not reached so often in a row. */
export function watchGate(
  gate: SubmissionGate,
  { now, name, seen, failuresToOpen, coolDownMs }: GateWatch,
): SubmissionGate {
  const vendors = new Map<string, Vendor>();
  const vendorNamed = (provider: string): Vendor => {
    const vendor = vendors.get(provider) ?? { failures: 0, openedAt: -Infinity };
    vendors.set(provider, vendor);
    return vendor;
  };
  return {
    ...gate,
    async enter(task, signal) {
      const { provider } = task.vendor;
      const vendor = vendorNamed(provider);
      const sinceMs = now() - vendor.openedAt;
      const permit = await gate.enter(task, signal);
      if (permit.kind !== 'granted') return permit;
      if (sinceMs < coolDownMs) {
        seen.add(`${name} let ${task.id} through ${sinceMs} ms after ${provider} was away`);
      }
      return {
        ...permit,
        report(outcome) {
          permit.report(outcome);
          vendor.failures = outcome.kind === 'not_sent' ? vendor.failures + 1 : 0;
          if (vendor.failures === 0) vendor.openedAt = -Infinity;
          if (vendor.failures === failuresToOpen) vendor.openedAt = now();
        },
      };
    },
  };
}
