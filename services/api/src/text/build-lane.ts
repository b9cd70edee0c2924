import { setTimeout as sleep } from 'node:timers/promises';
import type { UsageRecord } from '@gateway/contracts';
import type { SharedLimits } from '@gateway/limits';
import { createResolver, type AddressRange } from '@gateway/outbound';
import {
  httpDuration,
  type Log,
  type Part,
  type PeerAddress,
  type Registry,
  type Tracing,
} from '@gateway/runtime';
import type { Authenticate } from '../use-cases/authenticate.ts';
import { createAdmit } from './arrive/index.ts';
import { createOpenCompletions } from './client/index.ts';
import type { Deadlines } from './hot-path/index.ts';
import { createTextLane, type LanePorts, type TextLane } from './lane.ts';
import {
  breakerGauge,
  createTextMetrics,
  createUnrecordedRequests,
  createUsageSoFar,
  openCompletionsGauge,
} from './record/index.ts';
import { createCompleteRequest, createCountTokens } from './route/index.ts';
import { createProviderSlots } from './turns/index.ts';
import { createMediaRule, createUpstreamConnections } from './upstream/index.ts';

export interface BuildLaneOptions extends Pick<
  LanePorts,
  'configuration' | 'reserve' | 'record' | 'logRequest' | 'body' | 'bodies' | 'stored'
> {
  readonly authenticate: Authenticate;
  /** Ranges that addresses in requests may lead to although they are not public. */
  readonly mediaCidrs: readonly AddressRange[];
  readonly limits: SharedLimits;
  readonly deadlines: Deadlines;
  /** Takes, about once a second, what changed in the usage of requests that are still running. */
  readonly keepOpen: (changed: readonly UsageRecord[]) => void;
  readonly metrics: Registry;
  readonly log: Log;
  readonly pingAfterMs: number;
  /** How long a request waits for a slot of its provider. */
  readonly queueMs: number;
  /** Milliseconds since the epoch, by the shared clock. */
  readonly now: () => number;
  readonly requireVersion: boolean;
  readonly tracing?: Tracing | undefined;
  /** Whether upstreams are sent the `traceparent` of their call. */
  readonly sendTraceparent?: boolean;
  /** Whether a client's `traceparent` is continued. */
  readonly trustsTraceparent?: boolean;
  readonly peerOf: PeerAddress;
}

export interface BuiltLane {
  readonly lane: TextLane;
  readonly part: Part;
  /** Ends every completion under way, and tells its client why. */
  endOpenCompletions(): void;
}

/** For the names of all media addresses of one request. */
const mediaLookupMs = 2_000;
/** A stop waits this long for the usage of requests whose connections are closed. */
const recordWithinMs = 2_000;

/** Builds the text lane with the clients it alone uses. */
export function buildTextLane(options: BuildLaneOptions): BuiltLane {
  const { limits, metrics, log } = options;
  const { preparation } = options.bodies;
  const upstreams = createUpstreamConnections(options.deadlines);
  const open = createOpenCompletions({
    pingAfterMs: options.pingAfterMs,
    afterTick: createUsageSoFar({
      nowMs: () => performance.now(),
      defer: setImmediate,
      keep: options.keepOpen,
    }),
  });
  openCompletionsGauge(open, metrics);
  breakerGauge(limits.routes, metrics);
  const media = createMediaRule({
    allowCidrs: options.mediaCidrs,
    resolve: createResolver({ timeoutMs: mediaLookupMs }),
    timeoutMs: mediaLookupMs,
  });
  const calls = { preparation, media, upstreams, breakers: limits.routes, log };
  const unrecorded = createUnrecordedRequests();
  const lane = createTextLane({
    ...lanePorts(options),
    unrecorded,
    completeRequest: createCompleteRequest({
      ...calls,
      slots: createProviderSlots({ slots: limits.slots, metrics, queueMs: options.queueMs }),
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
        await upstreams.close();
        const count = await unrecorded.wait(recordWithinMs);
        if (count > 0) log.error('requests have not ended, and their usage may be lost', { count });
      },
    },
  };
}

/** The ports that come from outside, and those made of nothing else. */
function lanePorts({
  configuration,
  now,
  authenticate,
  limits,
  reserve,
  record,
  metrics,
  log,
  logRequest,
  body,
  bodies,
  stored,
  requireVersion,
  tracing,
  sendTraceparent = false,
  trustsTraceparent = false,
  peerOf,
}: BuildLaneOptions): Omit<LanePorts, 'completeRequest' | 'countTokens' | 'unrecorded'> {
  const observe = createTextMetrics(metrics);
  return {
    admit: createAdmit({ authenticate, limits, requireVersion, now }),
    configuration,
    now,
    reserve,
    log,
    logRequest,
    body,
    bodies,
    stored,
    record: (usage) => {
      observe(usage);
      record(usage);
    },
    duration: httpDuration(metrics),
    tracing: tracing && { tracing, sendTraceparent, trustsTraceparent },
    peerOf,
  };
}
