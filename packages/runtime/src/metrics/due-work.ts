import { Gauge, type Registry } from './metrics.ts';

export interface DueWorkGauges {
  readonly gauges: readonly Pick<Gauge, 'reset'>[];
  /** Sets both for one kind of work. */
  set(
    work: string,
    due: {
      readonly count: number;
      /** How long the oldest piece has been due, in seconds; 0 when nothing is due. */
      readonly oldestSeconds: number;
    },
  ): void;
}

/** How much work is due and for how long, by kind; each service declares them for its own kinds. */
export function dueWorkGauges(metrics: Registry): DueWorkGauges {
  const registers = [metrics];
  const oldest = new Gauge({
    name: 'gateway_oldest_due_seconds',
    help: 'How long the oldest due work has been due, from the tables; 0 when nothing is due.',
    labelNames: ['work'],
    registers,
  });
  const due = new Gauge({
    name: 'gateway_due_work',
    help: 'Pieces of work that are due, from the tables.',
    labelNames: ['work'],
    registers,
  });
  return {
    gauges: [oldest, due],
    set(work, { count, oldestSeconds }) {
      due.set({ work }, count);
      oldest.set({ work }, oldestSeconds);
    },
  };
}
