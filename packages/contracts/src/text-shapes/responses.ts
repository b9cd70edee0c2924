import {
  constant,
  described,
  eitherOf,
  flag,
  listOf,
  named,
  oneOf,
  orNull,
  text,
} from '../schema-of.ts';
import {
  anyObject,
  anyOf,
  detail,
  jsonSchema,
  openObject,
  toolChoiceMode,
  typed,
} from './parts.ts';

/** What the responses dialect puts into the fields that are passed on or translated. */

const inputPart = named(
  'ResponseInputPart',
  eitherOf('type', [
    named('ResponseInputText', typed('input_text', { text })),
    named(
      'ResponseInputImage',
      typed('input_image', { image_url: text, file_id: text, detail }, [
        'image_url',
        'file_id',
        'detail',
      ]),
    ),
    named(
      'ResponseInputFile',
      typed('input_file', { file_data: text, file_url: text, file_id: text, filename: text }, [
        'file_data',
        'file_url',
        'file_id',
        'filename',
      ]),
    ),
    named('ResponseOutputText', typed('output_text', { text })),
    named('ResponseRefusal', typed('refusal', { refusal: text })),
  ]),
);

const item = anyOf(
  [
    named(
      'ResponseInputMessage',
      openObject(
        {
          type: constant('message'),
          role: oneOf(['user', 'assistant', 'system', 'developer']),
          content: anyOf([text, listOf(inputPart)]),
        },
        ['type'],
      ),
    ),
    named(
      'ResponseFunctionCall',
      typed('function_call', { id: text, call_id: text, name: text, arguments: text }, ['id']),
    ),
    named(
      'ResponseFunctionCallOutput',
      typed('function_call_output', {
        call_id: text,
        output: anyOf([text, listOf(inputPart)]),
      }),
    ),
    named(
      'ResponseItemReference',
      typed('item_reference', { id: described(text, 'An item of an earlier response.') }),
    ),
    named(
      'ResponseReasoningItem',
      typed(
        'reasoning',
        {
          id: text,
          summary: listOf(typed('summary_text', { text })),
          encrypted_content: orNull(text),
        },
        ['id', 'encrypted_content'],
      ),
    ),
    named(
      'ResponseOtherItem',
      openObject({ type: text }, [], 'Any other item, as a response had it.'),
    ),
  ],
  'A message, or an item of an earlier response.',
);
export const responseInput = anyOf(
  [text, listOf(named('ResponseInputItem', item))],
  'A string, or items.',
);

export const responseTool = named(
  'ResponseTool',
  anyOf([
    named(
      'ResponseFunctionTool',
      typed('function', { name: text, description: text, parameters: jsonSchema, strict: flag }, [
        'description',
        'parameters',
        'strict',
      ]),
    ),
    named(
      'ResponseCustomTool',
      typed('custom', { name: text, description: text, format: anyObject }, [
        'description',
        'format',
      ]),
    ),
    named(
      'ResponseVendorTool',
      openObject(
        { type: described(text, 'Such as `web_search`.') },
        [],
        'A tool that the vendor defines, where the model may be given it.',
      ),
    ),
  ]),
);

export const responseToolChoice = named(
  'ResponseToolChoice',
  anyOf([
    toolChoiceMode,
    named('ResponseNamedToolChoice', openObject({ type: text, name: text }, ['name'])),
  ]),
);

export const responseReasoning = named(
  'ResponseReasoning',
  openObject(
    {
      effort: orNull(described(text, 'Such as `low`, `medium` or `high`.')),
      summary: orNull(described(text, 'Such as `auto`, `concise` or `detailed`.')),
    },
    ['effort', 'summary'],
  ),
);

export const responseText = named(
  'ResponseText',
  openObject(
    {
      format: eitherOf('type', [
        named('ResponseTextFormat', typed('text')),
        named('ResponseJsonFormat', typed('json_object')),
        named(
          'ResponseSchemaFormat',
          typed('json_schema', { name: text, schema: jsonSchema, strict: flag }, ['strict']),
        ),
      ]),
      verbosity: orNull(text),
    },
    ['format', 'verbosity'],
  ),
);
