import { lookUp, parseJson } from '../json.ts';
import type { Dialect, UpstreamFailure, UpstreamFailureCode } from '../neutral.ts';
import { complaintIn, noComplaint, type Complaint } from './failure-shapes.ts';
import { saysOverflow } from './overflow.ts';

export interface FailedResponse {
  /** What the upstream was asked in; its response may come in any shape all the same. */
  readonly dialect: Dialect;
  /** May be 200: some vendors put an error into a good response. */
  readonly status: number;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly body: Uint8Array;
}

const longestParsedBytes = 1024 * 1024;

/**
 * What an upstream's failed response means, from its status, its headers and a body of any vendor's
 * shape.
 */
export function readUpstreamFailure({ status, headers, body }: FailedResponse): UpstreamFailure {
  const text = Buffer.from(body.subarray(0, longestParsedBytes)).toString();
  const json = parseJson(text);
  const complaint = complaintIn(json) ?? noComplaint;
  const told = status >= 400 ? status : complaint.status;
  const code = codeOf(complaint, told);
  const param = complaint.param;
  const retryAfterSeconds = waitOf(headers, complaint.retryDelay);
  return {
    status: told ?? statusOfCode[code],
    code,
    message: complaint.message ?? describeResponse({ status, text, isJson: json !== undefined }),
    ...(param !== undefined && { param }),
    ...(retryAfterSeconds !== undefined && { retryAfterSeconds }),
  };
}

/**
 * Words that say more than the status does. First match wins; MiniMax and GLM say them in figures.
 */
const tellingWords: readonly (readonly [RegExp, UpstreamFailureCode])[] = [
  [/^1261$|^2013$/, 'context_length_exceeded'],
  [
    /content_?filter|content_policy|ResponsibleAIPolicyViolation|data_?inspection|^1026$|^1027$|^1301$/i,
    'content_filter',
  ],
  [
    /insufficient_(?:quota|balance|credits)|billing_error|billing_not_active|^1008$|^1113$|Arrearage/i,
    'insufficient_quota',
  ],
  [/rate_limit|too_many_requests|resource_exhausted|throttl|^1002$|^1302$/i, 'rate_limited'],
  [/overloaded|^unavailable$|insufficient_system_resource/i, 'overloaded'],
  [/timeout|deadline_exceeded/i, 'timeout'],
  [
    /authentication|invalid_api_key|invalid_authentication|unauthenticated|^1004$/i,
    'authentication',
  ],
  [/permission|unsupported_country/i, 'permission'],
  [/model_not_found|not_found/i, 'not_found'],
  [/request_too_large|payload_too_large/i, 'payload_too_large'],
];

const tellingSentences: readonly (readonly [RegExp, UpstreamFailureCode])[] = [
  [
    /insufficient (?:account )?(?:balance|funds|credits?)|credit balance is too low|exceeded your current quota|requires more credits/i,
    'insufficient_quota',
  ],
  [
    /content management policy|content filter|inappropriate content|data inspection/i,
    'content_filter',
  ],
];

const codeOfStatus: Readonly<Record<string, UpstreamFailureCode>> = {
  401: 'authentication',
  402: 'insufficient_quota',
  403: 'permission',
  404: 'not_found',
  408: 'timeout',
  413: 'payload_too_large',
  429: 'rate_limited',
  503: 'overloaded',
  504: 'timeout',
  524: 'timeout',
  529: 'overloaded',
};

const statusOfCode: Readonly<Record<UpstreamFailureCode, number>> = {
  invalid_request: 400,
  context_length_exceeded: 400,
  content_filter: 400,
  authentication: 401,
  insufficient_quota: 402,
  permission: 403,
  not_found: 404,
  payload_too_large: 413,
  rate_limited: 429,
  overloaded: 503,
  timeout: 504,
  server_error: 502,
  truncated: 502,
};

/**
 * Statuses under which a long prompt is refused; under others such words are about something else,
 * for instance tokens a minute.
 */
const overflowStatuses: readonly (number | undefined)[] = [undefined, 400, 413, 422, 500];

function codeOf(
  { message = '', words }: Complaint,
  status: number | undefined,
): UpstreamFailureCode {
  if (overflowStatuses.includes(status) && [message, ...words].some(saysOverflow)) {
    return 'context_length_exceeded';
  }
  const byWord = words
    .map((word) => tellingWords.find(([sign]) => sign.test(word))?.[1])
    .find((code) => code !== undefined);
  const bySentence = tellingSentences.find(([sign]) => sign.test(message))?.[1];
  return byWord ?? bySentence ?? lookUp(codeOfStatus, String(status)) ?? byClass(words, status);
}

function byClass(words: readonly string[], status: number | undefined): UpstreamFailureCode {
  if (status !== undefined) return status < 500 ? 'invalid_request' : 'server_error';
  return words.some((word) => /invalid|bad_?request|unsupported/i.test(word))
    ? 'invalid_request'
    : 'server_error';
}

const statusWords: Readonly<Record<string, string>> = {
  400: 'Bad Request',
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'Not Found',
  413: 'Content Too Large',
  429: 'Too Many Requests',
  500: 'Internal Server Error',
  502: 'Bad Gateway',
  503: 'Service Unavailable',
  504: 'Gateway Timeout',
};
const shownCharacters = 200;

/** For bodies that no vendor's code wrote: a proxy's page, plain text, nothing. */
function describeResponse({
  status,
  text,
  isJson,
}: {
  status: number;
  text: string;
  isJson: boolean;
}): string {
  const title = `The upstream returned ${[status, lookUp(statusWords, String(status))].filter((part) => part !== undefined).join(' ')}`;
  const words = isJson
    ? text
    : text
        .slice(0, 20_000)
        .replace(/<(script|style)\b[^]*?<\/\1>/gi, ' ')
        .replace(/<[^>]*>/g, ' ');
  const shown = words.replace(/\s+/g, ' ').trim().slice(0, shownCharacters);
  return shown === '' ? `${title} with an empty body.` : `${title}: ${shown}`;
}

/**
 * Seconds to wait: `retry-after-ms`, then `retry-after` in seconds or as a date (against the
 * response's own date), then the body's word.
 */
function waitOf(
  headers: FailedResponse['headers'],
  retryDelay: string | undefined,
): number | undefined {
  const header = (name: string): string => String(headers[name] ?? '').trim();
  const milliseconds = header('retry-after-ms');
  const after = header('retry-after');
  const delay = /^([\d.]+)s$/.exec(retryDelay ?? '')?.[1];
  const candidates = [
    milliseconds === '' ? Number.NaN : Number(milliseconds) / 1000,
    after === '' ? Number.NaN : Number(after),
    (Date.parse(after) - Date.parse(header('date'))) / 1000,
    delay === undefined ? Number.NaN : Number(delay),
  ];
  return candidates.find((seconds) => Number.isFinite(seconds) && seconds >= 0);
}
