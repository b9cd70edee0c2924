import type { LiveConfiguration, Part, Tracing } from '@gateway/runtime';
import { createUsageOutbox, createUsageReads } from '@gateway/store';
import { createQuotaGate } from '../adapters/quota-gate.ts';
import { createTextMetering } from '../adapters/text-metering.ts';
import type { Settings } from '../config.ts';
import { buildTextLane } from '../text/index.ts';
import type { Authenticate } from '../use-cases/authenticate.ts';
import type { Clients } from './clients.ts';

export interface TextParts {
  readonly settings: Readonly<Settings>;
  readonly configuration: Pick<LiveConfiguration, 'current'>;
  readonly clients: Clients;
  readonly authenticate: Authenticate;
  readonly tracing: Tracing | undefined;
}

/** The text lane, and the part that saves what its requests used. */
export function buildText({
  settings,
  configuration,
  clients: { database, producer, limits, metrics, requestLines, replicaId, log },
  authenticate,
  tracing,
}: TextParts): ReturnType<typeof buildTextLane> & { readonly meteringPart: Part } {
  const metering = createTextMetering({
    outbox: createUsageOutbox(database),
    wake: producer.wake,
    replicaId,
    metrics,
    log,
  });
  const lane = buildTextLane({
    configuration,
    authenticate,
    limits,
    availableOf: createQuotaGate({ availableOf: createUsageReads(database).availableOf }),
    record: metering.record,
    keepOpen: metering.keepOpen,
    metrics,
    log,
    logRequest: requestLines.write,
    body: { limitBytes: settings.TEXT_BODY_LIMIT_BYTES, timeoutMs: settings.TEXT_BODY_TIMEOUT_MS },
    pingAfterMs: settings.TEXT_PING_MS,
    requireVersion: settings.REQUIRE_VERSION_HEADER,
    tracing,
    sendTraceparent: settings.TRACE_TEXT_UPSTREAMS === true,
  });
  return { ...lane, meteringPart: metering.part };
}
