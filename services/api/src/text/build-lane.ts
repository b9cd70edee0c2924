import { setTimeout as sleep } from 'node:timers/promises';
import type { UsageRecord } from '@gateway/contracts';
import type { SharedLimits } from '@gateway/limits';
import {
  Gauge,
  httpDuration,
  type LiveConfiguration,
  type Log,
  type Part,
  type Registry,
  type Tracing,
} from '@gateway/runtime';
import type { Authenticate } from '../use-cases/authenticate.ts';
import { createAdmit, createPreparation, type BodyBounds } from './arrive/index.ts';
import { createOpenAnswers } from './client/index.ts';
import { createDeadlines } from './hot-path/index.ts';
import { createTextLane, type TextLane } from './lane.ts';
import { circuitGauge, createTextMeasures, createUsageSoFar } from './record/index.ts';
import { createAnswerRequest, createCountTokens } from './route/index.ts';
import { createUpstreams } from './upstream/index.ts';

export interface BuildLaneOptions {
  readonly configuration: Pick<LiveConfiguration, 'current'>;
  readonly authenticate: Authenticate;
  readonly limits: SharedLimits;
  readonly availableOf: (accountId: string) => number | Promise<number>;
  readonly record: (usage: UsageRecord) => void;
  /** Takes, about once a second, what changed in the usage of requests that are still running. */
  readonly keepOpen: (changed: readonly UsageRecord[]) => void;
  readonly metrics: Registry;
  readonly log: Log;
  readonly logRequest: (fields: Readonly<Record<string, unknown>>) => void;
  readonly body: BodyBounds;
  readonly pingAfterMs: number;
  readonly requireVersion: boolean;
  readonly tracing?: Tracing | undefined;
  /** Whether upstreams are sent the `traceparent` of their call. */
  readonly tellUpstreams?: boolean;
}

/** Builds the text lane with the clients it alone uses. */
export function buildTextLane({
  configuration,
  authenticate,
  limits,
  availableOf,
  record,
  keepOpen,
  metrics,
  log,
  logRequest,
  body,
  pingAfterMs,
  requireVersion,
  tracing,
  tellUpstreams = false,
}: BuildLaneOptions): { lane: TextLane; part: Part; endOpenAnswers(): void } {
  const deadlines = createDeadlines();
  const upstreams = createUpstreams(deadlines);
  const preparation = createPreparation();
  const usageSoFar = createUsageSoFar({
    nowMs: () => performance.now(),
    defer: setImmediate,
    keep: keepOpen,
  });
  const open = createOpenAnswers({ pingAfterMs, afterTick: usageSoFar });
  const gauge = new Gauge({
    name: 'gateway_text_open_answers',
    help: 'Text answers under way.',
    registers: [metrics],
    collect: () => {
      gauge.set(open.size());
    },
  });
  circuitGauge(limits.circuits, metrics);
  const measure = createTextMeasures(metrics);
  const shared = { preparation, upstreams, circuits: limits.circuits, log };
  const lane = createTextLane({
    admit: createAdmit({ authenticate, limits, requireVersion, now: Date.now }),
    preparation,
    configuration,
    availableOf,
    log,
    logRequest,
    body,
    deadlines,
    answerRequest: createAnswerRequest({
      ...shared,
      slots: limits.slots,
      open,
      random: Math.random,
      wait: (ms) => sleep(ms),
    }),
    countTokens: createCountTokens(shared),
    record: (usage) => {
      measure(usage);
      record(usage);
    },
    duration: httpDuration(metrics),
    tracing: tracing && { tracing, tellUpstreams },
  });
  return {
    lane,
    endOpenAnswers: open.endAll,
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
