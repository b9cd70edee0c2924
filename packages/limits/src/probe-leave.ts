import { isDue } from './circuit.ts';
import type { CircuitEntries, CircuitEntry, CircuitsOptions } from './circuit-entries.ts';

/**
 * Leave to probe: a key in Redis that one replica at a time has. Every replica asks for it a little
 * before a cool-down ends, so that the first request after it finds it there; one that has leave
 * and no request hands it to one that has.
 */
export interface ProbeLeave {
  /** Asks for leave a little before the cool-down ends. */
  awaitDue(entry: CircuitEntry): void;
  /** A request had to be refused for want of it. */
  want(entry: CircuitEntry): void;
  /** The probe is on its way: nobody else may have leave while it is. */
  use(entry: CircuitEntry): void;
  /** Renews it, or asks for it, when the circuit is due. */
  keep(entry: CircuitEntry): void;
  /** Takes it from whoever has it: the circuit has opened again, or closed. */
  end(entry: CircuitEntry): void;
  /** Gives everything back. */
  close(): void;
}

const aheadMs = 100;
const keyOf = ({ name }: CircuitEntry): string => `probe:${name}`;

export function createProbeLeave(
  { link, now, replicaId, rules, leaveMs }: CircuitsOptions,
  entries: CircuitEntries,
): ProbeLeave {
  let isClosed = false;
  const send = (
    script: 'claimProbe' | 'endProbe' | 'leaveProbe',
    entry: CircuitEntry,
    values: (string | number)[],
  ): void => {
    if (link.isUp()) link.run({ script, key: keyOf(entry), values }).catch(() => undefined);
  };
  const ask = async (entry: CircuitEntry): Promise<void> => {
    const { circuit, name } = entry;
    if (entry.isAsking || isClosed || !link.isUp()) return;
    entry.isAsking = true;
    const { openings } = circuit;
    const sentAt = now();
    try {
      const isOurs =
        (await link.run({
          script: 'claimProbe',
          key: keyOf(entry),
          values: [replicaId, leaveMs],
        })) === 1;
      if (circuit.state === 'closed' || circuit.openings !== openings) {
        send('leaveProbe', entry, [replicaId]);
      } else circuit.mayProbeUntil = isOurs ? sentAt + leaveMs : 0;
      if (!isOurs && isWanted(entry)) link.tell({ kind: 'probe_wanted', name });
    } catch {
      // The link is down now: the next call probes without asking.
    } finally {
      entry.isAsking = false;
    }
  };
  const isWanted = ({ wantedAt }: CircuitEntry): boolean => now() - wantedAt < leaveMs;
  const handOver = (entry: CircuitEntry): void => {
    const { circuit, name } = entry;
    if (now() >= circuit.mayProbeUntil || !link.isUp()) return;
    circuit.mayProbeUntil = 0;
    link.run({ script: 'leaveProbe', key: keyOf(entry), values: [replicaId] }).then(
      () => {
        link.tell({ kind: 'probe_free', name });
      },
      () => undefined,
    );
  };
  link.onMessage(({ kind, name }) => {
    if (kind === 'probe_wanted') handOver(entries.of(name));
    if (kind === 'probe_free' && isWanted(entries.of(name))) void ask(entries.of(name));
  });
  return {
    awaitDue(entry) {
      clearTimeout(entry.due);
      if (!isClosed) {
        entry.due = setTimeout(
          () => {
            void ask(entry);
          },
          Math.max(0, entry.circuit.until - now() - aheadMs),
        ).unref();
      }
    },
    want(entry) {
      entry.wantedAt = now();
      void ask(entry);
    },
    use: (entry) => {
      send('claimProbe', entry, [replicaId, rules.probeMs]);
    },
    keep(entry) {
      const time = now();
      if (isDue(entry.circuit, time) && entry.circuit.mayProbeUntil - time < leaveMs / 2) {
        void ask(entry);
      }
    },
    end: (entry) => {
      send('endProbe', entry, []);
    },
    close() {
      isClosed = true;
      for (const entry of entries.all()) {
        clearTimeout(entry.due);
        if (entry.circuit.state !== 'closed') send('leaveProbe', entry, [replicaId]);
      }
    },
  };
}
