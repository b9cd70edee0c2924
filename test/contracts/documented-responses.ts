import { buildDocument, codesIn, resolved, type DocumentedResponse } from '@gateway/api';
import { createJsonSchemas, type JsonSchemas, type Validate } from './json-schema.ts';

/** A response of the gateway as a client saw it. */
export interface SeenResponse {
  readonly method: string;
  /** With its query. */
  readonly path: string;
  readonly status: number;
  /** By lower-case name. */
  readonly headers: Readonly<Record<string, string>>;
  /** Only read when the response is JSON. */
  readonly body: () => string;
}

/** By type. */
type Content = NonNullable<DocumentedResponse['content']>;

const document = buildDocument({ baseUrl: 'https://gateway.test', version: '0' });

/** Fixed paths before those with ids in them. */
const paths = Object.keys(document.paths)
  .map((path) => ({
    path,
    pattern: new RegExp(`^${path.replace(/\{model\}/g, '.+').replace(/\{\w+\}/g, '[^/]+')}$`),
  }))
  .sort((one, other) => Number(one.path.includes('{')) - Number(other.path.includes('{')));

/**
 * What a response to a documented route has that the document does not say, in words; nothing for
 * other routes.
 */
export function mismatchesOf(response: SeenResponse): string[] {
  const [asked = ''] = response.path.split('?', 1);
  const path = paths.find(({ pattern }) => pattern.test(asked))?.path;
  if (path === undefined) return [];
  const method = response.method === 'HEAD' ? 'get' : response.method.toLowerCase();
  const operation = document.paths[path]?.[method];
  const complaints =
    operation === undefined
      ? otherMethod(path, response)
      : complaintsAbout(
          { path, responses: operation['responses'] as Record<string, DocumentedResponse> },
          response,
        );
  return complaints.map(
    (complaint) => `${response.method} ${path} ${response.status}: ${complaint}`,
  );
}

/** Without ADMIN_TOKEN there is nothing under /admin/v1. */
const isAbsent = (path: string, { status }: SeenResponse): boolean =>
  status === 404 && path.startsWith('/admin/v1/');

function otherMethod(path: string, response: SeenResponse): string[] {
  const isRefused = [401, 405].includes(response.status) || isAbsent(path, response);
  // What a browser asks before a page's request, where the operator lets it.
  const isPreflight = response.method.toUpperCase() === 'OPTIONS' && response.status === 204;
  return isRefused || isPreflight
    ? []
    : ['a method that the document does not name gets a response'];
}

function complaintsAbout(
  { path, responses }: { path: string; responses: Readonly<Record<string, DocumentedResponse>> },
  response: SeenResponse,
): string[] {
  if (isAbsent(path, response) && response.body().includes('route_not_found')) return [];
  const named =
    responses[response.status] === undefined && response.status >= 400
      ? 'default'
      : String(response.status);
  const documented = responses[named];
  if (documented === undefined) {
    return [
      `the document does not name this status; the response is ${response.body().slice(0, 300)}`,
    ];
  }
  const said = resolved(document, documented);
  const missing = response.headers['x-request-id'] === undefined ? ['x-request-id is missing'] : [];
  if (response.method === 'HEAD' || said.content === undefined) return missing;
  const mismatches = contentMismatches(response, said.content);
  return [
    ...missing,
    ...(mismatches.length > 0 ? mismatches : codeMismatches(codesIn(documented), response)),
  ];
}

/** Text routes pass on what upstreams say, whose codes may be any. */
function codeMismatches(codes: readonly string[], { path, body }: SeenResponse): string[] {
  if (codes.length === 0 || isText(path)) return [];
  const { error } = JSON.parse(body()) as { error: { code: string } };
  return codes.includes(error.code) ? [] : [`the document does not name the code ${error.code}`];
}

const isText = (path: string): boolean =>
  /^(\/v1)?\/(messages|chat|responses|embeddings)\b/.test(path);

function contentMismatches(response: SeenResponse, content: Content): string[] {
  const type = (response.headers['content-type'] ?? '').split(';', 1)[0]?.toLowerCase() ?? '';
  const said = content[type];
  if (said === undefined) {
    return [`the document does not name the content type ${JSON.stringify(type)}`];
  }
  return type === 'application/json' ? bodyMismatches(said.schema, response.body()) : [];
}

function bodyMismatches(schema: object, body: string): string[] {
  let value: unknown;
  try {
    value = JSON.parse(body);
  } catch {
    return [`the body is not JSON: ${body.slice(0, 200)}`];
  }
  const validate = validatorOf(schema);
  if (validate(value)) return [];
  return (validate.errors ?? [])
    .slice(0, 5)
    .map(
      ({ instancePath, message, params }) =>
        `${instancePath === '' ? 'the body' : instancePath} ${message ?? ''} ${JSON.stringify(params)}; the response is ${body.slice(0, 500)}`,
    );
}

let schemas: JsonSchemas | undefined;
const validators = new Map<object, Validate>();

/** Made when it is first needed: no test asks for all of them, and the whole takes half a second. */
function validatorOf(schema: object): Validate {
  if (schemas === undefined) {
    schemas = createJsonSchemas();
    schemas.addSchema({ $id: 'document', components: closed(document.components) });
  }
  const validate = validators.get(schema) ?? schemas.compile(closed(schema) as object);
  validators.set(schema, validate);
  return validate;
}

/**
 * Clients must bear fields that they do not know; we name every field that we send. References lead
 * into the document from wherever a part of it stands.
 */
function closed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(closed);
  if (typeof value !== 'object' || value === null) return value;
  const parts = Object.fromEntries(
    Object.entries(value).map(([name, part]) => [
      name,
      name === '$ref' ? `document${String(part)}` : closed(part),
    ]),
  );
  const isObject =
    [parts['type']].flat().includes('object') && typeof parts['properties'] === 'object';
  return isObject && parts['additionalProperties'] === undefined
    ? { ...parts, additionalProperties: false }
    : parts;
}
