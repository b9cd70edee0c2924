import type { Task } from '@gateway/contracts';
import { isTerminal, type LeaveCause } from '@gateway/domain';
import {
  Counter,
  Gauge,
  Histogram,
  sampledGauges,
  type Log,
  type Part,
  type Registry,
} from '@gateway/runtime';
import { exposureKinds, type DueWork, type Exposure } from '@gateway/store';
import { posterOutcomes, type PosterOutcome } from './poster-maker.ts';

export interface VendorCall {
  /** Its name in gateway.yaml. */
  readonly provider: string;
  readonly operation: 'submit' | 'poll' | 'poll_many' | 'find' | 'ask' | 'cancel';
  /** The kind of the provider's outcome. */
  readonly outcome: string;
  readonly seconds: number;
}

export interface WorkerMetrics {
  readonly status: (task: Task) => void;
  readonly exposure: (kind: Exposure['kind']) => void;
  readonly call: (call: VendorCall) => void;
  /** One list of this provider covered this many tasks. */
  readonly batchPolled: (provider: string, tasks: number) => void;
}

/** Seconds; a video takes from a few to some thousand. */
const taskBuckets = [1, 2, 5, 10, 30, 60, 120, 300, 600, 1800, 3600];
/** Seconds, up to the usual VENDOR_TIMEOUT_MS and beyond. */
const callBuckets = [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60];

/** The metrics of the worker's tasks and vendors. */
export function createWorkerMetrics(metrics: Registry): WorkerMetrics {
  const statuses = new Counter({
    name: 'gateway_task_status_total',
    help: 'Tasks that took this status.',
    labelNames: ['status', 'model', 'failure'],
    registers: [metrics],
  });
  const durations = new Histogram({
    name: 'gateway_task_duration_seconds',
    help: 'Time from creation to success.',
    labelNames: ['model'],
    buckets: taskBuckets,
    registers: [metrics],
  });
  const ends = new Counter({
    name: 'gateway_task_ends_total',
    help: 'Tasks that a worker ended, by vendor.',
    labelNames: ['provider', 'status'],
    registers: [metrics],
  });
  const exposures = new Counter({
    name: 'gateway_vendor_exposure_total',
    help: 'Vendor work that nobody is billed for.',
    labelNames: ['kind'],
    registers: [metrics],
  });
  const calls = new Histogram({
    name: 'gateway_vendor_call_duration_seconds',
    help: 'Time of one call to a video vendor, without the wait for its request rate.',
    labelNames: ['provider', 'operation', 'outcome'],
    buckets: callBuckets,
    registers: [metrics],
  });
  const polled = new Counter({
    name: 'gateway_vendor_batched_looks_total',
    help: 'Tasks found through a vendor’s list because single polls would be too slow.',
    labelNames: ['provider'],
    registers: [metrics],
  });
  // Present from the start: `increase` must see the first one as a step up, not as a new series.
  for (const kind of exposureKinds) exposures.inc({ kind }, 0);
  return {
    status({ status, model, failure, completedAt, createdAt, vendor }) {
      statuses.inc({ status, model, failure: failure?.code ?? 'none' });
      if (isTerminal(status)) ends.inc({ provider: vendor.provider, status });
      if (status === 'succeeded' && completedAt !== null) {
        durations.observe({ model }, (completedAt.getTime() - createdAt.getTime()) / 1000);
      }
    },
    exposure: (kind) => {
      exposures.inc({ kind });
    },
    call({ seconds, ...labels }) {
      calls.observe(labels, seconds);
    },
    batchPolled: (provider, tasks) => {
      polled.inc({ provider }, tasks);
    },
  };
}

/** A task that left a vendor for another one. */
export interface RouteLeft {
  /** The vendor that the task left. */
  readonly provider: string;
  readonly because: LeaveCause;
  readonly model: string;
  /** The vendor that it went to. */
  readonly to: string;
}

/** Counts tasks that changed their route. */
export function createRouteCounter(metrics: Registry): (left: RouteLeft) => void {
  const left = new Counter({
    name: 'gateway_task_route_changes_total',
    help: 'Tasks that left a vendor for another one, by why, model and the other vendor.',
    labelNames: ['provider', 'because', 'model', 'to'],
    registers: [metrics],
  });
  return (labels) => {
    left.inc({ ...labels });
  };
}

/** How far behind the workers are, and how long the vendor queues are. */
export function dueWorkPart(
  { firstSubmissions, vendorQueues }: Pick<DueWork, 'firstSubmissions' | 'vendorQueues'>,
  { metrics, log }: { readonly metrics: Registry; readonly log: Log },
): Part {
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
  const waiting = new Gauge({
    name: 'gateway_vendor_line_tasks',
    help: 'Tasks that wait for a slot at a vendor.',
    labelNames: ['provider'],
    registers,
  });
  const longest = new Gauge({
    name: 'gateway_vendor_line_oldest_seconds',
    help: 'How long the first task in the queue has waited for a slot.',
    labelNames: ['provider'],
    registers,
  });
  const places = new Gauge({
    name: 'gateway_vendor_places_taken',
    help: 'Tasks that have a slot at a vendor.',
    labelNames: ['provider'],
    registers,
  });
  return sampledGauges({
    name: 'due work and vendor queues',
    gauges: [oldest, due, waiting, longest, places],
    log,
    async read() {
      const { count, oldestSeconds } = await firstSubmissions();
      due.set({ work: 'video' }, count);
      oldest.set({ work: 'video' }, oldestSeconds);
      for (const queue of await vendorQueues()) {
        const { provider } = queue;
        waiting.set({ provider }, queue.waiting);
        longest.set({ provider }, queue.oldestSeconds);
        places.set({ provider }, queue.slotsTaken);
      }
    },
  });
}

/** Counts posters. */
export function createPosterCounter(metrics: Registry): (outcome: PosterOutcome) => void {
  const posters = new Counter({
    name: 'gateway_posters_total',
    help: 'Finished videos that a poster was cut from, or could not be.',
    labelNames: ['outcome'],
    registers: [metrics],
  });
  for (const outcome of posterOutcomes) posters.inc({ outcome }, 0);
  return (outcome) => {
    posters.inc({ outcome });
  };
}
