import { isSchemaObject, partsOfSchema, type SchemaObject } from '../schema-parts.ts';
import { partsOf, type ChatBody } from './body.ts';
import { invalid } from './read-body.ts';

/** Refuses options that do not go together. */
export function checkOptions(body: ChatBody): void {
  const {
    stream,
    stream_options: streamOptions,
    max_tokens: maxTokens,
    max_completion_tokens: maxCompletionTokens,
    tools,
  } = body;
  if (streamOptions && stream !== true) {
    throw invalid("The 'stream_options' parameter is only allowed when 'stream' is enabled.", {
      param: 'stream_options',
    });
  }
  if (typeof maxTokens === 'number' && typeof maxCompletionTokens === 'number') {
    throw invalid(
      "Setting 'max_tokens' and 'max_completion_tokens' at the same time is not supported.",
      { code: 'invalid_parameter_combination' },
    );
  }
  if (tools === undefined && body.parallel_tool_calls !== undefined) {
    throw onlyWithTools('parallel_tool_calls');
  }
  checkToolChoice(body);
  checkFormat(body);
}

const onlyWithTools = (param: string): Error =>
  invalid(`Invalid value for '${param}': '${param}' is only allowed when 'tools' are specified.`, {
    param,
  });

function checkToolChoice({ tools, tool_choice: choice }: ChatBody): void {
  if (choice === undefined) return;
  if (tools === undefined) throw onlyWithTools('tool_choice');
  if (typeof choice === 'string') {
    if (!['none', 'auto', 'required'].includes(choice)) {
      throw invalid(
        `Invalid value: '${choice}'. Supported values are: 'none', 'auto', and 'required'.`,
        { param: 'tool_choice', code: 'invalid_value' },
      );
    }
    return;
  }
  const { type, function: named } = choice as { type?: unknown; function?: { name?: unknown } };
  if (type === 'allowed_tools') return;
  if (type !== 'function') {
    throw invalid(
      `Invalid value: '${String(type)}'. Supported values are: 'function', 'allowed_tools', and 'custom'.`,
      { param: 'tool_choice.type', code: 'invalid_value' },
    );
  }
  if (!tools.some(({ function: { name } }) => name === named?.name)) {
    throw invalid(
      `Invalid value for 'tool_choice': Tool choice '${String(named?.name)}' not found in 'tools' parameter.`,
      { param: 'tool_choice' },
    );
  }
}

function checkFormat({ response_format: format, messages, tools = [] }: ChatBody): void {
  if (
    format?.type === 'json_object' &&
    !messages.some(({ content }) =>
      partsOf(content).some((part) => part.type === 'text' && /json/i.test(part.text)),
    )
  ) {
    throw invalid(
      "'messages' must contain the word 'json' in some form, to use 'response_format' of type 'json_object'.",
      { param: 'messages' },
    );
  }
  if (format?.type === 'json_schema' && format.json_schema.strict === true) {
    checkStrict(format.json_schema.schema, {
      what: `response_format '${format.json_schema.name}'`,
      param: 'response_format',
      context: '()',
    });
  }
  tools.forEach(({ function: { name, parameters, strict } }, index) => {
    if (parameters !== undefined && (parameters as { type?: unknown }).type !== 'object') {
      throw invalid(
        `Invalid schema for function '${name}': schema must be a JSON Schema of 'type: "object"', got 'type: "${String((parameters as { type?: unknown }).type)}"'.`,
        { param: `tools[${index}].function.parameters`, code: 'invalid_function_parameters' },
      );
    }
    if (strict === true) {
      checkStrict(parameters, {
        what: `function '${name}'`,
        param: `tools[${index}].function.parameters`,
        context: '()',
      });
    }
  });
}

interface StrictPlace {
  readonly what: string;
  readonly param: string;
  readonly context: string;
}

/** With `strict`, every object lists all its properties as required and allows no others. */
function checkStrict(schema: unknown, place: StrictPlace): void {
  if (!isSchemaObject(schema)) return;
  const problem = strictProblem(schema);
  if (problem !== undefined) {
    throw invalid(`Invalid schema for ${place.what}: In context=${place.context}, ${problem}`, {
      param: place.param,
      code: 'invalid_json_schema',
    });
  }
  for (const [name, part] of partsOfSchema(schema)) {
    checkStrict(part, { ...place, context: `('properties', '${name}')` });
  }
}

function strictProblem(schema: SchemaObject): string | undefined {
  const { type, properties = {}, required = [], additionalProperties } = schema;
  const forbidden = ['allOf', 'oneOf', 'propertyNames'].find((keyword) => keyword in schema);
  if (forbidden !== undefined) return `'${forbidden}' is not permitted.`;
  if (type === 'object' && additionalProperties !== false) {
    return "'additionalProperties' is required to be supplied and to be false.";
  }
  const missing = Object.keys(properties).find((name) => !required.includes(name));
  return missing === undefined
    ? undefined
    : `'required' is required to be supplied and to be an array including every key in properties. Missing '${missing}'.`;
}
