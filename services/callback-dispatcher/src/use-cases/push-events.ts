import type { MediaLinks, Task } from '@gateway/contracts';
import type { PostOutcome } from '@gateway/outbound';
import type { CallbackProgress, Callbacks, CallbackRecords, ClaimedCallback } from '@gateway/store';
import { composeMessage, headersOf, type Message } from './compose-message.ts';
import { decideNext, type Next } from './decide-next.ts';
import { judgeAnswer, type Judgement } from './judge-answer.ts';
import { progressAfter } from './progress-after.ts';

/** What should happen to the job: nothing more, or another look later. */
export type Look = { readonly kind: 'done' } | { readonly kind: 'again'; readonly afterMs: number };

export interface SendRequest {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
  /** Of the answer. */
  readonly maxBytes: number;
  /** The process is about to end: what is under way may finish, but not take long. */
  readonly ending: AbortSignal;
}

/** `interrupted`: given up because the process ends; what the receiver made of it is not known. */
export type SendOutcome = PostOutcome | { readonly kind: 'interrupted' };

export interface AttemptReport {
  readonly message: Message;
  readonly judgement: Judgement;
  readonly outcome: PostOutcome;
  readonly progress: CallbackProgress;
  /** False when the claim was lost meanwhile: somebody else attempts this too, and nothing was written. */
  readonly recorded: boolean;
}

export interface PushEventsPorts {
  readonly callbacks: Pick<Callbacks, 'claim' | 'pendingPushes' | 'release' | 'stopPending'> & CallbackRecords;
  readonly tasks: {
    readonly find: (taskId: string) => Promise<Task | undefined>;
    /** Secrets that sign now, newest first. */
    readonly secretsOf: (accountId: string) => Promise<string[]>;
  };
  /** The one way out. A limit on what is in flight to one origin belongs before it, and may put a push off like `wait` does. */
  readonly send: (request: SendRequest) => Promise<SendOutcome>;
  readonly links: MediaLinks;
  readonly rule: PushRule;
  readonly ambient: Ambient;
}

interface PushRule {
  readonly delaysMs: readonly number[];
  /** Upper bound of one `send`. */
  readonly timeoutMs: number;
}

/** Clock, dice and what is watched from outside. */
interface Ambient {
  readonly now: () => Date;
  /** Uniform in [0, 1). */
  readonly random: () => number;
  readonly newToken: () => string;
  readonly newAttemptId: () => string;
  readonly redact: (text: string) => string;
  readonly onAttempt: (report: AttemptReport) => void;
}

/** The part of a claim that is not the attempt itself: reading before it, and writing after it. */
export const claimMarginMs = 15_000;
const pushAnswerBytes = 65_536;
/** A challenge is 43 characters; whoever answers with more does not echo it. */
const challengeAnswerBytes = 4_096;
const handBackMs = 1_000;

const done: Look = { kind: 'done' };
const again = (afterMs: number): Look => ({ kind: 'again', afterMs });

/**
 * Delivers what is due for one task: the challenge first, then its events in order, until nothing is due any more.
 * An attempt's outcome is written in one statement after it. Ending between the two (kill -9, a database that stays away)
 * leaves the push pending, and it is sent once more under the same `webhook-id`: at least once, never out of order.
 * Whatever is our own fault throws and spends none of the receiver's attempts.
 */
export function createPushEvents(ports: PushEventsPorts): (taskId: string, ending: AbortSignal) => Promise<Look> {
  return async (taskId, ending) => {
    const visit: Visit = { taskId, token: ports.ambient.newToken(), ending, ports };
    try {
      for (;;) {
        const look = await lookOnce(visit);
        if (look !== 'continue') return look;
      }
    } catch (error) {
      await ports.callbacks.release(taskId, visit.token).catch(() => undefined); // else the claim runs out by itself
      throw error;
    }
  };
}

