import type { UrlRule } from '@gateway/outbound';
import type { LiveConfiguration, Part, PeerAddress, Tracing } from '@gateway/runtime';
import { createTextLeases as createStoredLeases, createUsageOutbox } from '@gateway/store';
import { openSpoolFolder, type SpoolFiles } from '../adapters/spool-folder.ts';
import { createTextLeases } from '../adapters/text-leases/text-leases.ts';
import { createTextMetering } from '../adapters/text-metering.ts';
import type { Bodies } from '../bodies/index.ts';
import type { Settings } from '../config.ts';
import { buildTextLane, type Deadlines, type StoredResponses } from '../text/index.ts';
import type { Authenticate } from '../use-cases/authenticate.ts';
import type { Clients } from './clients.ts';

export interface TextParts {
  readonly settings: Readonly<Settings>;
  readonly configuration: Pick<LiveConfiguration, 'current'>;
  readonly clients: Clients;
  readonly rule: UrlRule;
  readonly authenticate: Authenticate;
  readonly peerOf: PeerAddress;
  readonly tracing: Tracing | undefined;
  readonly bodies: Bodies;
  readonly deadlines: Deadlines;
  readonly storedResponses: StoredResponses;
}

/** The text lane, and the part that saves what its requests used. */
export function buildText({
  settings,
  configuration,
  clients: { database, clock, producer, limits, metrics, requestLines, replicaId, billing, log },
  rule,
  authenticate,
  peerOf,
  tracing,
  bodies,
  deadlines,
  storedResponses,
}: TextParts): ReturnType<typeof buildTextLane> & {
  readonly meteringParts: readonly Part[];
  readonly leasesPart: Part;
} {
  const metering = createTextMetering({
    outbox: createUsageOutbox(database),
    wake: producer.wake,
    spoolFiles: spoolOf(settings),
    replicaId,
    metrics,
    log,
  });
  const leases = createTextLeases({
    replicaId,
    ask: billing.settleLeases,
    findOpen: createStoredLeases(database).findOpen,
    leaseSeconds: settings.TEXT_LEASE_SECONDS,
    idleMs: settings.TEXT_LEASE_IDLE_SECONDS * 1_000,
    metrics,
    log,
  });
  const lane = buildTextLane({
    configuration,
    now: clock.now,
    authenticate,
    mediaCidrs: rule.allowCidrs,
    limits,
    reserve: leases.reserve,
    record: metering.record,
    keepOpen: metering.keepOpen,
    metrics,
    log,
    logRequest: requestLines.write,
    bodies,
    stored: storedResponses,
    deadlines,
    body: { limitBytes: settings.TEXT_BODY_LIMIT_BYTES, timeoutMs: settings.TEXT_BODY_TIMEOUT_MS },
    pingAfterMs: settings.TEXT_PING_MS,
    queueMs: settings.TEXT_QUEUE_MS,
    requireVersion: settings.REQUIRE_VERSION_HEADER,
    peerOf,
    tracing,
    sendTraceparent: settings.TRACE_TEXT_UPSTREAMS === true,
    trustsTraceparent: settings.TRUST_TRACEPARENT === true,
  });
  return { ...lane, meteringParts: metering.parts, leasesPart: leases.part };
}

const spoolOf = ({ USAGE_SPOOL_DIR: folder }: Readonly<Settings>): SpoolFiles | undefined =>
  folder === undefined ? undefined : openSpoolFolder(folder);
