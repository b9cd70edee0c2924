import type { IncomingMessage, ServerResponse } from 'node:http';
import type { KeptResponses } from '@gateway/contracts';
import { errorCatalogue } from '@gateway/domain';
import {
  countUnexpected,
  failureOf,
  isUnexpected,
  spanFields,
  type LiveConfiguration,
  type Log,
  type PeerAddress,
} from '@gateway/runtime';
import type { Referred } from '@gateway/text-dialects';
import {
  RequestBody,
  beginInTurn,
  checkModel,
  reservationNano,
  resolveReferences,
  type Admit,
  type Bodies,
  type BodyBounds,
  type CompletionRequest,
  type Inspection,
} from './arrive/index.ts';
import { sendGatewayError } from './client/index.ts';
import { atTurnEnd, nowOrLater } from './hot-path/index.ts';
import {
  keepWhenComplete,
  recordRequest,
  type RecordPorts,
  type UnrecordedRequests,
} from './record/index.ts';
import {
  matchTextPath,
  openTextRequest,
  openTrace,
  type OnException,
  type Reservation,
  type StoredResponses,
  type TextRequest,
  type TextTracing,
} from './request/index.ts';
import { someFetchPrivately } from './upstream/index.ts';

export interface LanePorts extends RecordPorts {
  readonly admit: Admit;
  readonly bodies: Pick<Bodies, 'receive' | 'preparation'>;
  readonly configuration: Pick<LiveConfiguration, 'current'>;
  /**
   * Sets nano-quota of an account aside; throws, or rejects with, insufficient_quota and
   * billing_unavailable.
   */
  readonly reserve: (accountId: string, nano: number) => Reservation | Promise<Reservation>;
  readonly completeRequest: (request: TextRequest, wanted: CompletionRequest) => Promise<void>;
  readonly countTokens: (request: TextRequest, wanted: CompletionRequest) => Promise<void>;
  readonly stored: StoredResponses;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  readonly log: Log;
  readonly body: BodyBounds;
  readonly peerOf: PeerAddress;
  readonly unrecorded: UnrecordedRequests;
  /** Left out where requests are not traced: then nothing is done for it but to ask. */
  readonly tracing?: TextTracing | undefined;
}

/** Serves a request of the text lane and returns true, or leaves it alone and returns false. */
export type TextLane = (incoming: IncomingMessage, response: ServerResponse) => boolean;

/**
 * `POST /v1/messages`, `POST /v1/messages/count_tokens`, `POST /v1/chat/completions`,
 * `POST /v1/responses` and `POST /v1/embeddings`, outside Express: measured on one core, Express with
 * its body parser takes four times the CPU of this lane.
 */
export function createTextLane(ports: LanePorts): TextLane {
  const onException: OnException = (request, error) => {
    endBroken(ports.log, request, error);
  };
  return (incoming, response) => {
    const path = matchTextPath(incoming.url ?? '');
    if (path === undefined) return false;
    beginInTurn(ports, response, (arrival) => {
      const request = openTextRequest({
        incoming,
        response,
        path,
        peer: ports.peerOf(incoming),
        configuration: ports.configuration.current(),
        ...arrival,
        onException,
      });
      if (ports.tracing !== undefined) request.trace = openTrace(ports.tracing, request);
      serve(ports, request).catch((error: unknown) => {
        ports.log.error('a response could not be written', {
          requestId: request.requestId,
          ...spanFields(request.trace?.server),
          error,
        });
        response.destroy();
      });
    });
    return true;
  };
}

async function serve(ports: LanePorts, request: TextRequest): Promise<void> {
  ports.unrecorded.begin();
  try {
    const admission = ports.admit(request);
    const { caller, slot } = admission instanceof Promise ? await admission : admission;
    try {
      const { incoming, response } = request;
      const { accountId } = caller;
      const { bytes, grow, release } = await ports.bodies.receive({
        incoming,
        response,
        accountId,
        bounds: ports.body,
      });
      const body = new RequestBody(bytes, accountId);
      try {
        await serveBody(ports, request, { body, grow });
      } finally {
        giveUp(request, body);
        release();
      }
    } finally {
      slot.release();
    }
  } catch (error) {
    sendFailure(ports.log, request, error);
  } finally {
    atTurnEnd('record', () => {
      recordRequest(ports, request);
      ports.unrecorded.recorded();
    });
  }
}

/** A body as it came, and how its request says that it holds more bytes by now. */
interface HeldBody {
  readonly body: RequestBody;
  readonly grow: (sizeBytes: number) => void;
}

