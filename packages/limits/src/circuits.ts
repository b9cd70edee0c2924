import { close, judgeCall, noteFailure, noteSuccess, openFor, stateOf } from './circuit.ts';
import {
  createCircuitEntries,
  type CircuitEntries,
  type CircuitEntry,
  type CircuitsOptions,
} from './circuit-entries.ts';
import { createProbeLeave, type ProbeLeave } from './probe-leave.ts';

/**
 * Circuit breakers by name. Outcomes are counted by each replica; that a circuit opens or closes is
 * told to all, and one that starts reads which are open. After the cool-down one replica at a time
 * has leave to probe, and hands it over when another one has a request and it has none. Without
 * Redis each replica sends one probe of its own.
 */
export interface Circuits {
  /** False while the circuit is open. A true after the cool-down is the probe: say how it ended. */
  mayTry(name: string): boolean;
  succeeded(name: string): void;
  failed(name: string): void;
  /** Every circuit used lately. `half_open`: the cool-down has ended, the probe has not. */
  states(): ReadonlyMap<string, 'open' | 'half_open' | 'closed'>;
}

export interface CircuitsPart extends Circuits {
  /**
   * Asks for leave to probe what is due, keeps leave, forgets idle circuits; to be called every
   * second or so.
   */
  tick(): void;
  close(): void;
}

export function createCircuits(options: CircuitsOptions): CircuitsPart {
  const { link, now, rules } = options;
  const entries = createCircuitEntries();
  const leave = createProbeLeave(options, entries);
  const sharing = createSharing(options, { entries, leave });
  /** After the cool-down, without leave yet. */
  const mayProbe = (entry: CircuitEntry, time: number): boolean => {
    if (link.isUp()) {
      leave.want(entry);
      return false;
    }
    entry.circuit.mayProbeUntil = Infinity;
    return judgeCall(entry.circuit, time, rules) === 'probe';
  };
  return {
    mayTry(name) {
      const time = now();
      const entry = entries.of(name);
      const verdict = judgeCall(entry.circuit, time, rules);
      if (verdict === 'pass') return true;
      if (verdict === 'refuse') return false;
      if (verdict === 'ask') return mayProbe(entry, time);
      leave.use(entry);
      return true;
    },
    succeeded(name) {
      const entry = entries.of(name);
      if (noteSuccess(entry.circuit, now()) === 'closed') sharing.closed(entry);
    },
    failed(name) {
      const entry = entries.of(name);
      if (noteFailure(entry.circuit, now(), rules) === 'opened') sharing.opened(entry);
    },
    states() {
      const time = now();
      return new Map([...entries.all()].map(({ name, circuit }) => [name, stateOf(circuit, time)]));
    },
    tick() {
      const time = now();
      for (const entry of entries.all()) {
        leave.keep(entry);
        const isCooling = entry.circuit.state !== 'closed' && time < entry.circuit.until;
        if (!isCooling && time - entry.circuit.usedAt > options.forgetAfterMs) {
          entries.forget(entry);
        }
      }
    },
    close: leave.close,
  };
}

interface Sharing {
  opened(entry: CircuitEntry): void;
  closed(entry: CircuitEntry): void;
}

const sharedKey = 'circuits';

/**
 * Tells and hears which circuits open and close. What is lost on the way, the other replicas find
 * out for themselves.
 */
function createSharing(
  { link, now, rules }: CircuitsOptions,
  { entries, leave }: { readonly entries: CircuitEntries; readonly leave: ProbeLeave },
): Sharing {
  const note = (script: 'openCircuit' | 'closeCircuit', values: (string | number)[]): void => {
    if (link.isUp()) link.run({ script, key: sharedKey, values }).catch(() => undefined);
  };
  const tellOpening = ({ name, circuit }: CircuitEntry): void => {
    const coolDownMs = Math.ceil(circuit.until - now());
    note('openCircuit', [name, coolDownMs, circuit.openings, rules.longestCoolDownMs * 2]);
    link.tell({ kind: 'circuit_opened', name, coolDownMs, openings: circuit.openings });
  };
  const adopt = (
    name: string,
    opening: { readonly coolDownMs: number; readonly openings: number },
  ): void => {
    const entry = entries.of(name);
    openFor(entry.circuit, now(), opening);
    leave.awaitDue(entry);
  };
  link.onMessage((message) => {
    if (message.kind === 'circuit_opened') adopt(message.name, message);
    if (message.kind !== 'circuit_closed') return;
    const { circuit } = entries.of(message.name);
    if (circuit.state !== 'closed') close(circuit, now());
  });
  link.onUp(async () => {
    const time = now();
    for (const entry of entries.all()) {
      if (stateOf(entry.circuit, time) === 'open') tellOpening(entry);
    }
    const open = (await link.run({ script: 'readCircuits', key: sharedKey })) as (
      string | number
    )[];
    for (let at = 0; at < open.length; at += 3) {
      adopt(String(open[at]), { coolDownMs: Number(open[at + 1]), openings: Number(open[at + 2]) });
    }
  });
  return {
    opened(entry) {
      tellOpening(entry);
      leave.end(entry);
      leave.awaitDue(entry);
    },
    closed(entry) {
      note('closeCircuit', [entry.name]);
      leave.end(entry);
      link.tell({ kind: 'circuit_closed', name: entry.name });
    },
  };
}
