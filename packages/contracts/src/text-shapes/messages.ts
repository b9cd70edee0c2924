import {
  constant,
  described,
  eitherOf,
  flag,
  listOf,
  named,
  oneOf,
  text,
  type Schema,
} from '../schema-of.ts';
import { anyObject, anyOf, jsonSchema, openObject, typed } from './parts.ts';

/** What the messages dialect puts into the fields that are passed on or translated. */

const cacheControl = named('CacheControl', {
  ...typed('ephemeral', { ttl: oneOf(['5m', '1h']) }, ['ttl']),
  description: 'A cache breakpoint: what comes before it may be read from a cache next time.',
});
const cached = { cache_control: cacheControl };

/** Any block may end in a cache breakpoint. */
const block = (
  name: string,
  type: string,
  [properties, optional = []]: readonly [
    properties: Readonly<Record<string, Schema>>,
    optional?: readonly string[],
  ],
): Schema => named(name, typed(type, { ...properties, ...cached }, [...optional, 'cache_control']));

const source = named(
  'MessagesSource',
  eitherOf('type', [
    named('Base64Source', typed('base64', { media_type: text, data: text })),
    named('UrlSource', typed('url', { url: text })),
    named('TextSource', typed('text', { media_type: constant('text/plain'), data: text })),
    named('FileSource', typed('file', { file_id: text })),
  ]),
);

const textBlock = block('TextBlock', 'text', [{ text }]);
const image = block('ImageBlock', 'image', [{ source }]);
const document = block('DocumentBlock', 'document', [
  { source, title: text, context: text },
  ['title', 'context'],
]);
const toolUse = block('ToolUseBlock', 'tool_use', [
  {
    id: text,
    name: text,
    input: described(anyObject, 'The arguments, by the `input_schema` of the tool.'),
  },
]);
const toolResult = block('ToolResultBlock', 'tool_result', [
  {
    tool_use_id: text,
    content: anyOf([text, listOf(anyOf([textBlock, image, document]))]),
    is_error: flag,
  },
  ['content', 'is_error'],
]);
const thinking = named(
  'ThinkingBlock',
  typed('thinking', {
    thinking: text,
    signature: described(text, 'Send it back unchanged with the turn.'),
  }),
);
const redactedThinking = named('RedactedThinkingBlock', typed('redacted_thinking', { data: text }));

const inputBlock = named(
  'MessagesInputBlock',
  eitherOf('type', [textBlock, image, document, toolUse, toolResult, thinking, redactedThinking]),
);

export const messagesContent = anyOf([text, listOf(inputBlock)], 'A string, or content blocks.');
export const messagesSystem = anyOf([text, listOf(textBlock), { type: 'null' }]);

export const messagesTool = named(
  'MessagesTool',
  anyOf([
    named(
      'MessagesClientTool',
      openObject(
        {
          name: text,
          description: text,
          input_schema: jsonSchema,
          type: constant('custom'),
          strict: flag,
          ...cached,
        },
        ['description', 'type', 'strict', 'cache_control'],
        'A tool that you run.',
      ),
    ),
    named(
      'MessagesVendorTool',
      openObject(
        { type: described(text, 'Such as `web_search_20250305`.'), name: text },
        [],
        'A tool that the vendor defines, where the model may be given it.',
      ),
    ),
  ]),
);

const single = { disable_parallel_tool_use: flag };
const choice = (name: string, type: string, properties: Readonly<Record<string, Schema>> = {}) =>
  named(name, typed(type, properties, Object.keys(single)));
export const messagesToolChoice = named(
  'MessagesToolChoice',
  eitherOf('type', [
    choice('MessagesToolChoiceAuto', 'auto', single),
    choice('MessagesToolChoiceAny', 'any', single),
    choice('MessagesToolChoiceTool', 'tool', { name: text, ...single }),
    choice('MessagesToolChoiceNone', 'none'),
  ]),
);
