import fc from 'fast-check';
import { buildDocument, exampleRequests } from '@gateway/api';

type Json = Readonly<Record<string, unknown>>;

/** A request to one route of the document, right or wrong. */
export interface FuzzedRequest {
  readonly operation: string;
  readonly method: string;
  /** As documented. */
  readonly route: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Uint8Array<ArrayBuffer> | undefined;
}

const document = buildDocument({ baseUrl: 'https://gateway.test', version: '0' });

function resolve(schema: Json): Json {
  const target = schema['$ref'];
  return typeof target === 'string'
    ? (document.components.schemas[target.slice(target.lastIndexOf('/') + 1)] ?? {})
    : schema;
}

/** Values that a schema allows, mostly: some of its rules are left to chance. */
function valuesOf(given: Json): fc.Arbitrary<unknown> {
  const schema = resolve(given);
  const {
    const: only,
    enum: allowed,
    oneOf,
    type,
  } = schema as { const?: unknown; enum?: unknown[]; oneOf?: Json[]; type?: string | string[] };
  if (only !== undefined) return fc.constant(only);
  if (allowed !== undefined) return fc.constantFrom(...allowed);
  if (oneOf !== undefined) return fc.oneof(...oneOf.map(valuesOf));
  const types = [type ?? 'string'].flat();
  return fc.oneof(...types.map((each) => byType[each]!(schema)));
}

interface Rules {
  readonly minimum?: number;
  readonly maximum?: number;
  readonly items?: Json;
  readonly minItems?: number;
  readonly properties?: Readonly<Record<string, Json>>;
  readonly required?: readonly string[];
  readonly pattern?: string;
  readonly minLength?: number;
  readonly maxLength?: number;
}

const byType: Readonly<Record<string, (rules: Rules) => fc.Arbitrary<unknown>>> = {
  integer: ({ minimum = 0, maximum = 1_000_000 }) =>
    fc.integer({ min: minimum, max: Math.min(maximum, 2 ** 31 - 1) }),
  number: ({ minimum = 0, maximum = 1_000_000 }) =>
    fc.double({ min: minimum, max: maximum, noNaN: true }),
  boolean: () => fc.boolean(),
  null: () => fc.constant(null),
  array: ({ items = {}, minItems = 0 }) =>
    fc.array(valuesOf(items), { minLength: minItems, maxLength: minItems + 2 }),
  object: ({ properties = {}, required = [] }) =>
    fc.record(
      Object.fromEntries(
        Object.entries(properties).map(([name, field]) => [name, valuesOf(field)]),
      ),
      { requiredKeys: required.filter((name) => name in properties) },
    ),
  string: ({ pattern, minLength = 0, maxLength = 20 }) =>
    pattern === undefined
      ? fc.string({ minLength, maxLength: Math.max(minLength, Math.min(maxLength, 20)) })
      : fc.stringMatching(new RegExp(pattern)),
};

/** An object with one field replaced, taken out, or put in. */
const mutated = (value: fc.Arbitrary<unknown>): fc.Arbitrary<unknown> =>
  fc
    .tuple(
      value,
      fc.nat(),
      fc.jsonValue({ maxDepth: 3 }),
      fc.constantFrom('replace', 'remove', 'add'),
    )
    .map(([whole, place, junk, kind]) => {
      if (typeof whole !== 'object' || whole === null || Array.isArray(whole)) return junk;
      const fields = Object.keys(whole);
      const name = fields[place % Math.max(fields.length, 1)] ?? 'model';
      if (kind === 'remove') {
        return Object.fromEntries(Object.entries(whole).filter(([each]) => each !== name));
      }
      return { ...whole, [kind === 'add' ? `unknown_${place % 7}` : name]: junk };
    });

interface Sent {
  readonly body: FuzzedRequest['body'];
  readonly type: string;
}

function bodiesOf(operation: Json, examples: readonly unknown[]): fc.Arbitrary<Sent> {
  const content = (
    operation['requestBody'] as { content: Record<string, { schema: Json }> } | undefined
  )?.content;
  if (content === undefined) return fc.constant({ body: undefined, type: '' });
  const schema = content['application/json']?.schema;
  const right = fc.oneof(
    ...(schema === undefined ? [] : [valuesOf(schema)]),
    fc.jsonValue({ maxDepth: 4 }),
  );
  const asJson = fc
    .oneof(
      ...(examples.length === 0
        ? []
        : [
            { weight: 3, arbitrary: fc.constantFrom(...examples) },
            { weight: 3, arbitrary: mutated(fc.constantFrom(...examples)) },
          ]),
      { weight: 1, arbitrary: right },
      { weight: 1, arbitrary: mutated(right) },
    )
    .map((value): Sent => ({ body: JSON.stringify(value), type: 'application/json' }));
  const bytes = fc
    .tuple(
      fc.uint8Array({ maxLength: 200 }),
      fc.constantFrom(
        'application/json',
        'text/plain',
        'multipart/form-data',
        'image/png',
        'application/json; charset=latin1',
        '',
      ),
    )
    .map(([body, type]): Sent => ({ body: new Uint8Array(body), type }));
  return fc.oneof({ weight: 5, arbitrary: asJson }, { weight: 1, arbitrary: bytes });
}

interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly required?: boolean;
  /** `deepObject`: each of its fields is one of the query, as in `metadata[order]=17`. */
  readonly style?: string;
  readonly schema: Json;
}

const headerText = fc.stringMatching(/^[!-~]([ -~]{0,30}[!-~])?$/);
const oddParts = [
  '%',
  '%00',
  '%ff',
  '..%2f..',
  '%E0%A4%A',
  'a%2Fb',
  '%20',
  'null',
  '0',
  'video_',
  '__proto__',
  'x'.repeat(300),
];

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null;
const written = (value: unknown): string =>
  isObject(value) ? JSON.stringify(value) : String(value);

