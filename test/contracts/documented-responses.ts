import { buildDocument } from '@gateway/api';
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

interface DocumentedResponse {
  readonly headers: Readonly<Record<string, unknown>>;
  readonly content?: Readonly<Record<string, unknown>>;
}

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
      : documented(
          { path, method, responses: operation['responses'] as Record<string, DocumentedResponse> },
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

function documented(
  {
    path,
    method,
    responses,
  }: { path: string; method: string; responses: Readonly<Record<string, DocumentedResponse>> },
  response: SeenResponse,
): string[] {
  if (isAbsent(path, response) && response.body().includes('route_not_found')) return [];
  const named =
    responses[response.status] === undefined && response.status >= 400
      ? 'default'
      : String(response.status);
  const said = responses[named];
  if (said === undefined) {
    return [
      `the document does not name this status; the response is ${response.body().slice(0, 300)}`,
    ];
  }
  const missing = response.headers['x-request-id'] === undefined ? ['x-request-id is missing'] : [];
  if (response.method === 'HEAD' || said.content === undefined) return missing;
  return [
    ...missing,
    ...contentMismatches(['paths', path, method, 'responses', named, 'content'], {
      response,
      content: said.content,
    }),
  ];
}

function contentMismatches(
  place: readonly string[],
  { response, content }: { response: SeenResponse; content: object },
): string[] {
  const type = (response.headers['content-type'] ?? '').split(';', 1)[0]?.toLowerCase() ?? '';
  if (!(type in content)) {
    return [`the document does not name the content type ${JSON.stringify(type)}`];
  }
  return type === 'application/json'
    ? bodyMismatches([...place, type, 'schema'], response.body())
    : [];
}

function bodyMismatches(place: readonly string[], body: string): string[] {
  let value: unknown;
  try {
    value = JSON.parse(body);
  } catch {
    return [`the body is not JSON: ${body.slice(0, 200)}`];
  }
  const validate = validatorAt(
    `document#/${place.map((part) => encodeURIComponent(part.replaceAll('~', '~0').replaceAll('/', '~1'))).join('/')}`,
  );
  if (validate(value)) return [];
  return (validate.errors ?? [])
    .slice(0, 5)
    .map(
      ({ instancePath, message, params }) =>
        `${instancePath === '' ? 'the body' : instancePath} ${message ?? ''} ${JSON.stringify(params)}; the response is ${body.slice(0, 500)}`,
    );
}

let schemas: JsonSchemas | undefined;
const validators = new Map<string, Validate>();

/** Made when it is first needed: no test asks for all of them. */
function validatorAt(place: string): Validate {
  if (schemas === undefined) {
    schemas = createJsonSchemas();
    schemas.addSchema({ $id: 'document', ...(closed(document) as object) });
  }
  const validate = validators.get(place) ?? schemas.compile({ $ref: place });
  validators.set(place, validate);
  return validate;
}

/** Clients must bear fields that they do not know; we name every field that we send. */
function closed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(closed);
  if (typeof value !== 'object' || value === null) return value;
  const parts = Object.fromEntries(
    Object.entries(value).map(([name, part]) => [name, closed(part)]),
  );
  const isObject =
    [parts['type']].flat().includes('object') && typeof parts['properties'] === 'object';
  return isObject && parts['additionalProperties'] === undefined
    ? { ...parts, additionalProperties: false }
    : parts;
}
