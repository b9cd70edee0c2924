import { createHash } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import type { Request, Response } from 'express';
import type { DialectName } from './failures.ts';

type End = 'finished' | 'aborted' | 'broken';
export type RequestOutcome = 'active' | End;

/** One request as it reached the vendor. */
export interface TextRequestRecord {
  readonly dialect: DialectName;
  /** With its query. */
  readonly path: string;
  readonly model: unknown;
  readonly stream: boolean;
  /** Without credentials; `credentials` names the headers that held some. */
  readonly headers: IncomingHttpHeaders;
  readonly credentials: readonly string[];
  readonly body: unknown;
  /** Of the bytes as they came. */
  readonly body_bytes: number;
  readonly body_sha256: string;
  outcome: RequestOutcome;
  status?: number;
}

export interface TextJournal {
  /** Notes a request and follows its response; the signal aborts as soon as the client has gone. */
  open(
    dialect: DialectName,
    bytes: Buffer,
    call: { request: Request; response: Response },
  ): AbortSignal;
  /** The request counts as active until this is called and its response is closed. */
  hold(response: Response): () => void;
  /** What `GET /control/text` shows. */
  show(): object;
  reset(): void;
  /** Ends every response that is still open, as a process does that stops. */
  abandon(): void;
}

const maxRequests = 200;
/** Bodies with images are large; the oldest requests are forgotten beyond so much. */
const maxKeptBytes = 67_108_864;

const credentialHeaders = ['authorization', 'x-api-key', 'proxy-authorization', 'cookie'];

const noCounts = (): Record<End | 'started', number> => ({
  started: 0,
  finished: 0,
  aborted: 0,
  broken: 0,
});

export function createTextJournal(): TextJournal {
  let requests: TextRequestRecord[] = [];
  let keptBytes = 0;
  /** Open responses and work on them, by the response. */
  const holds = new Map<Response, number>();
  let counts = noCounts();

  const hold = (response: Response): (() => void) => {
    holds.set(response, (holds.get(response) ?? 0) + 1);
    return () => {
      const left = (holds.get(response) ?? 1) - 1;
      if (left > 0) holds.set(response, left);
      else holds.delete(response);
    };
  };
  const keep = (record: TextRequestRecord): void => {
    requests.push(record);
    keptBytes += record.body_bytes;
    while (requests.length > maxRequests || (keptBytes > maxKeptBytes && requests.length > 1)) {
      keptBytes -= requests.shift()?.body_bytes ?? 0;
    }
  };
  return {
    hold,
    open(dialect, bytes, { request, response }) {
      const controller = new AbortController();
      const record = recordOf(dialect, bytes, request);
      keep(record);
      const release = hold(response);
      const countsThen = counts; // after a reset, the end of an older request is not counted
      counts.started += 1;
      response.once('close', () => {
        release();
        const end = outcomeOf(response);
        record.outcome = end;
        if (response.headersSent) record.status = response.statusCode;
        countsThen[end] += 1;
        controller.abort();
      });
      return controller.signal;
    },
    show: () => ({ active: holds.size, ...counts, requests }),
    reset() {
      requests = [];
      keptBytes = 0;
      counts = noCounts();
    },
    abandon() {
      for (const response of holds.keys()) response.socket?.destroy();
    },
  };
}

/**
 * A response that was not sent to its end was broken off by the vendor itself, or its client has
 * gone.
 */
function outcomeOf(response: Response): End {
  if (response.locals['broken'] === true) return 'broken';
  return response.writableFinished ? 'finished' : 'aborted';
}

function recordOf(dialect: DialectName, bytes: Buffer, request: Request): TextRequestRecord {
  const body: unknown = request.body;
  const { model, stream } = (typeof body === 'object' && body !== null ? body : {}) as {
    model?: unknown;
    stream?: unknown;
  };
  return {
    dialect,
    path: request.originalUrl,
    model,
    stream: stream === true,
    headers: Object.fromEntries(
      Object.entries(request.headers).filter(([name]) => !credentialHeaders.includes(name)),
    ),
    credentials: credentialHeaders.filter((name) => request.headers[name] !== undefined),
    body,
    body_bytes: bytes.length,
    body_sha256: createHash('sha256').update(bytes).digest('hex'),
    outcome: 'active',
  };
}
