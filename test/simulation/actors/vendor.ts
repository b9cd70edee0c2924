import type { CostRules } from '@gateway/domain';
import type {
  CancelOutcome,
  FindOutcome,
  ListOutcome,
  PollManyOutcome,
  PollOutcome,
  ServingOutcome,
  Submission,
  SubmitOutcome,
  VideoProvider,
} from '@gateway/video-providers';
import type { Life } from '../world/life.ts';
import { deliverTwice, repeats, type Weather } from '../world/network.ts';
import type { World } from '../world/world.ts';
import type { Promised } from './settings.ts';
import { wireCostOf, type WireKind } from './wire-formats.ts';
import type { ToldEnd } from './wire-words.ts';
import { speakWire, wireIdOf } from './wire.ts';

/** What a vendor has on record of one task: the other side of our books. */
export interface VendorTask {
  readonly id: string;
  readonly correlation: string;
  readonly createdAt: number;
  readonly duration: number;
  readonly finishesAt: number;
  /** What will have come of it by then, unless it is cancelled; `empty`: rendered, and without a file. */
  readonly end: 'succeeded' | 'failed' | 'empty';
  cancelledAt: number | undefined;
}

/** How often a vendor does what its references say that vendors do. All are 0 in calm. */
export interface VendorMood {
  notSent: number;
  busy: number;
  page: number;
  refused: number;
  /** It takes the task, and its response does not arrive. */
  lostResponse: number;
  /** A poll, list or cancellation without a usable response. */
  noAnswer: number;
}

export interface Vendor {
  readonly name: string;
  readonly tasks: readonly VendorTask[];
  readonly hasList: boolean;
  /** Tells of many tasks at once. */
  readonly pollsMany: boolean;
  readonly mood: VendorMood;
  /** Nobody reaches it. */
  isAway: boolean;
  stateOf(task: VendorTask): VendorTask['end'] | 'running' | 'cancelled';
  /** What it asks for its work; undefined: nobody knows. */
  readonly cost: CostRules | undefined;
  /** How it has told ends of tasks, by its ids; empty without words. */
  readonly ends: ReadonlyMap<string, ToldEnd>;
  /** As a worker speaks to it. */
  providerFor(life: Life): VideoProvider;
}

interface VendorOptions {
  readonly name: string;
  readonly hasList: boolean;
  readonly pollsMany: boolean;
  readonly mood: VendorMood;
  readonly weather: Weather;
  /** Workers speak to it through the adapter of this kind; undefined: without words. */
  readonly wire?: WireKind | undefined;
  readonly promised: Pick<Promised, 'renderMs' | 'lateRenderMs'>;
}

const timeoutMs = 30_000;
/** Few, so that there is more than one page. */
const idsAtOnce = 2;
/** Of what is rendered. */
const emptyShare = 0.06;
/** A task is in the list only after a while. */
const listLagMs = 1_200;

/** Where the file of one task is; one that comes in a response holds these words. */
export const fileUrlOf = (vendorTaskId: string): string => `https://files.example/${vendorTaskId}`;

