import { constant, described, eitherOf, flag, listOf, named, oneOf, text } from '../schema-of.ts';
import {
  anyObject,
  anyOf,
  detail,
  jsonSchema,
  openObject,
  toolChoiceMode,
  typed,
} from './parts.ts';

/** What the chat-completions dialect puts into the fields that are passed on or translated. */

const textPart = named('ChatTextPart', typed('text', { text }));
const contentPart = named(
  'ChatContentPart',
  eitherOf('type', [
    textPart,
    named(
      'ChatImagePart',
      typed('image_url', {
        image_url: openObject({ url: described(text, 'A URL, or a data URL.'), detail }, [
          'detail',
        ]),
      }),
    ),
    named(
      'ChatAudioPart',
      typed('input_audio', {
        input_audio: openObject({
          data: described(text, 'Base64.'),
          format: oneOf(['mp3', 'wav']),
        }),
      }),
    ),
    named(
      'ChatFilePart',
      typed('file', {
        file: openObject({ file_data: text, file_id: text, filename: text }, [
          'file_data',
          'file_id',
          'filename',
        ]),
      }),
    ),
    named('ChatRefusalPart', typed('refusal', { refusal: text })),
  ]),
);

export const chatContent = anyOf(
  [text, listOf(contentPart), { type: 'null' }],
  'A string, or content parts; null where an assistant only called tools.',
);

export const chatToolCall = named(
  'ChatToolCall',
  openObject({
    id: text,
    type: constant('function'),
    function: openObject({
      name: text,
      arguments: described(text, 'JSON, as the model wrote it.'),
    }),
  }),
);

export const chatTool = named(
  'ChatTool',
  eitherOf('type', [
    named(
      'ChatFunctionTool',
      typed('function', {
        function: openObject(
          { name: text, description: text, parameters: jsonSchema, strict: flag },
          ['description', 'parameters', 'strict'],
        ),
      }),
    ),
    named(
      'ChatCustomTool',
      typed('custom', {
        custom: openObject(
          { name: text, description: text, format: described(anyObject, 'Text or a grammar.') },
          ['description', 'format'],
        ),
      }),
    ),
  ]),
);

export const chatToolChoice = named(
  'ChatToolChoice',
  anyOf([
    toolChoiceMode,
    named('ChatNamedToolChoice', typed('function', { function: openObject({ name: text }) })),
  ]),
);
