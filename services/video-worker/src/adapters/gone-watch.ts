import type { Configuration, Task } from '@gateway/contracts';
import { describeError } from '@gateway/domain';
import { Gauge, intervalPart, type Log, type Part, type Registry } from '@gateway/runtime';
import type { GoneModel, GoneModels, RouteName } from '@gateway/store';
import type { SubmitOutcome } from '@gateway/video-providers';

/** Which routes' vendors have said that they have no such model, whichever replica was told. */
export interface GoneWatch {
  /** What became of a submission. Never waits and never fails: the outcome has to be written down. */
  readonly heard: (task: Task, outcome: SubmitOutcome) => void;
  /** For a while after the vendor has said so. */
  readonly isGone: (route: RouteName) => boolean;
  /** The same for a task that is about to be sent; after the pause one task is let through, to find out. */
  readonly keepsOut: (task: Pick<Task, 'id' | 'vendor'>) => Promise<boolean>;
  /** Reads what other replicas were told; to be started before jobs are taken. */
  readonly part: Part;
}

export interface GoneWatchOptions {
  readonly models: GoneModels;
  readonly configuration: () => Pick<Configuration, 'models'>;
  readonly metrics: Registry;
  readonly log: Log;
  readonly now: () => number;
}

const pause = { firstMs: 60_000, maxMs: 900_000 } as const;
/** A trial whose worker died, or whose task took another way, is made again after this. */
const trialMs = 60_000;
const readEveryMs = 1_000;

/** Tells the operator once, and again only after the vendor has had the model. */
export function createGoneWatch(options: GoneWatchOptions): GoneWatch {
  const { models, log, now } = options;
  const known = createKnown(models);
  const { gone, read } = known;
  showIn(options, (route) => gone.has(nameOf(route)));
  return {
    heard: createHeard(options, known),
    isGone: (route) => isPaused(gone.get(nameOf(route)), now()),
    async keepsOut({ id, vendor }) {
      const found = gone.get(nameOf(vendor));
      if (found === undefined || found.trialTaskId === id) return false;
      if (isPaused(found, now())) return true;
      const isTrial = await models.beginTrial(vendor, id, trialMs);
      await read();
      return !isTrial && gone.has(nameOf(vendor));
    },
    part: startedAfter(
      read,
      intervalPart({ name: 'gone models', everyMs: readEveryMs, work: read, log }),
    ),
  };
}

interface Known {
  /** As the table was a moment ago, and what this replica was told since. */
  readonly gone: Map<string, GoneModel>;
  readonly read: () => Promise<void>;
  /** Writes to the table, and reads it afterwards. */
  readonly write: (work: () => Promise<void>) => Promise<void>;
}

function createKnown(models: Pick<GoneModels, 'all'>): Known {
  const gone = new Map<string, GoneModel>();
  let writes = 0;
  let underWay = 0;
  const read = async (): Promise<void> => {
    const before = writes;
    const found = await models.all();
    // One that began before the last write knows less than what is here.
    if (before !== writes || underWay > 0) return;
    gone.clear();
    for (const model of found) gone.set(nameOf(model), model);
  };
  return {
    gone,
    read,
    async write(work) {
      writes += 1;
      underWay += 1;
      try {
        await work();
      } finally {
        underWay -= 1;
      }
      await read();
    },
  };
}

function createHeard(
  { models, log, now }: GoneWatchOptions,
  { gone, write }: Known,
): GoneWatch['heard'] {
  return (task, outcome) => {
    if (outcome.kind === 'unavailable' && outcome.cause === 'model') {
      rememberGone(task, outcome.detail);
      noted(task, () => tell(task, outcome.detail));
    } else if (outcome.kind === 'accepted' && gone.delete(nameOf(task.vendor))) {
      noted(task, () => takeBack(task.vendor));
    }
  };

  function noted({ vendor }: Task, work: () => Promise<void>): void {
    write(work).catch((error: unknown) => {
      log.warn('not noted what a vendor says of a model, left to the next task that is told', {
        ...labelsOf(vendor),
        reason: describeError(error),
      });
    });
  }

  async function tell({ id: taskId, vendor }: Task, detail: string): Promise<void> {
    if (!(await models.heard(vendor, { taskId, detail, pause }))) return;
    log.error('a vendor says that it has no such model, its route is left out', {
      ...labelsOf(vendor),
      reason: detail,
    });
  }

  async function takeBack(route: RouteName): Promise<void> {
    if (!(await models.forget(route))) return;
    log.info('a vendor has the model again, its route is used', labelsOf(route));
  }

  /** At once here; what others were told is in the table. */
  function rememberGone({ vendor }: Task, detail: string): void {
    const { provider, upstreamModel } = vendor;
    const found = gone.get(nameOf(vendor));
    if (isPaused(found, now()) && found?.trialTaskId === null) return;
    gone.set(nameOf(vendor), {
      provider,
      upstreamModel,
      since: found?.since ?? new Date(now()),
      detail,
      refusals: (found?.refusals ?? 0) + 1,
      pausedUntil: new Date(now() + pause.firstMs),
      trialTaskId: null,
    });
  }
}

/** A start does not fail without a first look: the rounds go on, and say what is wrong. */
const startedAfter = (first: () => Promise<void>, part: Part): Part => ({
  ...part,
  async start() {
    await Promise.allSettled([first()]);
    await part.start?.();
  },
});

const isPaused = (model: GoneModel | undefined, now: number): boolean =>
  model !== undefined && model.pausedUntil.getTime() > now;

/** Only routes that are configured still: a row may outlive its route. */
function showIn(
  { configuration, metrics }: Pick<GoneWatchOptions, 'configuration' | 'metrics'>,
  isKnown: (route: RouteName) => boolean,
): void {
  const gauge = new Gauge({
    name: 'gateway_route_model_gone',
    help: 'Routes of video models whose vendor says that it has no such model: 1 while tasks are kept from it.',
    labelNames: ['provider', 'upstream_model'],
    registers: [metrics],
    collect() {
      gauge.reset();
      for (const { routes } of configuration().models.values()) {
        for (const route of routes.filter(isKnown)) gauge.set(labelsOf(route), 1);
      }
    },
  });
}

const labelsOf = ({ provider, upstreamModel }: RouteName) => ({
  provider,
  upstream_model: upstreamModel,
});

const nameOf = ({ provider, upstreamModel }: RouteName): string => `${provider}/${upstreamModel}`;
