import { describe, expect, it } from '@jest/globals';
import { errorCatalogue, GatewayError, type ErrorCode } from '@gateway/domain';
import {
  gatewayErrorBody,
  pingEvent,
  readUpstreamFailure,
  writeFailure,
  writeFailureEvent,
  type UpstreamFailure,
  type UpstreamFailureCode,
} from '@gateway/text-dialects';

interface Told {
  readonly status: number;
  readonly body: unknown;
  readonly headers?: Record<string, string>;
}

const read = ({ status, body, headers = {} }: Told): UpstreamFailure =>
  readUpstreamFailure({
    dialect: 'chat',
    status,
    headers,
    body: Buffer.from(typeof body === 'string' ? body : JSON.stringify(body)),
  });

const openai = (error: object) => ({
  error: { message: 'Sorry.', type: 'x', param: null, code: null, ...error },
});

describe('an upstream’s failed response', () => {
  it.each<[string, Told, Partial<UpstreamFailure>]>([
    [
      'OpenAI, with a parameter',
      {
        status: 400,
        body: openai({
          message: 'Bad top_p',
          type: 'invalid_request_error',
          param: 'top_p',
          code: 'invalid_value',
        }),
      },
      { status: 400, code: 'invalid_request', message: 'Bad top_p', param: 'top_p' },
    ],
    [
      'OpenAI, the key',
      { status: 401, body: openai({ code: 'invalid_api_key' }) },
      { status: 401, code: 'authentication' },
    ],
    [
      'OpenAI, quota as a 429',
      { status: 429, body: openai({ type: 'insufficient_quota', code: 'insufficient_quota' }) },
      { status: 429, code: 'insufficient_quota' },
    ],
    [
      'OpenAI, rate',
      { status: 429, body: openai({ type: 'tokens', code: 'rate_limit_exceeded' }) },
      { code: 'rate_limited' },
    ],
    [
      'OpenAI, tokens a minute, which is no long prompt',
      {
        status: 429,
        body: openai({
          message:
            'Request too large: Limit 10000, Requested 12000. Please reduce the length of the messages.',
          code: 'rate_limit_exceeded',
        }),
      },
      { code: 'rate_limited' },
    ],
    [
      'OpenAI, unknown model as a 404 of type invalid_request_error',
      { status: 404, body: openai({ type: 'invalid_request_error' }) },
      { code: 'not_found' },
    ],
    [
      'Anthropic, overloaded',
      {
        status: 529,
        body: { type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } },
      },
      { status: 529, code: 'overloaded', message: 'Overloaded' },
    ],
    [
      'Anthropic, balance',
      {
        status: 400,
        body: {
          type: 'error',
          error: {
            type: 'invalid_request_error',
            message: 'Your credit balance is too low to access the API',
          },
        },
      },
      { code: 'insufficient_quota' },
    ],
    [
      'vLLM',
      {
        status: 400,
        body: { object: 'error', message: 'No such thing', type: 'BadRequestError', code: 400 },
      },
      { code: 'invalid_request', message: 'No such thing' },
    ],
    [
      'FastAPI, a sentence',
      { status: 404, body: { detail: 'Not Found' } },
      { code: 'not_found', message: 'Not Found' },
    ],
    [
      'FastAPI, a list',
      {
        status: 422,
        body: {
          detail: [
            { loc: ['body', 'messages', 0, 'role'], msg: 'field required', type: 'value_error' },
            { loc: ['body', 'x'], msg: 'extra' },
          ],
        },
      },
      {
        status: 422,
        code: 'invalid_request',
        message: 'messages[0].role: field required; x: extra',
        param: 'messages[0].role',
      },
    ],
    [
      'Mistral',
      {
        status: 422,
        body: {
          object: 'error',
          message: { detail: [{ loc: ['body', 'x'], msg: 'Extra inputs' }] },
          type: 'invalid_request_error',
        },
      },
      { code: 'invalid_request', message: 'x: Extra inputs' },
    ],
    [
      'OpenRouter, with what the vendor behind it said',
      {
        status: 502,
        body: {
          error: {
            code: 429,
            message: 'Provider returned error',
            metadata: {
              raw: '{"error":{"message":"slow down","type":"rate_limit_error"}}',
              provider_name: 'P',
            },
          },
        },
      },
      { status: 502, code: 'rate_limited', message: 'slow down' },
    ],
    [
      'Google’s array',
      {
        status: 429,
        body: [
          {
            error: {
              code: 429,
              message: 'You exceeded your current quota',
              status: 'RESOURCE_EXHAUSTED',
              details: [{ '@type': 'RetryInfo', retryDelay: '34s' }],
            },
          },
        ],
      },
      { code: 'rate_limited', retryAfterSeconds: 34 },
    ],
    [
      'Azure’s content filter',
      {
        status: 400,
        body: openai({
          message: 'filtered',
          code: 'content_filter',
          innererror: { code: 'ResponsibleAIPolicyViolation' },
        }),
      },
      { code: 'content_filter' },
    ],
    [
      'DashScope’s inspection',
      {
        status: 400,
        body: openai({
          message: 'may contain inappropriate content',
          code: 'data_inspection_failed',
        }),
      },
      { code: 'content_filter' },
    ],
    [
      'DeepSeek’s balance',
      { status: 402, body: openai({ message: 'Insufficient Balance' }) },
      { code: 'insufficient_quota' },
    ],
    [
      'MiniMax, in a response of status 200',
      {
        status: 200,
        body: { base_resp: { status_code: 1008, status_msg: 'insufficient balance' } },
      },
      { status: 402, code: 'insufficient_quota', message: 'insufficient balance' },
    ],
    [
      'an error object in a response of status 200',
      { status: 200, body: openai({ code: 503, message: 'busy' }) },
      { status: 503, code: 'overloaded', message: 'busy' },
    ],
    [
      'an error without any sign in a response of status 200',
      { status: 200, body: openai({ message: 'oops' }) },
      { status: 502, code: 'server_error', message: 'oops' },
    ],
    [
      'an error that is a text',
      { status: 500, body: { error: 'boom' } },
      { code: 'server_error', message: 'boom' },
    ],
    ['a time-out', { status: 408, body: '' }, { code: 'timeout' }],
    [
      'a proxy’s page',
      {
        status: 503,
        body: '<html><head><style>p{}</style><title>503</title></head><body><h1>No server</h1></body></html>',
      },
      {
        status: 503,
        code: 'overloaded',
        message: 'The upstream returned 503 Service Unavailable: 503 No server',
      },
    ],
    [
      'an empty body',
      { status: 502, body: '' },
      {
        status: 502,
        code: 'server_error',
        message: 'The upstream returned 502 Bad Gateway with an empty body.',
      },
    ],
    [
      'JSON that says nothing',
      { status: 500, body: { a: 1 } },
      { code: 'server_error', message: 'The upstream returned 500 Internal Server Error: {"a":1}' },
    ],
    ['null', { status: 400, body: 'null' }, { code: 'invalid_request' }],
  ])('is understood: %s', (_name, told, expected) => {
    expect(read(told)).toMatchObject(expected);
  });

  it('shows two hundred characters of a long page', () => {
    expect(read({ status: 500, body: 'x'.repeat(5_000) }).message).toHaveLength(
      'The upstream returned 500 Internal Server Error: '.length + 200,
    );
  });

  it.each<[string, Record<string, string>, number | undefined]>([
    ['seconds', { 'retry-after': '7' }, 7],
    ['milliseconds first', { 'retry-after': '7', 'retry-after-ms': '1500' }, 1.5],
    [
      'a date, against the response’s own',
      { 'retry-after': 'Sat, 21 Nov 2026 12:00:30 GMT', date: 'Sat, 21 Nov 2026 12:00:00 GMT' },
      30,
    ],
    [
      'a date that has passed',
      { 'retry-after': 'Sat, 21 Nov 2026 11:00:30 GMT', date: 'Sat, 21 Nov 2026 12:00:00 GMT' },
      undefined,
    ],
    ['nonsense', { 'retry-after': 'soon' }, undefined],
    ['nothing', {}, undefined],
  ])('says how long to wait: %s', (_name, headers, expected) => {
    expect(read({ status: 429, body: '', headers }).retryAfterSeconds).toBe(expected);
  });
});