interface Visit {
  readonly taskId: string;
  readonly token: string;
  readonly ending: AbortSignal;
  readonly ports: PushEventsPorts;
}

async function lookOnce(visit: Visit): Promise<Look | 'continue'> {
  const { taskId, token, ports: { callbacks, rule, ambient } } = visit;
  if (visit.ending.aborted) return handBack(visit);
  const claimedAt = ambient.now();
  const claim = await callbacks.claim({ taskId, token, forMs: rule.timeoutMs + claimMarginMs, newChallenge: ambient.newToken() });
  if (claim.kind === 'absent') return done;
  if (claim.kind === 'busy') return again(Math.min(claim.freeInMs, handBackMs));
  const next = decideNext(claim.callback, await callbacks.pendingPushes(taskId));
  switch (next.kind) {
    case 'rest':
      await callbacks.release(taskId, token);
      return done;
    case 'stop_pending':
      await callbacks.stopPending(taskId, token);
      return done;
    case 'wait':
      await callbacks.release(taskId, token);
      return again(next.afterMs);
    case 'challenge':
    case 'push':
      return attempt(visit, { next, callback: claim.callback, claimedAt });
  }
}

interface Attempting {
  readonly next: Extract<Next, { kind: 'challenge' | 'push' }>;
  readonly callback: ClaimedCallback;
  readonly claimedAt: Date;
}

async function attempt(visit: Visit, { next, callback, claimedAt }: Attempting): Promise<Look | 'continue'> {
  const { taskId, ending, ports: { tasks, send, links, ambient } } = visit;
  const task = await tasks.find(taskId);
  if (task === undefined || task.callbackUrl === null) return done; // deleted since the claim
  const message = composeMessage(next, { task, callback, links });
  const secrets = await tasks.secretsOf(task.accountId);
  const startedAt = ambient.now();
  // An attempt must end within its claim: another claimant may send the next event once it has run out.
  if (startedAt.getTime() - claimedAt.getTime() > claimMarginMs) return handBack(visit);
  const url = task.callbackUrl;
  const outcome = await send({
    url, headers: headersOf(message, { task, secrets, now: startedAt }), body: message.body, ending,
    maxBytes: message.challenge === null ? pushAnswerBytes : challengeAnswerBytes,
  });
  if (outcome.kind === 'interrupted') return handBack(visit);
  const judgement = judgeAnswer(outcome, { url, challenge: message.challenge, now: ambient.now(), redact: ambient.redact });
  return conclude(visit, { message, outcome, judgement, startedAt, failures: callback.failures });
}

interface Concluding {
  readonly message: Message;
  readonly outcome: PostOutcome;
  readonly judgement: Judgement;
  readonly startedAt: Date;
  readonly failures: number;
}

async function conclude({ taskId, token, ports }: Visit, { message, outcome, judgement, startedAt, failures }: Concluding): Promise<Look | 'continue'> {
  const { callbacks, rule: { delaysMs }, ambient } = ports;
  const progress = progressAfter(judgement, { failures, delaysMs, random: ambient.random() });
  const { attemptClass, httpStatus, detail, answerExcerpt, remoteAddress } = judgement;
  const recorded = await callbacks.recordAttempt({
    taskId, token, progress,
    attempt: {
      id: ambient.newAttemptId(), sequence: message.sequence, attempt: message.attempt, startedAt, durationMs: outcome.durationMs,
      attemptClass, httpStatus, detail, answerExcerpt, remoteAddress,
    },
  });
  ambient.onAttempt({ message, judgement, outcome, progress, recorded });
  if (!recorded) return again(handBackMs);
  switch (progress.kind) {
    case 'succeeded':
      return 'continue';
    case 'retry':
      return again(progress.afterMs);
    case 'stop':
      return done;
  }
}

/** Leaves the work to the next look, perhaps in another process. */
async function handBack({ taskId, token, ports }: Visit): Promise<Look> {
  await ports.callbacks.release(taskId, token);
  return again(handBackMs);
}
