import type { Fields } from '../json.ts';
import type { CompletionFormat, TextRequest } from '../neutral.ts';
import { cannotBeStrict, strictSchema } from '../schema/strict-schema.ts';
import { isObjectSchema, toolSchema, wrapSchema } from '../schema/tool-schema.ts';
import type { MessagesQuirks } from './quirks.ts';

/** How the requested form of the completion is told: in at most one of three ways. */
export interface FormatPlan {
  /** `output_config.format`. */
  readonly native?: Fields;
  /** A tool whose arguments are the completion. */
  readonly tool?: {
    readonly name: string;
    readonly description: string;
    readonly input_schema: Fields;
  };
  /** Words for the end of the instructions. */
  readonly instruction?: string;
  /** The schema went inside `{value: …}`. */
  readonly unwrapValue: boolean;
}

const bare = 'No code fences, no words before or after it.';
const objectInstruction = `Answer with one JSON object and nothing else. ${bare}`;

/** `thinking`: the model will think, with which most do not take a forced tool. */
export function planFormat(
  request: TextRequest,
  quirks: MessagesQuirks,
  thinking: boolean,
): FormatPlan {
  const { format } = request;
  if (format === undefined) return { unwrapValue: false };
  return format.type === 'json_object'
    ? { instruction: objectInstruction, unwrapValue: false }
    : planSchema(format, request, { quirks, thinking });
}

type SchemaFormat = Extract<CompletionFormat, { type: 'json_schema' }>;

function planSchema(
  format: SchemaFormat,
  request: TextRequest,
  { quirks, thinking }: { quirks: MessagesQuirks; thinking: boolean },
): FormatPlan {
  const unwrapValue = !isObjectSchema(format.schema);
  const schema = unwrapValue ? wrapSchema(format.schema) : format.schema;
  if (quirks.structuredOutput === 'native' && !cannotBeStrict(schema)) {
    return {
      native: { type: 'json_schema', schema: strictSchema({ type: 'object', ...schema }) },
      unwrapValue,
    };
  }
  // A turn in which one of the client's tools must be called has no completion to put into a form.
  if (mustCall(request)) return { unwrapValue: false };
  if (quirks.structuredOutput !== 'instruction' && canForce(quirks, thinking)) {
    return {
      tool: {
        name: freeName(request),
        description: format.description ?? 'Gives the completion.',
        input_schema: toolSchema(schema),
      },
      unwrapValue,
    };
  }
  return {
    instruction: `Answer with one JSON value that is valid against this JSON Schema, and nothing else. ${bare}\n${JSON.stringify(format.schema)}`,
    unwrapValue: false,
  };
}

const mustCall = ({ toolChoice }: TextRequest): boolean =>
  toolChoice?.type === 'required' || toolChoice?.type === 'tool';

export const canForce = ({ forcedToolChoice }: MessagesQuirks, thinking: boolean): boolean =>
  forcedToolChoice === 'always' || (forcedToolChoice === 'without_thinking' && !thinking);

/** `json`, unless one of the client's tools has that name. */
function freeName({ tools }: TextRequest): string {
  let name = 'json';
  while (tools.some((tool) => tool.name === name)) name += '_answer';
  return name;
}
