import type { Fields } from '../json.ts';
import type { CompletionFormat } from '../neutral.ts';
import type { ChatQuirks } from './quirks.ts';
import { isStrict } from './write-tools.ts';

export interface WrittenFormat {
  readonly fields: Fields;
  /** What the model is told in words, where the upstream cannot hold it to a schema. */
  readonly instruction: string | undefined;
  /** The schema was wrapped as `{value: …}`: upstreams take objects only. */
  readonly wrapped: boolean;
}

/** How an upstream is told to respond in JSON. */
export function writeFormat(
  format: CompletionFormat | undefined,
  { structuredOutput }: ChatQuirks,
): WrittenFormat {
  if (format === undefined) return { fields: {}, instruction: undefined, wrapped: false };
  if (format.type === 'json_object') {
    return written('Answer with one JSON object and nothing else.', structuredOutput);
  }
  if (structuredOutput !== 'json_schema') {
    return written(
      `Answer with JSON that fits this JSON Schema, and nothing else: ${JSON.stringify(format.schema)}`,
      format.schema['type'] === 'object' ? structuredOutput : 'none',
    );
  }
  const wrapped = format.schema['type'] !== 'object' && format.schema['type'] !== undefined;
  const schema = wrapped
    ? {
        type: 'object',
        properties: { value: format.schema },
        required: ['value'],
        additionalProperties: false,
      }
    : format.schema;
  const { name, description } = format;
  const json_schema = {
    name,
    ...(description !== undefined && { description }),
    schema,
    strict: (format.strict ?? true) && isStrict(schema),
  };
  return {
    fields: { response_format: { type: 'json_schema', json_schema } },
    instruction: undefined,
    wrapped,
  };
}

const written = (instruction: string, kind: ChatQuirks['structuredOutput']): WrittenFormat => ({
  fields: kind === 'none' ? {} : { response_format: { type: 'json_object' } },
  instruction,
  wrapped: false,
});
