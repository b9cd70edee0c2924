// Undici puts a wrapper around the newer handlers, and every microsecond here is measured.
/* eslint-disable @typescript-eslint/no-deprecated -- see above */
import { createHistogram } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { Pool, type Dispatcher } from 'undici';
import { startBusyMeter } from './busy.ts';
import type { HeldJob, HeldResult } from './protocol.ts';
import { largeRequest, smallRequest, type OutgoingRequest } from './requests.ts';
import { endOf, sharedClockMs, stamps } from './scripts.ts';

const rampMs = 2_000;
const stampCharacters = 24;
/** A target that hangs must not hang the bench. */
const responseTimeoutMs = 30_000;
const pauseBetweenPostsMs = 500;

interface Tally {
  readonly delays: ReturnType<typeof createHistogram>;
  /** Longest delay since the last large body began. */
  worstMs: number;
  chunks: number;
  failed: number;
  firstError: string | undefined;
}

const newTally = (): Tally => ({
  delays: createHistogram(),
  worstMs: 0,
  chunks: 0,
  failed: 0,
  firstError: undefined,
});

interface HeldState {
  tally: Tally;
  isOver: boolean;
}

/** Keeps streams open and measures how long each chunk was under way. */
export async function runHeld(job: HeldJob): Promise<HeldResult> {
  const pool = new Pool(job.url, { headersTimeout: 0, bodyTimeout: 0, keepAliveTimeout: 60_000 });
  const request = smallRequest(job);
  // Made before anything is measured: making 20 MB of JSON would hold this process's own streams
  // back.
  const large =
    job.posts === undefined ? undefined : largeRequest(job.route, job.posts.body, job.apiKey);
  const state: HeldState = { tally: newTally(), isOver: false };
  const started = performance.now();
  for (let stream = 0; stream < job.streams; stream += 1) {
    setTimeout(
      () => {
        holdStream(pool, { request, ending: endOf[job.route.client], state });
      },
      (stream / job.streams) * rampMs,
    );
  }
  await sleep(job.warmUpSeconds * 1_000 + rampMs);
  state.tally = newTally();
  const { tally } = state;
  const meter = startBusyMeter(job.pids);
  const posts = large === undefined ? [] : await postLarge(job, large, tally);
  await sleep(
    Math.max(0, started + rampMs + (job.warmUpSeconds + job.seconds) * 1_000 - performance.now()),
  );
  const { seconds, busy } = meter.stop();
  state.tally = newTally();
  state.isOver = true;
  await pool.destroy();
  const { delays, chunks, failed, firstError } = tally;
  return {
    kind: 'held',
    seconds,
    busy,
    chunks,
    failed,
    posts,
    ...(firstError !== undefined && { firstError }),
    medianMs: delays.percentile(50) / 1_000,
    p99Ms: delays.percentile(99) / 1_000,
    maxMs: delays.max / 1_000,
  };
}

interface StreamOptions {
  readonly request: OutgoingRequest;
  /** What the last chunk of a complete stream holds. */
  readonly ending: string;
  readonly state: HeldState;
}

/** One stream after the other, until the job is over. */
function holdStream(pool: Pool, options: StreamOptions): void {
  const { request, ending, state } = options;
  let status = 0;
  let tail = '';
  const again = (why?: string): void => {
    if (state.isOver) return;
    if (why !== undefined) {
      state.tally.failed += 1;
      state.tally.firstError ??= why;
    }
    setTimeout(
      () => {
        if (!state.isOver) holdStream(pool, options);
      },
      why === undefined ? 0 : 100,
    );
  };
  pool.dispatch({ ...request, method: 'POST' }, {
    onConnect: () => undefined,
    onHeaders: (statusCode) => {
      status = statusCode;
      return true;
    },
    onData: (chunk) => {
      tail = count(tail + chunk.toString('latin1'), state.tally);
      return true;
    },
    onComplete: () => {
      again(
        status === 200 && tail.includes(ending)
          ? undefined
          : `status ${status}, ended with ${tail}`,
      );
    },
    onError: (error) => {
      again(error.message);
    },
  } satisfies Dispatcher.DispatchHandler);
}

/**
 * Records the delays of all stamps in a text; gives what may hold the beginning of the next one.
 */
function count(text: string, tally: Tally): string {
  const now = sharedClockMs();
  let read = 0;
  for (const match of text.matchAll(stamps)) {
    const delayMs = Math.max(0.001, now - Number(match[1]));
    tally.delays.record(Math.round(delayMs * 1_000));
    tally.worstMs = Math.max(tally.worstMs, delayMs);
    tally.chunks += 1;
    read = match.index + match[0].length;
  }
  return text.slice(Math.max(read, text.length - stampCharacters));
}

/** Posts large bodies one after the other, over a connection of its own each. */
async function postLarge(
  { url, posts }: HeldJob,
  request: OutgoingRequest,
  tally: Tally,
): Promise<HeldResult['posts']> {
  const results: { tookMs: number; worstMs: number }[] = [];
  for (let post = 0; post < (posts?.count ?? 0); post += 1) {
    await sleep(pauseBetweenPostsMs);
    const pool = new Pool(url, {
      headersTimeout: responseTimeoutMs,
      bodyTimeout: responseTimeoutMs,
    });
    tally.worstMs = 0;
    const started = performance.now();
    const { statusCode, body: completion } = await pool.request({ ...request, method: 'POST' });
    const text = await completion.text();
    const tookMs = performance.now() - started;
    // A chunk that was held back by the end of this work arrives a moment later.
    await sleep(pauseBetweenPostsMs);
    if (statusCode !== 200) {
      tally.failed += 1;
      tally.firstError ??= `a body of 20 MB: status ${statusCode} ${text.slice(0, 300)}`;
    }
    results.push({ tookMs, worstMs: tally.worstMs });
    await pool.close();
  }
  return results;
}
