import { buildDocument } from '@gateway/api';
import { createJsonSchemas, type JsonSchemas, type Validate } from './json-schema.ts';

/** An answer of the gateway as a client saw it. */
export interface SeenAnswer {
  readonly method: string;
  /** With its query. */
  readonly path: string;
  readonly status: number;
  /** By lower-case name. */
  readonly headers: Readonly<Record<string, string>>;
  /** Only read when the answer is JSON. */
  readonly body: () => string;
}

interface DocumentedAnswer {
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
 * What an answer to a documented route has that the document does not say, in words; nothing for
 * other routes.
 */
export function mismatchesOf(answer: SeenAnswer): string[] {
  const [asked = ''] = answer.path.split('?', 1);
  const path = paths.find(({ pattern }) => pattern.test(asked))?.path;
  if (path === undefined) return [];
  const method = answer.method === 'HEAD' ? 'get' : answer.method.toLowerCase();
  const operation = document.paths[path]?.[method];
  const complaints =
    operation === undefined
      ? otherMethod(path, answer)
      : documented(
          { path, method, responses: operation['responses'] as Record<string, DocumentedAnswer> },
          answer,
        );
  return complaints.map((complaint) => `${answer.method} ${path} ${answer.status}: ${complaint}`);
}

/** Without ADMIN_TOKEN there is nothing under /admin/v1. */
const isAbsent = (path: string, { status }: SeenAnswer): boolean =>
  status === 404 && path.startsWith('/admin/v1/');

function otherMethod(path: string, answer: SeenAnswer): string[] {
  const isRefused = [401, 405].includes(answer.status) || isAbsent(path, answer);
  return isRefused ? [] : ['a method that the document does not name is answered'];
}

function documented(
  {
    path,
    method,
    responses,
  }: { path: string; method: string; responses: Readonly<Record<string, DocumentedAnswer>> },
  answer: SeenAnswer,
): string[] {
  if (isAbsent(path, answer) && answer.body().includes('route_not_found')) return [];
  const named =
    responses[answer.status] === undefined && answer.status >= 400
      ? 'default'
      : String(answer.status);
  const said = responses[named];
  if (said === undefined) {
    return [`the document does not name this status; the answer is ${answer.body().slice(0, 300)}`];
  }
  const missing = answer.headers['x-request-id'] === undefined ? ['x-request-id is missing'] : [];
  if (answer.method === 'HEAD' || said.content === undefined) return missing;
  return [
    ...missing,
    ...contentMismatches(['paths', path, method, 'responses', named, 'content'], {
      answer,
      content: said.content,
    }),
  ];
}

function contentMismatches(
  place: readonly string[],
  { answer, content }: { answer: SeenAnswer; content: object },
): string[] {
  const type = (answer.headers['content-type'] ?? '').split(';', 1)[0]?.toLowerCase() ?? '';
  if (!(type in content)) {
    return [`the document does not name the content type ${JSON.stringify(type)}`];
  }
  return type === 'application/json'
    ? bodyMismatches([...place, type, 'schema'], answer.body())
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
        `${instancePath === '' ? 'the body' : instancePath} ${message ?? ''} ${JSON.stringify(params)}; the answer is ${body.slice(0, 500)}`,
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
