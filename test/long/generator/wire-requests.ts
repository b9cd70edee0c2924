import fc from 'fast-check';
import { gzipSync } from 'node:zlib';
import { fuzzedRequests, type FuzzedRequest, type Known } from '../fuzz-requests.ts';

/** A request as the bytes that go over the wire, well formed or not. */
export interface WireRequest {
  readonly operation: string;
  readonly method: string;
  readonly path: string;
  readonly bytes: Buffer;
  /** The document has this method for this route, so its responses are the documented ones. */
  readonly isDocumented: boolean;
  /** It is no HTTP: whoever goes on reading it may cut the connection under the response. */
  readonly isMisframed: boolean;
  /** The client ends its side before its body is whole. */
  readonly endsEarly: boolean;
}

interface Body {
  readonly type: string | undefined;
  readonly bytes: Buffer;
}

const text = fc.oneof(
  fc.string({ maxLength: 30 }),
  fc.constantFrom('', '"', '\\', 'é', '\u0000', '../x', 'a'.repeat(300), '%22', '\r\n', '😀'),
);
const boundary = fc.constantFrom('x', 'gateway-boundary', 'a b', "'()+_,-./:=?", 'b'.repeat(70));

const disposition: fc.Arbitrary<string> = fc.oneof(
  { weight: 4, arbitrary: fc.constant('form-data; name="file"; filename="a.png"') },
  { weight: 2, arbitrary: fc.constant('form-data; name="name"') },
  // What a parser may call undefined, or not know at all.
  {
    weight: 6,
    arbitrary: fc.constantFrom(
      'form-data',
      'form-data; filename="a.png"',
      'form-data; name',
      'form-data; name=',
      'form-data; name=""',
      'form-data; name="file"',
      'form-data; name="file"; filename',
      'form-data; name="file"; filename=""',
      'form-data; name="file"; filename*=UTF-8\'\'%E0%A4%A',
      'form-data; name="__proto__"',
      'form-data; name="constructor"; filename="x"',
      'attachment; name="file"; filename="a.png"',
      'form-data; name="name"; name="file"',
      '',
    ),
  },
  { weight: 2, arbitrary: text.map((name) => `form-data; name="${name}"`) },
  { weight: 2, arbitrary: text.map((name) => `form-data; name="file"; filename="${name}"`) },
);

const partType = fc.option(
  fc.constantFrom(
    'image/png',
    'video/mp4',
    'text/plain',
    'application/octet-stream',
    'a',
    '/',
    'multipart/mixed; boundary=y',
  ),
  { nil: undefined },
);

const png = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);
const content = fc.oneof(
  fc.constant(png),
  fc.uint8Array({ maxLength: 200 }).map((bytes) => Buffer.from(bytes)),
  text.map((each) => Buffer.from(each)),
  fc.constantFrom('{"a":1}', 'a name', 'x'.repeat(3_000)).map((each) => Buffer.from(each)),
);

const part = fc
  .tuple(
    fc.option(disposition, { nil: undefined, freq: 8 }),
    partType,
    fc.array(
      fc.constantFrom(
        'x-a: b',
        'no colon',
        ': no name',
        'content-transfer-encoding: base64',
        `x-long: ${'y'.repeat(900)}`,
      ),
      { maxLength: 1 },
    ),
    content,
  )
  .map(([disposed, type, more, bytes]) =>
    Buffer.concat([
      Buffer.from(
        [
          ...(disposed === undefined ? [] : [`content-disposition: ${disposed}`]),
          ...(type === undefined ? [] : [`content-type: ${type}`]),
          ...more,
          '',
          '',
        ].join('\r\n'),
      ),
      bytes,
    ]),
  );

