import { shapes, type Schema } from '@gateway/contracts';
import { pageOf, ref } from '../../http/resource-schemas.ts';
import {
  pageParameters,
  respondsWith,
  type Operation,
  type OperationResponse,
} from '../operation.ts';

const { constant, described, listOf, oneOf, orNull, schemaOf, text, whole } = shapes;

/** Items are as the client or the model made them. */
const item: Schema = {
  type: 'object',
  required: ['type'],
  properties: {
    id: text,
    type: described(text, '`message`, `function_call`, `reasoning` and more.'),
  },
  additionalProperties: true,
};

export const storedResponseSchemas: Readonly<Record<string, Schema>> = {
  StoredResponse: {
    type: 'object',
    required: ['id', 'object', 'output'],
    properties: {
      id: text,
      object: constant('response'),
      created_at: described(whole, 'Unix time in seconds.'),
      status: text,
      model: text,
      previous_response_id: orNull(text),
      output: listOf(item),
    },
    additionalProperties: true,
  },
  StoredResponseDeleted: schemaOf<{ id: string; object: 'response'; deleted: true }>({
    id: text,
    object: constant('response'),
    deleted: constant(true),
  }),
  StoredResponseNotFound: schemaOf<{ error: unknown }>({
    error: schemaOf<Record<'message' | 'type' | 'param' | 'code', unknown>>({
      message: text,
      type: constant('invalid_request_error'),
      param: { type: 'null' },
      code: { type: 'null' },
    }),
  }),
  InputItemList: pageOf(item),
};

const missing: OperationResponse = {
  description: 'The account has no such response: it was not kept, was deleted, or is too old.',
  content: { 'application/json': ref('StoredResponseNotFound') },
};

const common = { tag: 'Text', access: 'text' } as const;
const path = '/v1/responses/{response_id}';

export const storedResponseOperations: readonly Operation[] = [
  {
    ...common,
    id: 'getResponse',
    method: 'get',
    path,
    summary: 'Read a kept response',
    description:
      'The response as it was when it was finished, for `RESPONSES_RETENTION_HOURS`. It is not streamed again: `stream=true` is 400.',
    query: [
      {
        name: 'include',
        schema: text,
        description:
          '`reasoning.encrypted_content`: what carries its thoughts to a later request; also written `include[]`.',
      },
    ],
    responses: { ...respondsWith('StoredResponse', 'The response.'), 404: missing },
    errors: ['invalid_parameter', 'unsupported_parameter', 'overloaded'],
  },
  {
    ...common,
    id: 'deleteResponse',
    method: 'delete',
    path,
    summary: 'Delete a kept response',
    description:
      'Its items go with it. What was built on it with `previous_response_id` can be read, and not be continued.',
    responses: { ...respondsWith('StoredResponseDeleted', 'It is gone.'), 404: missing },
    errors: ['invalid_parameter'],
  },
  {
    ...common,
    id: 'listResponseInputItems',
    method: 'get',
    path: `${path}/input_items`,
    summary: 'List the input of a kept response',
    description:
      'The items of its own request; those of the responses before it are found under their ids.',
    query: [
      ...pageParameters(text).filter(({ name }) => name !== 'before'),
      {
        name: 'order',
        schema: { ...oneOf(['asc', 'desc']), default: 'desc' },
        description: '`asc`: as they stood in the request.',
      },
    ],
    responses: { ...respondsWith('InputItemList', 'The items.'), 404: missing },
    errors: ['invalid_parameter', 'overloaded'],
  },
];
