import type { MediaLinks } from '@gateway/contracts';
import type { PostOutcome } from '@gateway/outbound';
import { reached } from '@gateway/runtime';
import type {
  CallbackMatter,
  CallbackProgress,
  CallbackRecords,
  Callbacks,
  ClaimedCallback,
  Recorded,
  RecordAttempt,
} from '@gateway/store';
import { composeMessage, headersOf, type Message } from './compose-message.ts';
import type { Next } from './decide-next.ts';
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
  /** `lost`: the claim was meanwhile. Somebody else attempts this too, and nothing was written. */
  readonly recorded: Recorded;
}

export interface EntryRequest {
  readonly accountId: string;
  readonly url: string;
  /**
   * Somebody asked for it, or it has waited so long that a broken receiver shall be asked all the
   * same.
   */
  readonly insists: boolean;
}

export type DeferReason = 'origin' | 'account' | 'circuit';

/**
 * Leave to send, to be given back with what came of it; or how long to put the push off, at
 * nobody's cost.
 */
export type Entry =
  | {
      readonly kind: 'enter';
      readonly leave: (outcome: SendOutcome | undefined, attempt: number) => void;
    }
  | { readonly kind: 'defer'; readonly afterMs: number; readonly reason: DeferReason };

export interface AttemptPorts {
  readonly callbacks: Pick<Callbacks, 'defer'> & Pick<CallbackRecords, 'recordAttempt'>;
  /** What is in flight to one receiver and for one account is limited here. */
  readonly enter: (request: EntryRequest) => Promise<Entry>;
  /** The one way out. */
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
  readonly onDefer: (reason: DeferReason) => void;
}

/** One look at one task. */
export interface Visit {
  readonly taskId: string;
  /** Of the claim. */
  readonly token: string;
  readonly ending: AbortSignal;
  readonly ports: AttemptPorts;
  /** By task: outcomes that are not in the tables yet. */
  readonly unwritten: Map<string, Concluded>;
}

/** An attempt that is over, and what is to be written of it. */
export interface Concluded {
  readonly record: RecordAttempt;
  readonly report: Omit<AttemptReport, 'recorded'>;
}

export interface Attempting {
  readonly next: Extract<Next, { kind: 'challenge' | 'push' }>;
  readonly callback: ClaimedCallback;
  readonly matter: CallbackMatter;
  /** Later than this, in milliseconds since the epoch, it might outlive its claim. */
  readonly beginBy: number;
}

const pushAnswerBytes = 65_536;
/** A challenge is 43 characters; whoever answers with more does not echo it. */
const challengeAnswerBytes = 4_096;
const lostMs = 1_000;
/**
 * A push that a broken receiver has held back for so long is tried all the same, so that its
 * attempts come to an end.
 */
const longestHoldBackMs = 3_600_000;

type CrashPointsOfAttempt = Readonly<
  Record<'claimed' | 'posted' | 'recorded', (taskId: string) => void>
>;

const crashPointsOf: Readonly<Record<Attempting['next']['kind'], CrashPointsOfAttempt>> = {
  challenge: {
    claimed: (taskId) => {
      reached('verify.claimed', taskId);
    },
    posted: (taskId) => {
      reached('verify.posted', taskId);
    },
    recorded: (taskId) => {
      reached('verify.recorded', taskId);
    },
  },
  push: {
    claimed: (taskId) => {
      reached('push.claimed', taskId);
    },
    posted: (taskId) => {
      reached('push.posted', taskId);
    },
    recorded: (taskId) => {
      reached('push.recorded', taskId);
    },
  },
};

/** Sends what is next, if its receiver may have it now, and writes what came of it. */
export async function attempt(
  visit: Visit,
  attempting: Attempting,
): Promise<Look | 'continue' | 'hand back'> {
  const {
    taskId,
    token,
    ports: { callbacks, enter, ambient },
  } = visit;
  const {
    callback,
    matter: { task },
  } = attempting;
  if (task.callbackUrl === null) return { kind: 'done' };
  crashPointsOf[attempting.next.kind].claimed(taskId);
  const entry = await enter({
    accountId: task.accountId,
    url: task.callbackUrl,
    insists: callback.manual || callback.heldBackMs > longestHoldBackMs,
  });
  if (entry.kind === 'defer') {
    await callbacks.defer({ taskId, token, forMs: entry.afterMs });
    ambient.onDefer(entry.reason);
    return { kind: 'again', afterMs: entry.afterMs };
  }
  const concluded = await sendWithin(entry, visit, { ...attempting, url: task.callbackUrl });
  return concluded === undefined ? 'hand back' : write(visit, concluded);
}

type Leave = Extract<Entry, { kind: 'enter' }>;

/**
 * Undefined when nothing is known of it: it did not begin, or was cut off by the end of the
 * process.
 */
async function sendWithin(
  { leave }: Leave,
  visit: Visit,
  { next, callback, matter, beginBy, url }: Attempting & { readonly url: string },
): Promise<Concluded | undefined> {
  const {
    ports: { send, links, ambient },
    ending,
  } = visit;
  const { task, secrets } = matter;
  let outcome: SendOutcome | undefined;
  let message: Message | undefined;
  try {
    message = composeMessage(next, { task, callback, links });
    const startedAt = ambient.now();
    if (startedAt.getTime() > beginBy) return undefined;
    const headers = headersOf(message, { task, secrets, now: startedAt });
    outcome = await send({
      url,
      headers,
      body: message.body,
      ending,
      maxBytes: message.challenge === null ? pushAnswerBytes : challengeAnswerBytes,
    });
    if (outcome.kind === 'interrupted') return undefined;
    crashPointsOf[next.kind].posted(task.id);
    return conclude(visit, { callback, message, outcome, startedAt, url });
  } finally {
    leave(outcome, message?.attempt ?? 1);
  }
}

interface Concluding {
  readonly callback: ClaimedCallback;
  readonly message: Message;
  readonly outcome: PostOutcome;
  readonly startedAt: Date;
  readonly url: string;
}

function conclude(
  { taskId, token, ports: { rule, ambient } }: Visit,
  { callback, message, outcome, startedAt, url }: Concluding,
): Concluded {
  const judgement = judgeAnswer(outcome, {
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
    record: { taskId, token, progress, attempt: attempted },
    report: { message, judgement, outcome, progress },
  };
}

/**
 * Writes the outcome, or keeps it for the next look and throws: what was sent is not sent again
 * because it could not be noted.
 */
export async function write(
  { taskId, ports: { callbacks, ambient }, unwritten }: Visit,
  concluded: Concluded,
): Promise<Look | 'continue'> {
  const { record, report } = concluded;
  unwritten.set(taskId, concluded);
  const recorded = await callbacks.recordAttempt(record);
  unwritten.delete(taskId);
  crashPointsOf[report.message.challenge === null ? 'push' : 'challenge'].recorded(taskId);
  ambient.onAttempt({ ...report, recorded });
  if (recorded === 'lost') return { kind: 'again', afterMs: lostMs };
  if (record.progress.kind === 'retry') return { kind: 'again', afterMs: record.progress.afterMs };
  return recorded === 'more' ? 'continue' : { kind: 'done' };
}
