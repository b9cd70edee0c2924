import { shapes, type Schema } from '@gateway/contracts';
import { ref } from '../../http/resource-schemas.ts';
import type { Operation, OperationResponse } from '../operation.ts';

const { constant, described, named, schemaOf, text } = shapes;
const anything: Schema = { type: 'object', additionalProperties: true };
const budgetName: Schema = { type: 'string', pattern: '^[\\w.-]{1,64}$' };
/** Of what was sent, even where a number of its kind is refused. */
const messageId: Schema = { type: ['string', 'number', 'null'] };

const request = named(
  'AgentMessage',
  schemaOf<{ jsonrpc: string; id: unknown; method: string; params: object }>(
    {
      jsonrpc: constant('2.0'),
      id: described({ type: ['string', 'integer'] }, 'Absent from notifications.'),
      method: described(text, 'Such as `tools/list` or `tools/call`.'),
      params: anything,
    },
    { optional: ['id', 'params'] },
  ),
);

export const mcpSchemas: Readonly<Record<string, Schema>> = {
  AgentMessage: request,
  AgentResult: schemaOf<{ jsonrpc: string; id: unknown; result: object; error: object }>(
    { jsonrpc: constant('2.0'), id: messageId, result: anything, error: anything },
    { optional: ['result', 'error'] },
  ),
  AgentFailure: schemaOf<{ jsonrpc: string; id: unknown; error: object }>(
    {
      jsonrpc: constant('2.0'),
      id: messageId,
      error: schemaOf<{ code: number; message: string; data: unknown }>(
        { code: { type: 'integer' }, message: text, data: {} },
        { optional: ['data'] },
      ),
    },
    { optional: ['id'] },
  ),
};

const refused = (description: string): OperationResponse => ({
  description,
  content: { 'application/json': { anyOf: [ref('AgentFailure'), ref('Error')] } },
});

/** The tools of agents. */
export const mcpOperations: readonly Operation[] = [
  {
    id: 'callAgentTool',
    method: 'post',
    path: '/mcp',
    tag: 'Agents',
    summary: 'Send a message of the Model Context Protocol',
    description:
      'Tools for agents, over the streamable HTTP transport of the Model Context Protocol. There are no sessions: each message stands for itself. A call counts as one request, whatever it does.',
    access: 'any key',
    query: [
      {
        name: 'max_quota',
        schema: { type: 'string', pattern: '^\\d{1,15}$' },
        description: 'The same as `x-gateway-max-quota`, for clients that send no headers.',
      },
      {
        name: 'budget',
        schema: budgetName,
        description: 'The same as `x-gateway-budget`; needs `max_quota`.',
      },
    ],
    headers: [
      {
        name: 'x-gateway-max-quota',
        schema: { type: 'string', pattern: '^\\d{1,15}$' },
        description: 'What the videos that this key creates here may cost together, in quota.',
      },
      {
        name: 'x-gateway-budget',
        schema: budgetName,
        description:
          'Which budget of the key that is; `default` when left out. Needs `x-gateway-max-quota`.',
      },
    ],
    body: {
      description: 'One message; at most a million bytes.',
      content: {
        'application/json': {
          schema: ref('AgentMessage'),
          examples: {
            list: {
              summary: 'List the tools',
              value: { jsonrpc: '2.0', id: 1, method: 'tools/list' },
            },
          },
        },
      },
    },
    responses: {
      200: {
        description: 'The result, or what the protocol calls an error.',
        content: { 'application/json': ref('AgentResult'), 'text/event-stream': text },
      },
      202: { description: 'A notification was taken.' },
      400: refused('The message is not one of the protocol, or names another version of it.'),
      404: refused('There is no such method.'),
      406: refused('`Accept` must name `application/json` and `text/event-stream`.'),
    },
    errors: [
      'invalid_json',
      'invalid_parameter',
      'missing_parameter',
      'unknown_parameter',
      'payload_too_large',
      'unsupported_media_type',
      'origin_not_allowed',
      'overloaded',
    ],
  },
];