interface ReadBody {
  readonly body: RequestBody;
  readonly inspection: Inspection;
  /** What the request refers to was put into the body. */
  readonly isExpanded: boolean;
}

const inspect = (
  { bodies }: LanePorts,
  { path: { dialect, operation }, configuration }: TextRequest,
  body: RequestBody,
): Inspection | Promise<Inspection> =>
  bodies.preparation.inspect(body, {
    kind: 'inspect',
    dialect,
    operation,
    media: someFetchPrivately(configuration),
  });

function serveBody(
  ports: LanePorts,
  request: TextRequest,
  { body, grow }: HeldBody,
): void | Promise<void> {
  return nowOrLater(inspect(ports, request, body), (inspection) => {
    const { head } = inspection;
    request.facts.model = head.model.slice(0, 128);
    request.facts.stream = head.stream;
    return head.kept === undefined
      ? serveInspected(ports, request, { body, inspection, isExpanded: false })
      : serveKept(ports, request, { body, grow, inspection, kept: head.kept });
  });
}

/** Of the responses format: builds on what is kept, and is kept itself. */
async function serveKept(
  ports: LanePorts,
  request: TextRequest,
  {
    body,
    grow,
    inspection,
    kept: { references, store },
  }: HeldBody & Omit<ReadBody, 'isExpanded'> & { readonly kept: KeptResponses },
): Promise<void> {
  const { stored, bodies, log } = ports;
  const { preparation } = bodies;
  let read: ReadBody = { body, inspection, isExpanded: false };
  let items: Referred['items'] = new Map();
  if (references !== undefined) {
    checkModel(request, request.configuration.textModels.get(inspection.head.model));
    const accountId = request.facts.caller?.accountId ?? '';
    const { limitBytes } = ports.body;
    const wanted = { accountId, body, references, limitBytes };
    const resolved = await resolveReferences({ stored, preparation }, wanted);
    grow(body.sizeBytes + resolved.body.sizeBytes);
    items = resolved.items;
    read = {
      body: resolved.body,
      inspection: await inspect(ports, request, resolved.body),
      isExpanded: true,
    };
  }
  const kept =
    store && stored.isOn
      ? keepWhenComplete({ stored, preparation, log }, request, { body, references, items })
      : undefined;
  try {
    await serveInspected(ports, request, read);
  } finally {
    await kept?.();
    if (read.body !== body) giveUp(request, read.body);
  }
}

/** Others write to its memory only where no socket still has some of it to write. */
function giveUp({ unsentBodies }: TextRequest, body: RequestBody): void {
  if (unsentBodies === 0) body.free();
  else body.leave();
}

function serveInspected(
  { reserve, completeRequest, countTokens, stored }: LanePorts,
  request: TextRequest,
  { body, inspection: { head, restricted, media }, isExpanded }: ReadBody,
): void | Promise<void> {
  const { facts, path, configuration } = request;
  const model = configuration.textModels.get(head.model);
  checkModel(request, model);
  if (request.trace !== undefined) request.trace.begin(model.name, path.operation);
  const wanted = {
    model,
    body,
    wantsStream: head.stream,
    includeUsage: head.includeUsage,
    restricted,
    media,
    isExpanded,
    keepsResponses: stored.isOn,
  };
  if (path.operation === 'count_tokens') return countTokens(request, wanted);
  if (model.tokenPrice === undefined) return completeRequest(request, wanted);
  const nano = reservationNano(model.tokenPrice, model, { head, body, restricted });
  return nowOrLater(reserve(facts.caller?.accountId ?? '', nano), (reservation) => {
    facts.reservation = reservation;
    return completeRequest(request, wanted);
  });
}

/** What threw was no step of the request that somebody waits for: its upstream is let go as well. */
function endBroken(log: Log, request: TextRequest, error: unknown): void {
  if (!request.response.writableEnded) sendFailure(log, request, error);
  else {
    countUnexpected('request');
    log.error('unexpected exception', { requestId: request.requestId, where: 'request', error });
  }
  request.abandon('an exception in the gateway');
}

function sendFailure(log: Log, request: TextRequest, thrown: unknown): void {
  const error = failureOf(thrown);
  const { requestId, response } = request;
  if (isUnexpected(thrown)) countUnexpected('request');
  if (errorCatalogue[error.code].status >= 500) {
    log.error('request failed', {
      requestId,
      ...spanFields(request.trace?.server),
      code: error.code,
      reason: error.message,
      error: thrown,
    });
  }
  request.facts.failed = true;
  if (!response.headersSent) sendGatewayError(request, error);
  else response.destroy();
}
