import { setTimeout as sleep } from 'node:timers/promises';
import type { UsageRecord } from '@gateway/contracts';
import type { SharedLimits } from '@gateway/limits';
import { httpDuration, type Log, type Part, type Registry, type Tracing } from '@gateway/runtime';
import type { Authenticate } from '../use-cases/authenticate.ts';
import { createAdmit, createPreparation } from './arrive/index.ts';
import { createOpenCompletions } from './client/index.ts';
import { createDeadlines } from './hot-path/index.ts';
import { createTextLane, type LanePorts, type TextLane } from './lane.ts';
import {
  breakerGauge,
  createTextMetrics,
  createUsageSoFar,
  openCompletionsGauge,
} from './record/index.ts';
import { createCompleteRequest, createCountTokens } from './route/index.ts';
import { createUpstreamConnections } from './upstream/index.ts';

export interface BuildLaneOptions extends Pick<
  LanePorts,
  'configuration' | 'availableOf' | 'record' | 'logRequest' | 'body'
> {
  readonly authenticate: Authenticate;
  readonly limits: SharedLimits;
  /** Takes, about once a second, what changed in the usage of requests that are still running. */
  readonly keepOpen: (changed: readonly UsageRecord[]) => void;
  readonly metrics: Registry;
  readonly log: Log;
  readonly pingAfterMs: number;
  readonly requireVersion: boolean;
  readonly tracing?: Tracing | undefined;
  /** Whether upstreams are sent the `traceparent` of their call. */
  readonly sendTraceparent?: boolean;
}

export interface BuiltLane {
  readonly lane: TextLane;
  readonly part: Part;
  /** Ends every completion under way, and tells its client why. */
  endOpenCompletions(): void;
}

/** Builds the text lane with the clients it alone uses. */
export function buildTextLane(options: BuildLaneOptions): BuiltLane {
  const { limits, metrics, log } = options;
  const deadlines = createDeadlines();
  const upstreams = createUpstreamConnections(deadlines);
  const preparation = createPreparation();
  const open = createOpenCompletions({
    pingAfterMs: options.pingAfterMs,
    afterTick: createUsageSoFar({
      nowMs: () => performance.now(),
      defer: setImmediate,
      keep: options.keepOpen,
    }),
  });
  openCompletionsGauge(open, metrics);
  breakerGauge(limits.breakers, metrics);
  const calls = { preparation, upstreams, breakers: limits.breakers, log };
  const lane = createTextLane({
    ...lanePorts(options),
    preparation,
    deadlines,
    completeRequest: createCompleteRequest({
      ...calls,
      slots: limits.slots,
      open,
      random: Math.random,
      wait: (ms) => sleep(ms),
    }),
    countTokens: createCountTokens(calls),
  });
  return {
    lane,
    endOpenCompletions: open.endAll,
    part: {
      name: 'text lane',
      start() {
        open.start();
        return Promise.resolve();
      },
      async stop() {
        open.stop();
        await Promise.all([upstreams.close(), preparation.part.stop()]);
      },
    },
  };
}

/** The ports that come from outside, and those made of nothing else. */
function lanePorts({
  configuration,
  authenticate,
  limits,
  availableOf,
  record,
  metrics,
  log,
  logRequest,
  body,
  requireVersion,
  tracing,
  sendTraceparent = false,
}: BuildLaneOptions): Omit<
  LanePorts,
  'preparation' | 'deadlines' | 'completeRequest' | 'countTokens'
> {
  const observe = createTextMetrics(metrics);
  return {
    admit: createAdmit({ authenticate, limits, requireVersion, now: Date.now }),
    configuration,
    availableOf,
    log,
    logRequest,
    body,
    record: (usage) => {
      observe(usage);
      record(usage);
    },
    duration: httpDuration(metrics),
    tracing: tracing && { tracing, sendTraceparent },
  };
}
