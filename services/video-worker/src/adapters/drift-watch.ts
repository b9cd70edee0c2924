import { Counter, Gauge, type Log, type Registry } from '@gateway/runtime';
import { driftKinds, type Drift } from '@gateway/video-providers';

export interface DriftWatch {
  /** For every provider that is configured: its figures are there before anything happens. */
  expect(provider: string): void;
  /** A response of this provider held something that its adapter does not know. */
  seen(provider: string, drift: Drift): void;
}

/** A vendor that writes something new each time must not fill the log or the memory. */
const maxExamples = 20;

/** Counts what vendors answer that nobody taught us, logs the first of each, and keeps it to be shown. */
export function createDriftWatch({
  metrics,
  log,
  now,
}: {
  readonly metrics: Registry;
  readonly log: Log;
  readonly now: () => number;
}): DriftWatch {
  const drifts = new Counter({
    name: 'gateway_vendor_drift_total',
    help: 'Responses of a video vendor with a status, an error code, a shape or a field that its adapter does not know.',
    labelNames: ['provider', 'kind'],
    registers: [metrics],
  });
  const firstSeen = new Gauge({
    name: 'gateway_vendor_drift_first_seen_timestamp_seconds',
    help: 'What exactly a vendor answered that its adapter does not know, and when a replica first saw it since its start; at most 20 of each vendor.',
    labelNames: ['provider', 'kind', 'example'],
    registers: [metrics],
  });
  const told = new Map<string, Set<string>>();
  const tell = (provider: string, { kind, example }: Drift): void => {
    const examples = told.get(provider) ?? new Set();
    told.set(provider, examples);
    const entry = `${kind} ${example}`;
    if (examples.has(entry) || examples.size >= maxExamples) return;
    examples.add(entry);
    // A vendor may add fields at any time, and nothing is wrong then: the log has their names.
    if (kind !== 'field') firstSeen.set({ provider, kind, example }, now() / 1_000);
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
