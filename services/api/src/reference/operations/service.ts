import { shapes, type Schema } from '@gateway/contracts';
import { ref } from '../../http/resource-schemas.ts';
import type { Answer, Operation } from '../operation.ts';

const { constant, oneOf, schemaOf, text } = shapes;

export const serviceSchemas: Readonly<Record<string, Schema>> = {
  Root: schemaOf<{ name: string; version: string; endpoints: object }>({
    name: constant('generation-gateway'),
    version: text,
    endpoints: { type: 'object', additionalProperties: text },
  }),
  Alive: schemaOf<{ status: string }>({ status: constant('ok') }),
  Readiness: schemaOf<{ status: string; checks: object }>({
    status: oneOf(['ok', 'degraded', 'unavailable']),
    checks: {
      type: 'object',
      additionalProperties: text,
      description: '`ok`, or what is wrong, by name.',
    },
  }),
};

const page: Answer = {
  description: 'A page for people.',
  content: { 'text/html': { type: 'string' } },
};
const json = (component: string, description: string): Answer => ({
  description,
  content: { 'application/json': ref(component) },
});
const unchanged: Answer = {
  description: 'The copy that the client has is the one.',
  headers: ['ETag'],
};

const get = (
  path: string,
  id: string,
  rest: Pick<Operation, 'summary' | 'answers'> & Partial<Operation>,
): Operation => ({ path, id, method: 'get', tag: 'Service', access: 'open', errors: [], ...rest });

/** What is open to everybody. */
export const serviceOperations: readonly Operation[] = [
  get('/', 'getRoot', {
    summary: 'Say what this is',
    description: 'A page for browsers, JSON for everybody else.',
    answers: {
      200: {
        description: 'Name, version and main routes.',
        content: { 'application/json': ref('Root'), 'text/html': { type: 'string' } },
      },
    },
  }),
  get('/openapi.json', 'getOpenApi', {
    summary: 'Get this document',
    answers: {
      200: {
        description: 'The document.',
        content: { 'application/json': { type: 'object', additionalProperties: true } },
        headers: ['ETag'],
      },
      304: unchanged,
    },
  }),
  get('/docs', 'getDocs', {
    summary: 'Read this document as a page',
    answers: { 200: { ...page, headers: ['ETag'] }, 304: unchanged },
  }),
  get('/livez', 'getLiveness', {
    summary: 'Ask whether the process lives',
    answers: { 200: json('Alive', 'It does.') },
  }),
  get('/readyz', 'getReadiness', {
    summary: 'Ask whether requests can be taken',
    answers: {
      200: json('Readiness', 'They can.'),
      503: json('Readiness', 'They cannot: a store is away, or the process is stopping.'),
    },
  }),
  get('/metrics', 'getMetrics', {
    summary: 'Read the metrics',
    answers: {
      200: {
        description: 'Metrics in the text format of Prometheus.',
        content: { 'text/plain': { type: 'string' } },
      },
    },
  }),
];