export function createVendor(
  world: World,
  { name, hasList, pollsMany, mood, weather, promised, wire }: VendorOptions,
): Vendor {
  const { dice, trace } = world;
  const tasks: VendorTask[] = [];
  const ends = new Map<string, ToldEnd>();
  // Only where there are words for it: the other worlds have dice of their own without it.
  const endOf = (): VendorTask['end'] => {
    if (dice.chance(0.12)) return 'failed';
    return wire !== undefined && dice.chance(emptyShare) ? 'empty' : 'succeeded';
  };
  const nameOf = (id: string): string => (wire === undefined ? id : wireIdOf(wire, id));
  const stateOf = (task: VendorTask): ReturnType<Vendor['stateOf']> => {
    if (task.cancelledAt !== undefined) return 'cancelled';
    return world.now() < task.finishesAt ? 'running' : task.end;
  };
  const create = ({ correlation, duration }: Submission): VendorTask => {
    const task: VendorTask = {
      id: nameOf(`${name}-${tasks.length + 1}`),
      correlation,
      createdAt: world.now(),
      duration,
      // A few are still rendered after their deadline.
      finishesAt:
        world.now() +
        dice.between(...(dice.chance(0.05) ? promised.lateRenderMs : promised.renderMs)),
      end: endOf(),
      cancelledAt: undefined,
    };
    tasks.push(task);
    trace.say(`${name} creates ${task.id} for ${correlation}`);
    return task;
  };
  // Never repeated: where vendors know no idempotency keys, a second one rightly creates a second task.
  const submit = (submission: Submission): Promise<SubmitOutcome> =>
    answered(world, () => {
      if (vendor.isAway || dice.chance(mood.notSent)) {
        return { kind: 'not_sent', detail: 'not reached' };
      }
      if (dice.chance(mood.busy)) return { kind: 'busy', detail: 'busy', retryAfterMs: 2_000 };
      if (dice.chance(mood.page)) return { kind: 'unavailable', cause: 'page', detail: 'a page' };
      if (dice.chance(mood.refused)) {
        return { kind: 'refused', failure: 'content_policy', detail: 'refused' };
      }
      const { id } = create(submission);
      return dice.chance(mood.lostResponse)
        ? { kind: 'unknown', detail: 'no response' }
        : { kind: 'accepted', vendorTaskId: id };
    });
  const lookedUp = (vendorTaskId: string): VendorTask | undefined =>
    tasks.find(({ id }) => id === vendorTaskId);
  const isQueuedAt = (vendorTaskId: string): boolean => {
    const { createdAt = 0, finishesAt = 0 } = lookedUp(vendorTaskId) ?? {};
    return world.now() < createdAt + (finishesAt - createdAt) / 4;
  };
  const createdAtOf = (vendorTaskId: string): Date =>
    new Date(lookedUp(vendorTaskId)?.createdAt ?? 0);
  const poll = (vendorTaskId: string): Promise<PollOutcome> =>
    answered(world, () => {
      if (vendor.isAway || dice.chance(mood.noAnswer)) {
        return { kind: 'error', detail: 'no response' };
      }
      const task = lookedUp(vendorTaskId);
      return task === undefined ? { kind: 'missing', detail: 'unknown' } : toPoll(task, stateOf);
    });
  /** What it has just created is not among them yet. */
  const pollMany = (vendorTaskIds: readonly string[]): Promise<PollManyOutcome> =>
    answered(world, () => {
      if (vendor.isAway || dice.chance(mood.noAnswer)) {
        return { kind: 'error', detail: 'no response' };
      }
      const listed = tasks.filter(
        ({ id, createdAt }) => vendorTaskIds.includes(id) && createdAt + listLagMs <= world.now(),
      );
      const outcomes = new Map(listed.map((task) => [task.id, toPoll(task, stateOf)]));
      return { kind: 'answered', asked: vendorTaskIds.length, outcomes };
    });
  const cancelOnce = (vendorTaskId: string): Promise<CancelOutcome> =>
    answered(world, () => {
      const task = lookedUp(vendorTaskId);
      if (task === undefined || stateOf(task) !== 'running') {
        return { kind: 'not_cancellable', detail: 'over' };
      }
      if (vendor.isAway || dice.chance(mood.noAnswer)) {
        return { kind: 'error', detail: 'not reached' };
      }
      task.cancelledAt = world.now();
      trace.say(`${name} cancels ${task.id}`);
      return dice.chance(mood.noAnswer)
        ? { kind: 'error', detail: 'no response' }
        : { kind: 'cancelled' };
    });
  const cancel = (vendorTaskId: string): Promise<CancelOutcome> =>
    repeats(world, weather)
      ? deliverTwice(
          world,
          () => cancelOnce(vendorTaskId),
          ({ kind }) => kind !== 'error',
        )
      : cancelOnce(vendorTaskId);
  const find = (correlation: string): Promise<FindOutcome> =>
    answered(world, () => {
      if (vendor.isAway || dice.chance(mood.noAnswer)) {
        return { kind: 'error', detail: 'no response' };
      }
      const listed = tasks.filter(
        (task) => task.correlation === correlation && task.createdAt + listLagMs <= world.now(),
      );
      const [first, ...more] = listed.map(({ id }) => id);
      if (first === undefined) return { kind: 'none' };
      return more.length === 0
        ? { kind: 'found', vendorTaskId: first }
        : { kind: 'several', vendorTaskIds: [first, ...more] };
    });
  const list = ({ since }: { readonly since: Date }): Promise<ListOutcome> =>
    answered(world, () =>
      vendor.isAway || dice.chance(mood.noAnswer)
        ? { kind: 'error', detail: 'no response' }
        : {
            kind: 'listed',
            tasks: tasks
              .filter(
                ({ createdAt }) =>
                  createdAt >= since.getTime() && createdAt + listLagMs <= world.now(),
              )
              .map(({ id, correlation }) => ({ vendorTaskId: id, correlation })),
          },
    );
  const askServing = (): Promise<ServingOutcome> =>
    answered(world, () =>
      vendor.isAway ? { kind: 'unanswered', detail: 'no response' } : { kind: 'serving' },
    );
  const vendor: Vendor = {
    name,
    tasks,
    hasList,
    pollsMany,
    mood,
    isAway: false,
    stateOf,
    cost: wire && wireCostOf(wire),
    ends,
    providerFor(life) {
      const model: VideoProvider = {
        capabilities: {} as VideoProvider['capabilities'],
        submit: (submission) => life.within(submit(submission)),
        poll: (id) => life.within(poll(id)),
        cancel: (id) => life.within(cancel(id)),
        askServing: () => life.within(askServing()),
        ...(pollsMany && {
          pollMany: {
            maxIds: idsAtOnce,
            perSecond: 1,
            poll: (ids: readonly string[]) => life.within(pollMany(ids)),
          },
        }),
        ...(hasList && {
          find: ({ correlation }) => life.within(find(correlation)),
          list: (query) => life.within(list(query)),
        }),
      };
      return wire === undefined
        ? model
        : speakWire(model, {
            kind: wire,
            dice,
            ends,
            isQueued: isQueuedAt,
            createdAt: createdAtOf,
          });
    },
  };
  return vendor;
}

const toPoll = (task: VendorTask, stateOf: Vendor['stateOf']): PollOutcome => {
  switch (stateOf(task)) {
    case 'running':
      return { kind: 'pending', vendorStatus: 'running' };
    case 'succeeded':
      return {
        kind: 'succeeded',
        output: { videoUrl: fileUrlOf(task.id), seconds: task.duration },
      };
    case 'failed':
      return { kind: 'failed', failure: 'vendor_error', detail: 'the vendor failed' };
    case 'empty':
      return { kind: 'failed', failure: 'no_output', detail: 'no file' };
    case 'cancelled':
      return { kind: 'failed', failure: 'cancelled', detail: 'cancelled' };
  }
};

const lost: ReadonlySet<string> = new Set(['unknown', 'error', 'unanswered']);

/** A vendor's response takes its time; nobody waits longer than the timeout for it. */
async function answered<Outcome extends { readonly kind: string }>(
  world: World,
  respond: () => Outcome,
): Promise<Outcome> {
  await world.pause(world.latency() * 2);
  const outcome = respond();
  const isLost = lost.has(outcome.kind);
  await world.pause(isLost ? world.dice.between(50, timeoutMs) : world.latency() * 2);
  return outcome;
}