const multipart: fc.Arbitrary<Body> = fc
  .tuple(
    boundary,
    fc.array(part, { maxLength: 4 }),
    fc.constantFrom(
      'whole',
      'whole',
      'whole',
      'whole',
      'unended',
      'cut',
      'other boundary',
      'no boundary',
      'quoted',
    ),
  )
  .map(([border, parts, end]) => {
    const bytes = Buffer.concat([
      ...parts.flatMap((each) => [Buffer.from(`--${border}\r\n`), each, Buffer.from('\r\n')]),
      Buffer.from(end === 'unended' ? '' : `--${border}--\r\n`),
    ]);
    return {
      type: `multipart/form-data${boundaryParameter(border, end)}`,
      bytes: end === 'cut' ? bytes.subarray(0, Math.floor(bytes.length / 2)) : bytes,
    };
  });

function boundaryParameter(border: string, end: string): string {
  if (end === 'no boundary') return '';
  if (end === 'other boundary') return '; boundary=another';
  return end === 'quoted' || border.includes(' ')
    ? `; boundary="${border}"`
    : `; boundary=${border}`;
}

const form: fc.Arbitrary<Body> = fc.array(fc.tuple(text, text), { maxLength: 4 }).map((pairs) => ({
  type: 'application/x-www-form-urlencoded',
  bytes: Buffer.from(new URLSearchParams(pairs).toString()),
}));

const types = [
  'application/json',
  'application/json; charset=utf-16',
  'application/json; charset=',
  'APPLICATION/JSON;;',
  'text/plain',
  'text/event-stream',
  'image/png',
  'video/mp4',
  'application/octet-stream',
  'multipart/form-data',
  'multipart/mixed; boundary=x',
  'application/xml',
  '*/*',
  ';',
  'é',
];
const binary: fc.Arbitrary<Body> = fc
  .tuple(fc.option(fc.constantFrom(...types), { nil: undefined }), content)
  .map(([type, bytes]) => ({ type, bytes }));

const brokenJson: fc.Arbitrary<Body> = fc
  .constantFrom(
    '{',
    '[]',
    'null',
    '"x"',
    '1e400',
    '{"model":"a","model":"b"}',
    '{"model":"\\ud800"}',
    '{"__proto__":{"a":1}}',
    '\ufeff{}',
    '['.repeat(5_000),
    `{"model":${'['.repeat(200)}${']'.repeat(200)}}`,
    '{"n":123456789012345678901234567890}',
  )
  .map((json) => ({ type: 'application/json', bytes: Buffer.from(json) }));

const ownBody = ({ headers, body }: FuzzedRequest): Body => ({
  type: headers['content-type'],
  bytes: body === undefined ? Buffer.alloc(0) : Buffer.from(body),
});

const oddHeaders = fc.array(
  fc.constantFrom(
    'content-encoding: gzip',
    'content-encoding: br',
    'content-encoding: identity',
    'content-encoding: x',
    'accept: image/png',
    'accept: text/event-stream',
    'accept-encoding: br;q=x',
    'expect: 100-continue',
    'range: bytes=5-2',
    'range: bytes=a-',
    'range: bytes=0-0,2-3',
    'if-range: "x"',
    'if-none-match: *',
    'if-modified-since: yesterday',
    'last-event-id: -1',
    'last-event-id: 99999999999999999999',
    'idempotency-key: ',
    `idempotency-key: ${'k'.repeat(300)}`,
    'idempotency-key: same',
    'anthropic-version: 1',
    'x-request-id: a b',
    'x-http-method-override: DELETE',
    'traceparent: 00-zz',
    'cookie: a=b',
    'upgrade: websocket',
    'upgrade: h2c',
    'http2-settings: AAMAAABkAAQAAP__',
    'origin: null',
    'authorization: Basic eDp5',
    'x-api-key: ',
    'bad name: x',
    'no colon',
    ' folded: x',
    'x-nul: a\u0000b',
    `x-large: ${'z'.repeat(17_000)}`,
    `x-bytes: \u00ff\u00fe`,
  ),
  { maxLength: 2 },
);

