import { shapes, type Schema } from '@gateway/contracts';
import { ref } from '../../http/resource-schemas.ts';
import type { OperationResponse, Operation } from '../operation.ts';

const { constant, schemaOf, text } = shapes;

export const serviceSchemas: Readonly<Record<string, Schema>> = {
  Root: schemaOf<{ name: string; version: string; endpoints: object }>({
    name: constant('generation-gateway'),
    version: text,
    endpoints: { type: 'object', additionalProperties: text },
  }),
  Alive: schemaOf<{ status: string }>({ status: constant('ok') }),
};

const page: OperationResponse = {
  description: 'A page for people.',
  content: { 'text/html': { type: 'string' } },
};
const json = (component: string, description: string): OperationResponse => ({
  description,
  content: { 'application/json': ref(component) },
});
const unchanged: OperationResponse = {
  description: 'The client’s copy is current.',
  headers: ['ETag'],
};

const get = (
  path: string,
  id: string,
  rest: Pick<Operation, 'summary' | 'responses'> & Partial<Operation>,
): Operation => ({ path, id, method: 'get', tag: 'Service', access: 'open', errors: [], ...rest });

const openApi = (path: string, id: string, summary: string): Operation =>
  get(path, id, {
    summary,
    responses: {
      200: {
        description: 'An OpenAPI document.',
        content: { 'application/json': { type: 'object', additionalProperties: true } },
        headers: ['ETag'],
      },
      304: unchanged,
    },
  });

/** Routes that need no key. */
export const serviceOperations: readonly Operation[] = [
  get('/', 'getRoot', {
    summary: 'Identify the service',
    description: 'A page for browsers, JSON for all other clients.',
    responses: {
      200: {
        description: 'Name, version and main routes.',
        content: { 'application/json': ref('Root'), 'text/html': { type: 'string' } },
      },
    },
  }),
  openApi('/openapi.json', 'getOpenApi', 'Get this document'),
  openApi('/openapi/video.json', 'getVideoOpenApi', 'Get the part that video clients need'),
  openApi('/openapi/text.json', 'getTextOpenApi', 'Get the part that text clients need'),
  get('/docs', 'getDocs', {
    summary: 'Read this document as a page',
    responses: { 200: { ...page, headers: ['ETag'] }, 304: unchanged },
  }),
  get('/livez', 'getLiveness', {
    summary: 'Check that the process is alive',
    responses: { 200: json('Alive', 'It is alive.') },
  }),
];
