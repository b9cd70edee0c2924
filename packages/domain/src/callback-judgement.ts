import { classOfStatus, parseRetryAfterMs, type AttemptClass } from './callback-schedule.ts';
import { echoesChallenge } from './challenge.ts';

/** How a receiver responded, as the guarded client tells it. */
export type ReceiverOutcome =
  | {
      readonly kind: 'responded';
      readonly status: number;
      readonly headers: {
        readonly location?: string | undefined;
        readonly 'retry-after'?: string | undefined;
      };
      readonly body: Uint8Array;
      readonly remoteAddress: string;
    }
  | { readonly kind: 'failed'; readonly class: AttemptClass; readonly detail: string };

/** What one attempt came to, as the delivery log tells it. */
export interface Judgement {
  readonly attemptClass: AttemptClass;
  readonly httpStatus: number | null;
  /** What was wrong, for the customer; null when nothing was. */
  readonly detail: string | null;
  readonly answerExcerpt: string | null;
  readonly remoteAddress: string | null;
  readonly retryAfterMs: number | undefined;
}

export interface JudgedAgainst {
  readonly url: string;
  /** What must be echoed; null for a push. */
  readonly challenge: string | null;
  readonly now: Date;
  /** Takes out tokens: a receiver that reflects its request reflects signed addresses. */
  readonly redact: (text: string) => string;
}

const excerptBytes = 1_024;
/** Of the body, in the sentence about a wrong echo. */
const quotedLength = 120;
/** Stands in an excerpt for the challenge. */
const challengeMark = '[challenge]';

type Responded = Extract<ReceiverOutcome, { kind: 'responded' }>;

/** Success is decided by the status line; for a challenge also by the body, which must echo it. */
export function judgeResponse(outcome: ReceiverOutcome, against: JudgedAgainst): Judgement {
  if (outcome.kind === 'failed') {
    return {
      attemptClass: outcome.class,
      httpStatus: null,
      detail: outcome.detail,
      answerExcerpt: null,
      remoteAddress: null,
      retryAfterMs: undefined,
    };
  }
  const attemptClass = classOf(outcome, against.challenge);
  const answerExcerpt = excerptOf(outcome.body, against);
  return {
    attemptClass,
    httpStatus: outcome.status,
    detail: detailOf({ attemptClass, outcome, answerExcerpt, url: against.url }),
    answerExcerpt,
    remoteAddress: outcome.remoteAddress,
    retryAfterMs:
      attemptClass === 'success'
        ? undefined
        : parseRetryAfterMs(outcome.headers['retry-after'], against.now.getTime()),
  };
}

function classOf({ status, body }: Responded, challenge: string | null): AttemptClass {
  const attemptClass = classOfStatus(status);
  if (attemptClass !== 'success' || challenge === null) return attemptClass;
  return echoesChallenge(textOf(body), challenge) ? 'success' : 'mismatch';
}

/**
 * The beginning of the response, fit for a log: one line, without the challenge, which a retry still
 * relies on.
 */
function excerptOf(body: Uint8Array, { challenge, redact }: JudgedAgainst): string | null {
  const text = redact(textOf(body.subarray(0, excerptBytes)))
    .replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, ' ')
    .trim();
  if (text === '') return null;
  return challenge === null ? text : text.replaceAll(challenge, challengeMark);
}

interface Wrong {
  readonly attemptClass: AttemptClass;
  readonly outcome: Responded;
  readonly answerExcerpt: string | null;
  readonly url: string;
}

const wholeRule = '; respond with the value of "challenge" and nothing else';

function detailOf({
  attemptClass,
  outcome: { status, headers },
  answerExcerpt,
  url,
}: Wrong): string | null {
  const sentences: Partial<Record<AttemptClass, string | null>> = {
    success: null,
    mismatch:
      answerExcerpt === null
        ? `returned ${status} with an empty body instead of the challenge`
        : `returned ${status}, but the body was "${answerExcerpt.slice(0, quotedLength)}" instead of the challenge${answerExcerpt.includes(challengeMark) ? wholeRule : ''}`,
    redirect_not_followed: `returned ${status}, a redirect to ${hostOf(headers.location, url)}; redirects are not followed`,
    gone: 'returned 410: the receiver wants no more pushes',
  };
  const sentence = sentences[attemptClass];
  return sentence === undefined ? `returned ${status}` : sentence;
}

/** Only the host: paths and queries of other people's addresses may hold secrets. */
function hostOf(location: string | undefined, url: string): string {
  return location !== undefined && URL.canParse(location, url)
    ? new URL(location, url).host
    : 'nowhere';
}

const textOf = (bytes: Uint8Array): string => new TextDecoder().decode(bytes);
