import type { MediaLinks } from '@gateway/contracts';
import { judgeResponse, type Judgement } from '@gateway/domain';
import type { PostOutcome } from '@gateway/outbound';
import type { JobOutcome } from '@gateway/queue';
import { reached } from '@gateway/runtime';
import type {
  CallbackSnapshot,
  CallbackProgress,
  CallbackRecords,
  Callbacks,
  ClaimedCallback,
  Recorded,
  RecordAttempt,
} from '@gateway/store';
import { composeMessage, headersOf, type Message } from './compose-message.ts';
import type { Next } from './decide-next.ts';
import { longestHoldBackMs } from './feed-waiting.ts';
import type { FlowRefusal } from './flow-rules.ts';
import { progressAfter } from './progress-after.ts';

export interface SendRequest {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
  /** Of the response. */
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
  /** `lost`: the claim was meanwhile. Somebody else attempts this too, and nothing was written. */
  readonly recorded: Recorded;
}

export interface PermitRequest {
  readonly accountId: string;
  readonly url: string;
  /**
   * Somebody asked for it, or it has waited so long that even a broken receiver should be tried.
   */
  readonly isForced: boolean;
}

export type DeferReason = FlowRefusal | 'circuit';

/**
 * Permission to send, to be released with the outcome; or the receiver that the push has to wait
 * for, at no cost of an attempt.
 */
export type SendPermit =
  | {
      readonly kind: 'granted';
      readonly release: (outcome: SendOutcome | undefined, attempt: number) => void;
    }
  | { readonly kind: 'deferred'; readonly receiver: string; readonly reason: DeferReason };

