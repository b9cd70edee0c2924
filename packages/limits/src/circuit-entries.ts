import { createCircuit, type Circuit, type CircuitRules } from './circuit.ts';
import type { Link } from './link.ts';

export interface CircuitsOptions {
  readonly link: Link;
  readonly now: () => number;
  readonly replicaId: string;
  readonly rules: CircuitRules;
  /** How long leave to probe is good for while it is not used or renewed. */
  readonly leaveMs: number;
  readonly forgetAfterMs: number;
}

export interface CircuitEntry {
  readonly name: string;
  readonly circuit: Circuit;
  isAsking: boolean;
  /** A request was refused for want of leave to probe, at this time in ms. */
  wantedAt: number;
  due: NodeJS.Timeout | undefined;
}

export interface CircuitEntries {
  of(name: string): CircuitEntry;
  all(): Iterable<CircuitEntry>;
  forget(entry: CircuitEntry): void;
}

/** The circuits this replica knows of; closed until it hears otherwise. */
export function createCircuitEntries(): CircuitEntries {
  const entries = new Map<string, CircuitEntry>();
  return {
    of(name) {
      const known = entries.get(name);
      if (known !== undefined) return known;
      const entry: CircuitEntry = {
        name,
        circuit: createCircuit(),
        isAsking: false,
        wantedAt: -Infinity,
        due: undefined,
      };
      entries.set(name, entry);
      return entry;
    },
    all: () => entries.values(),
    forget({ name, due }) {
      clearTimeout(due);
      entries.delete(name);
    },
  };
}
