export type DialectName = 'messages' | 'chat' | 'responses';

interface FailureOptions {
  /** JSON path of the field that is wrong; only the chat dialect shows it on its own. */
  readonly param?: string;
  /** Only the chat dialect has codes. */
  readonly code?: string;
  readonly retryAfterSeconds?: number;
}

/** A refusal of the text vendor; each dialect writes it in its own shape. */
export class TextFailure extends Error {
  override readonly name = 'TextFailure';
  readonly status: number;
  readonly param: string | undefined;
  readonly code: string | undefined;
  readonly retryAfterSeconds: number | undefined;

  constructor(
    status: number,
    message: string,
    { param, code, retryAfterSeconds }: FailureOptions = {},
  ) {
    super(message);
    this.status = status;
    this.param = param;
    this.code = code;
    this.retryAfterSeconds = retryAfterSeconds;
  }
}

/** Error types by status. */
const types: Readonly<Record<DialectName, Readonly<Record<number, string>>>> = {
  messages: {
    401: 'authentication_error',
    402: 'billing_error',
    403: 'permission_error',
    404: 'not_found_error',
    409: 'conflict_error',
    413: 'request_too_large',
    429: 'rate_limit_error',
    504: 'timeout_error',
    529: 'overloaded_error',
  },
  chat: { 403: 'permission_error', 429: 'requests' },
  responses: { 403: 'permission_error', 429: 'requests' },
};

function typeOf(dialect: DialectName, status: number): string {
  const byDefault =
    status < 500 ? 'invalid_request_error' : dialect === 'messages' ? 'api_error' : 'server_error';
  return types[dialect][status] ?? byDefault;
}

/** The body of an error response, or of an error in the middle of a stream. */
export function failureBody(dialect: DialectName, failure: TextFailure, requestId: string): object {
  const { status, message, param, code } = failure;
  const type = typeOf(dialect, status);
  if (dialect === 'messages') {
    return { type: 'error', error: { type, message }, request_id: requestId };
  }
  return { error: { message, type, param: param ?? null, code: code ?? null } };
}

/** Context of every text model here, in tokens. */
export const contextTokens = 200_000;

const messagesFailures = {
  'rate-limited': () =>
    new TextFailure(
      429,
      'This request would exceed the rate limit of your organization. Please reduce the prompt length or the maximum tokens requested, or try again later.',
      { retryAfterSeconds: 2 },
    ),
  overloaded: () => new TextFailure(529, 'Overloaded'),
  'server-error': () => new TextFailure(500, 'Internal server error'),
  context: (tokens: number) =>
    new TextFailure(
      400,
      `prompt is too long: ${Math.max(tokens, contextTokens + 1)} tokens > ${contextTokens} maximum`,
    ),
  'missing-model': (model: string) => new TextFailure(404, `model: ${model}`),
  'too-large': () => new TextFailure(413, 'Request exceeds the maximum size'),
  'not-json': () => new TextFailure(400, 'The request body is not valid JSON'),
  'not-object': () => new TextFailure(400, 'Input should be a valid dictionary'),
  'no-key': () => new TextFailure(401, 'x-api-key header is required'),
  'wrong-key': () => new TextFailure(401, 'invalid x-api-key'),
  'no-route': () => new TextFailure(404, 'Not found'),
  'no-method': () => new TextFailure(405, 'Method Not Allowed'),
} as const;

const openaiFailures = {
  'rate-limited': () =>
    new TextFailure(429, 'Rate limit reached for requests. Please try again in 2s.', {
      code: 'rate_limit_exceeded',
      retryAfterSeconds: 2,
    }),
  overloaded: () =>
    new TextFailure(503, 'The engine is currently overloaded, please try again later', {
      code: 'service_unavailable',
    }),
  'server-error': () =>
    new TextFailure(
      500,
      'The server had an error while processing your request. Sorry about that!',
    ),
  context: (tokens: number) =>
    new TextFailure(
      400,
      `This model's maximum context length is ${contextTokens} tokens. However, your messages resulted in ${Math.max(tokens, contextTokens + 1)} tokens. Please reduce the length of the messages.`,
      { param: 'messages', code: 'context_length_exceeded' },
    ),
  'missing-model': (model: string) =>
    new TextFailure(404, `The model \`${model}\` does not exist or you do not have access to it.`, {
      code: 'model_not_found',
    }),
  'too-large': () => new TextFailure(413, 'The request body is too large.'),
  'not-json': () =>
    new TextFailure(
      400,
      "We could not parse the JSON body of your request. (HINT: This likely means you aren't using your HTTP library correctly.)",
    ),
  'not-object': () =>
    new TextFailure(400, 'Invalid type for the body: expected an object.', {
      code: 'invalid_type',
    }),
  'no-key': () =>
    new TextFailure(
      401,
      "You didn't provide an API key. You need to provide your API key in an Authorization header using Bearer auth (i.e. Authorization: Bearer YOUR_KEY).",
    ),
  'wrong-key': () =>
    new TextFailure(401, 'Incorrect API key provided.', { code: 'invalid_api_key' }),
  'no-route': (route: string) =>
    new TextFailure(404, `Invalid URL (${route})`, { code: 'unknown_url' }),
  'no-method': (route: string) =>
    new TextFailure(
      405,
      `Not allowed: ${route}. (HINT: Perhaps you meant to use a different HTTP method?)`,
      { code: 'method_not_supported' },
    ),
} as const;

/** Failures that happen to any request, in the words of each dialect. */
export const failures = {
  messages: messagesFailures,
  chat: openaiFailures,
  responses: openaiFailures,
} as const satisfies Record<DialectName, Record<string, (detail: never) => TextFailure>>;
