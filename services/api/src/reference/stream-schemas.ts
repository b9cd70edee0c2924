import { shapes, type Schema } from '@gateway/contracts';
import { ref } from '../http/resource-schemas.ts';

const { constant, count, described, eitherOf, listOf, named, oneOf, orNull, schemaOf, text } =
  shapes;

const anyObject: Schema = { type: 'object', additionalProperties: true };
const open = (
  properties: Readonly<Record<string, Schema>>,
  optional: readonly string[] = [],
): Schema => ({
  ...schemaOf<Record<string, unknown>>(properties, { optional }),
  additionalProperties: true,
});

const event = (
  name: string,
  type: string,
  properties: Readonly<Record<string, Schema>> = {},
): Schema => named(name, open({ type: constant(type), ...properties }));

const delta = named(
  'MessageDelta',
  eitherOf('type', [
    event('TextDelta', 'text_delta', { text }),
    event('InputJsonDelta', 'input_json_delta', {
      partial_json: described(text, 'A piece of the arguments, as JSON.'),
    }),
    event('ThinkingDelta', 'thinking_delta', { thinking: text }),
    event('SignatureDelta', 'signature_delta', { signature: text }),
    event('CitationsDelta', 'citations_delta', { citation: anyObject }),
  ]),
);

const messageEvent = eitherOf('type', [
  event('MessageStart', 'message_start', { message: ref('Message') }),
  event('ContentBlockStart', 'content_block_start', { index: count, content_block: anyObject }),
  event('ContentBlockDelta', 'content_block_delta', { index: count, delta }),
  event('ContentBlockStop', 'content_block_stop', { index: count }),
  event('MessageEnd', 'message_delta', {
    delta: open({ stop_reason: orNull(text), stop_sequence: orNull(text) }, ['stop_sequence']),
    usage: anyObject,
  }),
  event('MessageStop', 'message_stop'),
  event('Ping', 'ping'),
  event('MessageStreamError', 'error', { error: open({ type: text, message: text }) }),
]);

const toolCallDelta = open(
  {
    index: count,
    id: text,
    type: constant('function'),
    function: open({ name: text, arguments: text }, ['name', 'arguments']),
  },
  ['id', 'type', 'function'],
);

const chunk = open(
  {
    id: text,
    object: constant('chat.completion.chunk'),
    created: described(count, 'Unix time in seconds.'),
    model: text,
    choices: listOf(
      open(
        {
          index: count,
          delta: open(
            {
              role: oneOf(['assistant']),
              content: orNull(text),
              tool_calls: listOf(toolCallDelta),
            },
            ['role', 'content', 'tool_calls'],
          ),
          finish_reason: described(
            orNull(text),
            '`stop`, `length`, `tool_calls` or `content_filter`.',
          ),
        },
        ['finish_reason'],
      ),
    ),
    usage: described(
      { type: ['object', 'null'], additionalProperties: true },
      'On the last chunk, where `stream_options.include_usage` asks for it.',
    ),
  },
  ['usage'],
);

const responseEvent = open(
  {
    type: described(
      text,
      '`response.created`, `response.output_text.delta`, `response.completed` and more.',
    ),
    sequence_number: count,
    response: described(anyObject, 'Of events about the whole response.'),
    item: described(anyObject, 'Of events about an item of the output.'),
    delta: described(text, 'Of events that end in `.delta`.'),
  },
  ['sequence_number', 'response', 'item', 'delta'],
);

/** What the `data` of each event of a stream is: components of the document. */
export const streamSchemas: Readonly<Record<string, Schema>> = {
  MessageStreamEvent: messageEvent,
  ChatCompletionChunk: chunk,
  ResponseStreamEvent: responseEvent,
};
