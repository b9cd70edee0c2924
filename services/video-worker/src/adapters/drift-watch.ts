import { Counter, type Log, type Registry } from '@gateway/runtime';
import { driftKinds, type Drift } from '@gateway/video-providers';

export interface DriftWatch {
  /** For every provider that is configured: its figures are there before anything happens. */
  expect(provider: string): void;
  /** A response of this provider held something that its adapter does not know. */
  seen(provider: string, drift: Drift): void;
}

/** A vendor that writes something new each time must not fill the log or the memory. */
const maxExamples = 20;

/** Counts what vendors answer that nobody taught us, and logs the first of each. */
export function createDriftWatch({
  metrics,
  log,
}: {
  readonly metrics: Registry;
  readonly log: Log;
}): DriftWatch {
  const drifts = new Counter({
    name: 'gateway_vendor_drift_total',
    help: 'Responses of a video vendor with a status, an error code or a shape that its adapter does not know.',
    labelNames: ['provider', 'kind'],
    registers: [metrics],
  });
  const told = new Map<string, Set<string>>();
  const tell = (provider: string, { kind, example }: Drift): void => {
    const examples = told.get(provider) ?? new Set();
    told.set(provider, examples);
    const entry = `${kind} ${example}`;
    if (examples.has(entry) || examples.size >= maxExamples) return;
    examples.add(entry);
    log.warn('a vendor answers in a way that its adapter does not know', {
      provider,
      kind,
      example,
    });
  };
  return {
    expect(provider) {
      // `increase` must see the first one as a step up, not as a new series.
      for (const kind of driftKinds) drifts.inc({ provider, kind }, 0);
    },
    seen(provider, drift) {
      drifts.inc({ provider, kind: drift.kind });
      tell(provider, drift);
    },
  };
}