export interface AttemptPorts {
  readonly callbacks: Pick<Callbacks, 'defer'> & Pick<CallbackRecords, 'recordAttempt'>;
  /** Limits what is in flight to one receiver and for one account. */
  readonly acquire: (request: PermitRequest) => Promise<SendPermit>;
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

/** Clock, randomness and observers. */
interface Ambient {
  readonly now: () => Date;
  /** Uniform in [0, 1). */
  readonly random: () => number;
  readonly newToken: () => string;
  readonly newAttemptId: () => string;
  readonly redact: (text: string) => string;
  readonly onAttempt: (report: AttemptReport) => void;
  /** The push waits for this receiver from now on, and its job is over. */
  readonly onDefer: (reason: DeferReason, receiver: string) => void;
}

/** One run over one callback. */
export interface PushRun {
  readonly callbackId: string;
  /** Of the claim. */
  readonly token: string;
  readonly ending: AbortSignal;
  readonly ports: AttemptPorts;
  /** By callback: outcomes that could not be written yet. */
  readonly unwritten: Map<string, FinishedAttempt>;
}

/** An attempt that is over, and what to write about it. */
export interface FinishedAttempt {
  readonly record: RecordAttempt;
  readonly report: Omit<AttemptReport, 'recorded'>;
}

export interface DueAttempt {
  readonly next: Extract<Next, { kind: 'challenge' | 'push' }>;
  readonly callback: ClaimedCallback;
  readonly snapshot: CallbackSnapshot;
  /** Where to. */
  readonly url: string;
  /** Later than this, in milliseconds since the epoch, it might outlive its claim. */
  readonly beginBy: number;
}

const pushResponseBytes = 65_536;
/** A challenge is 43 characters; whoever responds with more does not echo it. */
const challengeResponseBytes = 4_096;
const lostMs = 1_000;
type CrashPointsOfAttempt = Readonly<
  Record<'claimed' | 'posted' | 'recorded', (callbackId: string) => void>
>;

const crashPointsOf: Readonly<Record<DueAttempt['next']['kind'], CrashPointsOfAttempt>> = {
  challenge: {
    claimed: (callbackId) => {
      reached('verify.claimed', callbackId);
    },
    posted: (callbackId) => {
      reached('verify.posted', callbackId);
    },
    recorded: (callbackId) => {
      reached('verify.recorded', callbackId);
    },
  },
  push: {
    claimed: (callbackId) => {
      reached('push.claimed', callbackId);
    },
    posted: (callbackId) => {
      reached('push.posted', callbackId);
    },
    recorded: (callbackId) => {
      reached('push.recorded', callbackId);
    },
  },
};

/** Sends what is next, if its receiver may get it now, and records the outcome. */
export async function attempt(
  run: PushRun,
  due: DueAttempt,
): Promise<JobOutcome | 'continue' | 'hand back'> {
  const {
    callbackId,
    token,
    ports: { callbacks, acquire, ambient },
  } = run;
  const {
    callback,
    url,
    snapshot: { task },
  } = due;
  crashPointsOf[due.next.kind].claimed(callbackId);
  const permit = await acquire({
    accountId: task.accountId,
    url,
    isForced: callback.manual || callback.heldBackMs > longestHoldBackMs,
  });
  if (permit.kind === 'deferred') {
    await callbacks.defer({ callbackId, token, receiver: permit.receiver });
    ambient.onDefer(permit.reason, permit.receiver);
    return { kind: 'done' };
  }
  const finished = await sendWithin(permit, run, due);
  return finished === undefined ? 'hand back' : write(run, finished);
}

type Granted = Extract<SendPermit, { kind: 'granted' }>;

/** Undefined when its outcome is unknown: it never began, or the end of the process cut it off. */
async function sendWithin(
  { release }: Granted,
  run: PushRun,
  { next, callback, snapshot, beginBy, url }: DueAttempt,
): Promise<FinishedAttempt | undefined> {
  const {
    ports: { send, links, ambient },
    ending,
  } = run;
  const { task, secrets, endpointId } = snapshot;
  let outcome: SendOutcome | undefined;
  let message: Message | undefined;
  try {
    message = composeMessage(next, { task, callback, links });
    const startedAt = ambient.now();
    if (startedAt.getTime() > beginBy) return undefined;
    const headers = headersOf(message, { task, secrets, endpointId, now: startedAt });
    outcome = await send({
      url,
      headers,
      body: message.body,
      ending,
      maxBytes: message.challenge === null ? pushResponseBytes : challengeResponseBytes,
    });
    if (outcome.kind === 'interrupted') return undefined;
    crashPointsOf[next.kind].posted(run.callbackId);
    return finish(run, { callback, message, outcome, startedAt, url });
  } finally {
    release(outcome, message?.attempt ?? 1);
  }
}

interface SentAttempt {
  readonly callback: ClaimedCallback;
  readonly message: Message;
  readonly outcome: PostOutcome;
  readonly startedAt: Date;
  readonly url: string;
}

function finish(
  { callbackId, token, ports: { rule, ambient } }: PushRun,
  { callback, message, outcome, startedAt, url }: SentAttempt,
): FinishedAttempt {
  const judgement = judgeResponse(outcome, {
    url,
    challenge: message.challenge,
    now: ambient.now(),
    redact: ambient.redact,
  });
  const progress = progressAfter(judgement, {
    failures: callback.failures,
    manual: callback.manual,
    delaysMs: rule.delaysMs,
    random: ambient.random(),
  });
  const { attemptClass, httpStatus, detail, answerExcerpt, remoteAddress } = judgement;
  const attempted = {
    id: ambient.newAttemptId(),
    sequence: message.sequence,
    attempt: message.attempt,
    trigger: callback.manual ? 'manual' : 'auto',
    startedAt,
    durationMs: outcome.durationMs,
    attemptClass,
    httpStatus,
    detail,
    answerExcerpt,
    remoteAddress,
  } as const;
  return {
    record: { callbackId, token, progress, attempt: attempted },
    report: { message, judgement, outcome, progress },
  };
}

/**
 * Writes the outcome, or keeps it for the next run and throws: a push is not sent twice because its
 * outcome could not be written.
 */
export async function write(
  { callbackId, ports: { callbacks, ambient }, unwritten }: PushRun,
  finished: FinishedAttempt,
): Promise<JobOutcome | 'continue'> {
  const { record, report } = finished;
  unwritten.set(callbackId, finished);
  const recorded = await callbacks.recordAttempt(record);
  unwritten.delete(callbackId);
  crashPointsOf[report.message.challenge === null ? 'push' : 'challenge'].recorded(callbackId);
  ambient.onAttempt({ ...report, recorded });
  if (recorded === 'lost') return { kind: 'retry', afterMs: lostMs };
  if (record.progress.kind === 'retry') return { kind: 'retry', afterMs: record.progress.afterMs };
  return recorded === 'more' ? 'continue' : { kind: 'done' };
}