describe('a prompt that is too long', () => {
  const tooLong = 'prompt is too long: 10000 tokens > 8192 maximum';
  it.each([
    [
      "This model's maximum context length is 8192 tokens. However, your messages resulted in 10000 tokens. Please reduce the length of the messages.",
      tooLong,
    ],
    [
      "This model's maximum context length is 8192 tokens. However, your messages resulted in 10000 tokens (9000 in the messages, 1000 in the functions).",
      tooLong,
    ],
    [
      "This model's maximum context length is 8192 tokens. However, you requested 12000 tokens (9000 in the messages, 1000 in the functions, and 2000 in the completion).",
      tooLong,
    ],
    [
      "This model's maximum context length is 8192 tokens. However, you requested 9000 tokens (8000 in the messages, 1000 in the completion). Please reduce the length of the messages or completion.",
      'input length and `max_tokens` exceed context limit: 8000 + 1000 > 8192, decrease input length or `max_tokens` and try again',
    ],
    [
      "'max_tokens' or 'max_completion_tokens' is too large: 20000. This model's maximum context length is 32768 tokens and your request has 15000 input tokens (20000 > 32768 - 15000).",
      'input length and `max_tokens` exceed context limit: 15000 + 20000 > 32768, decrease input length or `max_tokens` and try again',
    ],
    [
      "This endpoint's maximum context length is 8192 tokens. However, you requested about 12000 tokens (10000 of text input, 2000 in the output). Please reduce the length of either one.",
      tooLong,
    ],
    ["The input (10000 tokens) is longer than the model's context length (8192 tokens).", tooLong],
    [
      'The decoder prompt (length 10000) is longer than the maximum model length of 8192. Make sure that `max_model_len` is no smaller.',
      tooLong,
    ],
    [
      "Requested token count exceeds the model's maximum context length of 8192 tokens. You requested a total of 12000 tokens: 10000 tokens from the input messages and 2000 tokens for the completion.",
      tooLong,
    ],
    [
      'request (10000 tokens) exceeds the available context size (8192 tokens), try increasing it',
      tooLong,
    ],
    [
      'The input token count (10,000) exceeds the maximum number of tokens allowed (8,192).',
      tooLong,
    ],
    [
      'Prompt contains 10000 tokens and 0 draft tokens, too large for model with 8192 maximum context length',
      tooLong,
    ],
    ["This model's maximum prompt length is 8192 but the request contains 10000 tokens.", tooLong],
    ['Invalid request: Your request exceeded model token limit: 8192 (requested: 10000)', tooLong],
    ['prompt is too long: 10000 tokens > 8192 maximum', tooLong],
    [
      'input length and `max_tokens` exceed context limit: 1 + 2 > 2, decrease input length or `max_tokens` and try again',
      'input length and `max_tokens` exceed context limit: 1 + 2 > 2, decrease input length or `max_tokens` and try again',
    ],
    [
      'Range of input length should be [1, 8192]',
      'prompt is too long: Range of input length should be [1, 8192]',
    ],
    [
      'Your input exceeds the context window of this model. Please adjust your input and try again.',
      'prompt is too long: Your input exceeds the context window of this model. Please adjust your input and try again.',
    ],
    [
      'Input is too long for requested model.',
      'prompt is too long: Input is too long for requested model.',
    ],
    [
      'context window exceeds limit (2013)',
      'prompt is too long: context window exceeds limit (2013)',
    ],
  ])('is recognised, and told in the words that clients read: %s', (message, expected) => {
    const failure = read({ status: 400, body: openai({ message }) });

    expect(failure.code).toBe('context_length_exceeded');
    expect(writeFailure({ dialect: 'messages', failure, requestId: 'r' }).body).toMatchObject({
      error: { type: 'invalid_request_error', message: expected },
    });
    expect(writeFailure({ dialect: 'chat', failure, requestId: 'r' }).body).toMatchObject({
      error: {
        code: 'context_length_exceeded',
        message: expect.stringMatching(/this model's maximum context length is/i),
      },
    });
  });

  it.each([
    [
      'prompt is too long: 10000 tokens > 8192 maximum',
      "This model's maximum context length is 8192 tokens. However, your messages resulted in 10000 tokens. Please reduce the length of the messages.",
    ],
    [
      'input length and `max_tokens` exceed context limit: 8000 + 1000 > 8192, decrease input length or `max_tokens` and try again',
      "This model's maximum context length is 8192 tokens. However, you requested 9000 tokens (8000 in the messages, 1000 in the completion). Please reduce the length of the messages or completion.",
    ],
    [
      'Input is too long for requested model.',
      "This model's maximum context length is exceeded: Input is too long for requested model.",
    ],
    [
      "This model's maximum context length is 8192 tokens and you know it.",
      "This model's maximum context length is 8192 tokens and you know it.",
    ],
  ])('has its figures in the sentence for chat clients: %s', (message, expected) => {
    const failure = read({ status: 400, body: openai({ message }) });

    expect(writeFailure({ dialect: 'chat', failure, requestId: 'r' }).body).toMatchObject({
      error: { message: expected },
    });
  });

  it('is recognised by its code, and under 413 and 500', () => {
    expect(read({ status: 400, body: openai({ code: 'context_length_exceeded' }) }).code).toBe(
      'context_length_exceeded',
    );
    expect(read({ status: 413, body: openai({ message: 'prompt is too long' }) }).code).toBe(
      'context_length_exceeded',
    );
    expect(
      read({
        status: 500,
        body: openai({ message: 'the request exceeds the available context size' }),
      }).code,
    ).toBe('context_length_exceeded');
    expect(read({ status: 413, body: openai({ message: 'too many bytes' }) }).code).toBe(
      'payload_too_large',
    );
  });
});

describe('a failure in the client’s dialect', () => {
  const rows: readonly (readonly [
    UpstreamFailureCode,
    number,
    string,
    number,
    string,
    string | null,
  ])[] = [
    ['invalid_request', 400, 'invalid_request_error', 400, 'invalid_request_error', null],
    [
      'context_length_exceeded',
      400,
      'invalid_request_error',
      400,
      'invalid_request_error',
      'context_length_exceeded',
    ],
    [
      'content_filter',
      400,
      'invalid_request_error',
      400,
      'invalid_request_error',
      'content_filter',
    ],
    ['authentication', 502, 'api_error', 502, 'server_error', 'upstream_error'],
    ['insufficient_quota', 402, 'billing_error', 429, 'insufficient_quota', 'insufficient_quota'],
    ['permission', 403, 'permission_error', 403, 'permission_error', null],
    ['not_found', 404, 'not_found_error', 404, 'invalid_request_error', 'model_not_found'],
    [
      'payload_too_large',
      413,
      'request_too_large',
      413,
      'invalid_request_error',
      'payload_too_large',
    ],
    ['rate_limited', 429, 'rate_limit_error', 429, 'rate_limit_error', 'rate_limit_exceeded'],
    ['overloaded', 529, 'overloaded_error', 503, 'server_error', 'overloaded'],
    ['timeout', 504, 'timeout_error', 504, 'server_error', 'upstream_timeout'],
    ['server_error', 502, 'api_error', 502, 'server_error', 'server_error'],
    ['truncated', 502, 'api_error', 502, 'server_error', 'upstream_truncated'],
  ];
  it.each(rows)('%s', (code, messagesStatus, messagesType, chatStatus, chatType, chatCode) => {
    const failure: UpstreamFailure = { status: 599, code, message: 'm', param: 'p' };
    const toMessages = writeFailure({ dialect: 'messages', failure, requestId: 'req_1' });
    const toChat = writeFailure({ dialect: 'chat', failure, requestId: 'req_1' });

    expect(toMessages).toMatchObject({
      status: messagesStatus,
      body: { type: 'error', error: { type: messagesType }, request_id: 'req_1' },
    });
    expect(toChat).toMatchObject({
      status: chatStatus,
      body: { error: { type: chatType, code: chatCode, param: 'p' } },
    });
  });

  it('never shows what a vendor said about the gateway’s credential', () => {
    const failure = read({
      status: 401,
      body: openai({ message: 'Incorrect API key provided: sk-abcd', code: 'invalid_api_key' }),
    });

    expect(
      JSON.stringify([
        writeFailure({ dialect: 'chat', failure, requestId: 'r' }),
        writeFailureEvent({ dialect: 'messages', failure }),
      ]),
    ).not.toContain('sk-abcd');
  });

  it('keeps an internal error of the upstream a 500', () => {
    expect(
      writeFailure({
        dialect: 'chat',
        failure: { status: 500, code: 'server_error', message: 'm' },
        requestId: 'r',
      }).status,
    ).toBe(500);
  });

  it('passes on the wait in whole seconds, and asks not to try again when the quota is used up', () => {
    expect(
      writeFailure({
        dialect: 'chat',
        failure: { status: 429, code: 'rate_limited', message: 'm', retryAfterSeconds: 1.2 },
        requestId: 'r',
      }).headers,
    ).toEqual({ 'retry-after': '2' });
    expect(
      writeFailure({
        dialect: 'messages',
        failure: { status: 402, code: 'insufficient_quota', message: 'm' },
        requestId: 'r',
      }).headers,
    ).toEqual({ 'x-should-retry': 'false' });
  });

  it('is one event in a stream that has begun, without [DONE]', () => {
    const failure: UpstreamFailure = { status: 529, code: 'overloaded', message: 'two\nlines' };

    expect(writeFailureEvent({ dialect: 'messages', failure, requestId: 'r' })).toBe(
      'event: error\ndata: {"type":"error","error":{"type":"overloaded_error","message":"two\\nlines"},"request_id":"r"}\n\n',
    );
    expect(writeFailureEvent({ dialect: 'chat', failure })).toBe(
      'data: {"error":{"message":"two\\nlines","type":"server_error","param":null,"code":"overloaded"}}\n\n',
    );
  });
});

describe('an error of the gateway itself', () => {
  it.each<[ErrorCode, string]>([
    ['invalid_json', 'invalid_request_error'],
    ['missing_api_key', 'authentication_error'],
    ['insufficient_quota', 'billing_error'],
    ['model_not_allowed', 'permission_error'],
    ['model_not_found', 'not_found_error'],
    ['method_not_allowed', 'invalid_request_error'],
    ['idempotency_key_reused', 'conflict_error'],
    ['payload_too_large', 'request_too_large'],
    ['rate_limit_exceeded', 'rate_limit_error'],
    ['internal', 'api_error'],
    ['upstream_error', 'api_error'],
    ['upstream_unavailable', 'api_error'],
    ['upstream_timeout', 'timeout_error'],
  ])('%s is a %s on the messages route', (code, type) => {
    expect(
      gatewayErrorBody({
        dialect: 'messages',
        error: new GatewayError(code, 'm'),
        requestId: 'req_1',
      }),
    ).toEqual({
      status: errorCatalogue[code].status,
      body: { type: 'error', error: { type, message: 'm' }, request_id: 'req_1' },
    });
  });

  it('has code, parameter and all violations on the chat route', () => {
    const details = [
      { param: 'n', message: 'm' },
      { param: 'top_p', message: 'o' },
    ];

    expect(
      gatewayErrorBody({
        dialect: 'chat',
        error: new GatewayError('invalid_parameter', 'm', { param: 'n', details }),
        requestId: 'r',
      }),
    ).toEqual({
      status: 400,
      body: {
        error: {
          message: 'm',
          type: 'invalid_request_error',
          code: 'invalid_parameter',
          param: 'n',
          details,
        },
      },
    });
    expect(
      gatewayErrorBody({
        dialect: 'chat',
        error: new GatewayError('internal', 'm'),
        requestId: 'r',
      }).body,
    ).toEqual({ error: { message: 'm', type: 'internal_error', code: 'internal', param: null } });
  });
});

describe('a sign of life', () => {
  it('is a real event for messages clients and a comment for chat clients', () => {
    expect([pingEvent('messages'), pingEvent('chat')]).toEqual([
      'event: ping\ndata: {"type": "ping"}\n\n',
      ': ping\n\n',
    ]);
  });
});
