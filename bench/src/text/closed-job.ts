// Undici puts a wrapper around the newer handlers, and every microsecond here is measured.
/* eslint-disable @typescript-eslint/no-deprecated -- see above */
import { setTimeout as sleep } from 'node:timers/promises';
import { Pool, type Dispatcher } from 'undici';
import { inTurn, startResponseCaller } from './response-caller.ts';
import { startBusyMeter } from './busy.ts';
import type { ClosedJob, ClosedResult } from './protocol.ts';
import { agentRequest } from './agent-request.ts';
import { smallRequest, type OutgoingRequest } from './requests.ts';
import { endOf, paceOf } from './scripts.ts';
import { microsecondsSince, newTally, type CallerState } from './tally.ts';

/** A target that hangs must not hang the bench. */
const responseTimeoutMs = 30_000;

/**
 * Runs callers that ask again as soon as they have their response; gives what happened in the
 * measured window.
 */
export async function runClosed(job: ClosedJob): Promise<ClosedResult> {
  const pool = new Pool(job.url, {
    connections: job.callers,
    headersTimeout: responseTimeoutMs,
    bodyTimeout: responseTimeoutMs,
    keepAliveTimeout: 60_000,
  });
  const [request, ...others] = (job.apiKeys ?? [job.apiKey]).map((key) => requestOf(job, key));
  if (request === undefined) throw new Error('a job needs a key');
  const ending =
    paceOf[job.script] === undefined ? undefined : Buffer.from(endOf[job.route.client]);
  const state = { tally: newTally(), isOver: false };
  const nextOf = inTurn(new URL(job.url), [request, ...others]);
  for (let caller = 0; caller < job.callers; caller += 1) {
    if (ending === undefined) startResponseCaller(new URL(job.url), { nextOf, state });
    else startStreamCaller(pool, { request, ending, state });
  }
  await warmUp(job, state);
  state.tally = newTally();
  const { tally } = state;
  const meter = startBusyMeter(job.pids);
  await sleep(job.seconds * 1_000);
  const { seconds, busy } = meter.stop();
  state.tally = newTally();
  state.isOver = true;
  await pool.close();
  const { completed, chunks, failed, firstError } = tally;
  return {
    kind: 'closed',
    seconds,
    busy,
    completed,
    chunks,
    failed,
    ...(firstError !== undefined && { firstError }),
    medianMs: tally.latency.percentile(50) / 1_000,
    p99Ms: tally.latency.percentile(99) / 1_000,
    firstByteMedianMs: tally.firstByte.percentile(50) / 1_000,
  };
}

/** A target that fails at everything must not be waited for. */
const longestWarmUpMs = 120_000;

async function warmUp(
  { warmUpSeconds, warmUpResponses = 0 }: ClosedJob,
  { tally }: CallerState,
): Promise<void> {
  const untilMs = performance.now() + longestWarmUpMs;
  await sleep(warmUpSeconds * 1_000);
  while (tally.completed < warmUpResponses) {
    if (performance.now() > untilMs) throw new Error(`only ${tally.completed} responses came`);
    await sleep(50);
  }
}

function requestOf(job: ClosedJob, apiKey: string): OutgoingRequest {
  const { route, script, model, bodyBytes, headers = [] } = job;
  const named = { route, script, apiKey, model };
  const request = bodyBytes === undefined ? smallRequest(named) : agentRequest(named, bodyBytes);
  return { ...request, headers: [...request.headers, ...headers] };
}

interface CallerOptions {
  readonly request: OutgoingRequest;
  /** What the last chunk of a complete stream holds. */
  readonly ending: Buffer;
  readonly state: CallerState;
}

/** One handler object for all requests of a caller: it has one at a time. */
function startStreamCaller(pool: Pool, { request, ending, state }: CallerOptions): void {
  const options: Dispatcher.DispatchOptions = { ...request, method: 'POST' };
  let sentAt = 0;
  let status = 0;
  let last: Buffer | undefined;
  const send = (): void => {
    if (state.isOver) return;
    last = undefined;
    sentAt = performance.now();
    pool.dispatch(options, handler);
  };
  const fail = (why: string): void => {
    state.tally.failed += 1;
    state.tally.firstError ??= why;
    setTimeout(send, 100);
  };
  const handler: Dispatcher.DispatchHandler = {
    onConnect: () => undefined,
    onHeaders: (statusCode) => {
      status = statusCode;
      return true;
    },
    onData: (chunk) => {
      if (last === undefined) state.tally.firstByte.record(microsecondsSince(sentAt));
      last = chunk;
      state.tally.chunks += 1;
      return true;
    },
    onComplete: () => {
      if (status !== 200) {
        fail(`status ${status}: ${String(last)}`);
        return;
      }
      if (last?.includes(ending) !== true) {
        fail(`a stream without its end: ${String(last)}`);
        return;
      }
      state.tally.completed += 1;
      state.tally.latency.record(microsecondsSince(sentAt));
      send();
    },
    onError: (error) => {
      fail(error.message);
    },
  };
  send();
}
