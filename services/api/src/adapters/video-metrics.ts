import { Counter, Gauge, type Registry } from '@gateway/runtime';

export interface VideoMetrics {
  readonly cancelledAtOnce: () => void;
  readonly deleted: () => void;
  /** Reports how many event streams are open, whenever Prometheus asks. */
  readonly openEventStreams: (count: () => number) => void;
}

/** What the api counts of videos. */
export function createVideoMetrics(metrics: Registry): VideoMetrics {
  const registers = [metrics];
  const cancelled = new Counter({
    name: 'gateway_tasks_cancelled_at_once_total',
    help: 'Tasks cancelled before any vendor was asked for them.',
    registers,
  });
  const deleted = new Counter({
    name: 'gateway_tasks_deleted_total',
    help: 'Tasks deleted by their customers.',
    registers,
  });
  return {
    cancelledAtOnce: () => {
      cancelled.inc();
    },
    deleted: () => {
      deleted.inc();
    },
    openEventStreams(count) {
      const gauge = new Gauge({
        name: 'gateway_event_streams',
        help: 'Event streams that are open.',
        registers,
        collect: () => {
          gauge.set(count());
        },
      });
    },
  };
}