function fieldsOf({ name, style }: Parameter, value: unknown): Record<string, string> {
  if (style !== 'deepObject' || !isObject(value)) return { [name]: written(value) };
  return Object.fromEntries(
    Object.entries(value).map(([key, each]) => [`${name}[${key}]`, written(each)]),
  );
}

function namedValues(
  parameters: readonly Parameter[],
  junk: fc.Arbitrary<string>,
): fc.Arbitrary<Record<string, string>> {
  const each = parameters.map((parameter) => {
    const fields = fc.oneof(
      {
        weight: 3,
        arbitrary: valuesOf(parameter.schema).map((value) => fieldsOf(parameter, value)),
      },
      { weight: 1, arbitrary: junk.map((text) => ({ [parameter.name]: text })) },
    );
    return parameter.required === true ? fields : fc.option(fields, { nil: {} });
  });
  return fc.tuple(...each).map((fields) => Object.assign({}, ...fields) as Record<string, string>);
}

/** What is there, so that not everything is refused at the door. */
export interface Known {
  readonly ids: readonly string[];
  /** By the scheme of the document: what opens its routes. */
  readonly secrets: Readonly<Record<'bearer' | 'adminToken' | 'mediaToken', string>>;
  /** A key that opens little. */
  readonly weakKey: string;
  /** Whose file the media token opens. */
  readonly filmId: string;
}

/** The right key most of the time. */
const credentials = (right: string, weakKey: string): fc.Arbitrary<Record<string, string>> =>
  fc.oneof(
    { weight: 12, arbitrary: fc.constant({ authorization: `Bearer ${right}` }) },
    { weight: 2, arbitrary: fc.constant({ 'x-api-key': right }) },
    { weight: 1, arbitrary: fc.constant({ 'x-api-key': weakKey }) },
    { weight: 1, arbitrary: headerText.map((authorization) => ({ authorization })) },
    { weight: 1, arbitrary: fc.constant({}) },
  );

/** The id that a route wants most of the time, when there is one. */
function partsOf(ids: readonly string[], parameters: readonly Parameter[]): fc.Arbitrary<string> {
  const pattern = parameters.find((each) => each.in === 'path')?.schema['pattern'];
  const fitting = ids.filter((id) => typeof pattern === 'string' && new RegExp(pattern).test(id));
  return fc.oneof(
    { weight: 5, arbitrary: fc.constantFrom(...(fitting.length > 0 ? fitting : ids)) },
    { weight: 1, arbitrary: fc.constantFrom(...ids, ...oddParts) },
    { weight: 1, arbitrary: fc.string().map(encodeURIComponent) },
  );
}

const nothing = fc.constant<Record<string, string>>({});
/** Where most can go wrong. */
const weights: Readonly<Record<string, number>> = {
  createVideo: 12,
  quoteVideo: 4,
  createMessage: 4,
  createChatCompletion: 4,
  createAsset: 3,
  rotateCallbackSecret: 2,
  adminCreateKey: 3,
};

function requestsTo(
  known: Known,
  { route, method, operation }: { route: string; method: string; operation: Json },
): fc.Arbitrary<FuzzedRequest> {
  const parameters = (operation['parameters'] ?? []) as readonly Parameter[];
  const ofKind = (kind: string): readonly Parameter[] =>
    parameters.filter((each) => each.in === kind);
  const scheme = Object.keys((operation['security'] as readonly Json[])[0] ?? {})[0] as
    keyof Known['secrets'] | undefined;
  const token =
    scheme === 'mediaToken'
      ? fc.oneof(
          { weight: 3, arbitrary: fc.constant({ token: known.secrets.mediaToken }) },
          { weight: 1, arbitrary: fc.string().map((text) => ({ token: text })) },
        )
      : nothing;
  const unknown = fc.oneof(
    { weight: 8, arbitrary: nothing },
    { weight: 1, arbitrary: fc.dictionary(fc.string(), fc.string(), { maxKeys: 2 }) },
  );
  const query = fc
    .tuple(fc.oneof(nothing, namedValues(ofKind('query'), fc.string())), unknown, token)
    .map((some) =>
      new URLSearchParams(Object.assign({}, ...some) as Record<string, string>).toString(),
    );
  const examples = exampleRequests(document, route, method).flatMap(({ body }) =>
    body === undefined ? [] : [body],
  );
  const headers = namedValues(ofKind('header'), headerText).map((some) =>
    Object.fromEntries(
      Object.entries(some).filter(([, value]) => /^[!-~]([ -~]*[!-~])?$/.test(value)),
    ),
  );
  return fc
    .tuple(
      partsOf(scheme === 'mediaToken' ? [...known.ids, known.filmId] : known.ids, parameters),
      query,
      headers,
      credentials(known.secrets[scheme ?? 'bearer'], known.weakKey),
      bodiesOf(operation, examples),
    )
    .map(([id, search, own, key, { body, type }]) => ({
      operation: String(operation['operationId']),
      method: method.toUpperCase(),
      route,
      body,
      path: `${route.replace(/\{\w+\}/, id)}${search === '' ? '' : `?${search}`}`,
      headers: { ...own, ...key, ...(type !== '' && { 'content-type': type }) },
    }));
}

/** Requests to every route of the document. */
export const fuzzedRequests = (known: Known): fc.Arbitrary<FuzzedRequest> =>
  fc.oneof(
    ...Object.entries(document.paths).flatMap(([route, methods]) =>
      Object.entries(methods).map(([method, operation]) => ({
        weight: weights[String(operation['operationId'])] ?? 1,
        arbitrary: requestsTo(known, { route, method, operation }),
      })),
    ),
  );