const methods = [
  'GET',
  'HEAD',
  'POST',
  'PUT',
  'PATCH',
  'DELETE',
  'OPTIONS',
  'TRACE',
  'QUERY',
  'PROPFIND',
  'CONNECT',
  'get',
  'FOO',
];
const framings = [
  'length',
  'chunked',
  'short',
  'long',
  'both',
  'twice',
  'negative',
  'bad chunk',
] as const;
type Framing = (typeof framings)[number];

/** The headers and bytes by which a body is framed, rightly in the first two ways. */
const framed: Readonly<Record<Framing, (body: Buffer) => readonly [string[], Buffer]>> = {
  length: (body) => [[`content-length: ${body.length}`], body],
  chunked: (body) => [
    ['transfer-encoding: chunked'],
    Buffer.concat([
      ...(body.length === 0
        ? []
        : [Buffer.from(`${body.length.toString(16)}\r\n`), body, Buffer.from('\r\n')]),
      Buffer.from('0\r\n\r\n'),
    ]),
  ],
  short: (body) => [[`content-length: ${body.length + 10}`], body],
  long: (body) => [[`content-length: ${Math.floor(body.length / 2)}`], body],
  both: (body) => [[`content-length: ${body.length}`, 'transfer-encoding: chunked'], body],
  twice: (body) => [[`content-length: ${body.length}`, 'content-length: 3'], body],
  negative: (body) => [['content-length: -1'], body],
  'bad chunk': (body) => [
    ['transfer-encoding: chunked'],
    Buffer.concat([Buffer.from('zz\r\n'), body]),
  ],
};

interface Variation {
  readonly body: Body | undefined;
  readonly method: string | undefined;
  readonly odd: readonly string[];
  readonly framing: Framing;
  readonly isPacked: boolean;
}

const often = <Value>(usual: Value, weight: number, other: fc.Arbitrary<Value>) =>
  fc.oneof({ weight, arbitrary: fc.constant(usual) }, { weight: 1, arbitrary: other });

const variation: fc.Arbitrary<Variation> = fc.record({
  body: fc.oneof(
    { weight: 6, arbitrary: fc.constant(undefined) },
    { weight: 4, arbitrary: multipart },
    { weight: 1, arbitrary: form },
    { weight: 2, arbitrary: binary },
    { weight: 2, arbitrary: brokenJson },
  ),
  method: often<string | undefined>(undefined, 10, fc.constantFrom(...methods)),
  odd: often<readonly string[]>([], 2, oddHeaders),
  framing: often<Framing>('length', 6, fc.constantFrom(...framings)),
  isPacked: often(false, 20, fc.constant(true)),
});

/** A form where one belongs: most others are refused for their type before they are read. */
const bodyFor = (asked: FuzzedRequest, { body }: Variation): Body => body ?? ownBody(asked);

function onTheWire(asked: FuzzedRequest, varied: Variation): WireRequest {
  const { type, bytes } = bodyFor(asked, varied);
  const method = varied.method ?? asked.method;
  const [framing, body] = framed[varied.framing](varied.isPacked ? gzipSync(bytes) : bytes);
  const { 'content-type': _, ...headers } = asked.headers;
  const lines = [
    `${method} ${asked.path} HTTP/1.1`,
    'host: gateway.test',
    'connection: close',
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
    ...(type === undefined ? [] : [`content-type: ${type}`]),
    ...(varied.isPacked ? ['content-encoding: gzip'] : []),
    ...framing,
    ...varied.odd,
  ];
  return {
    operation: asked.operation,
    method,
    path: asked.path,
    bytes: Buffer.concat([Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1'), body]),
    isDocumented: method === asked.method,
    isMisframed: !['length', 'chunked'].includes(varied.framing),
    endsEarly: varied.framing === 'short',
  };
}

/** Requests to every route of the document in every way a body, a header or a framing can be wrong. */
export const wireRequests = (known: Known): fc.Arbitrary<WireRequest> =>
  fc.tuple(fuzzedRequests(known), variation).map(([asked, varied]) => onTheWire(asked, varied));
