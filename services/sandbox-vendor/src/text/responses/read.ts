import {
  attachmentCharacters,
  type Attachment,
  type Conversation,
  type Segment,
  type ToolChoice,
  type ToolDefinition,
  type ToolResult,
} from '../model/conversation.ts';
import {
  itemsOf,
  partsOf,
  textOf,
  toolsOf,
  type CallableTool,
  type Content,
  type ContentPart,
  type Item,
  type ResponsesBody,
} from './body.ts';

/** What the model gets to read of a body that is known to be right. */
export function toConversation(body: ResponsesBody): Conversation {
  const items = itemsOf(body);
  const lastTurn = items.slice(items.findLastIndex(isOfModel) + 1);
  const users = items.flatMap((item) => (isFrom(item, 'user') ? textOf(item.content) : []));
  const instructions = items.flatMap((item) =>
    isFrom(item, 'system') || isFrom(item, 'developer') ? textOf(item.content) : [],
  );
  return {
    model: body.model,
    stream: body.stream === true,
    segments: segmentsOf(body, items),
    system: [body.instructions ?? '', ...instructions].filter((text) => text !== '').join('\n'),
    lastUserText: users.findLast((text) => text !== '') ?? '',
    lastTurn: {
      hasText: lastTurn.some((item) => isFrom(item, 'user') && textOf(item.content) !== ''),
      toolResults: toolResultsOf(lastTurn, items),
    },
    attachments: items.flatMap((item) => contentsOf(item).flatMap(partsOf)).flatMap(attachmentOf),
    tools: toolsOf(body).map(definitionOf),
    toolChoice: toolChoiceOf(body.tool_choice ?? 'auto'),
    parallelCalls: body.parallel_tool_calls !== false,
    ...(typeof body.max_output_tokens === 'number' && { maxTokens: body.max_output_tokens }),
    stopSequences: [],
    thinking: ['none', 'minimal'].includes(body.reasoning?.effort ?? 'none') ? 'off' : 'shown',
    ...formatOf(body),
  };
}

type MessageItem = Extract<Item, { readonly role: string }>;

const isFrom = (item: Item, role: MessageItem['role']): item is MessageItem =>
  'role' in item && item.role === role;

const isOfModel = (item: Item): boolean =>
  isFrom(item, 'assistant') ||
  ['reasoning', 'function_call', 'custom_tool_call'].includes(item.type);

function contentsOf(item: Item): readonly Content[] {
  if ('role' in item) return [item.content];
  return 'output' in item ? [item.output] : [];
}

function formatOf({ text }: ResponsesBody): Pick<Conversation, 'format'> {
  const format = text?.format;
  if (format?.type === 'json_object') return { format: {} };
  return format?.type === 'json_schema' ? { format: { schema: format.schema } } : {};
}

/** A custom tool takes a text, which stands in an object of one field here. */
function definitionOf({ modelName: name, tool }: CallableTool): ToolDefinition {
  if (tool.type === 'function') return { name, schema: tool.parameters ?? { type: 'object' } };
  const input = { type: 'object', properties: { input: { type: 'string' } }, required: ['input'] };
  return { name, schema: input };
}

function toolChoiceOf(choice: NonNullable<ResponsesBody['tool_choice']>): ToolChoice {
  if (typeof choice === 'string') return { kind: choice === 'required' ? 'any' : choice };
  return choice.type === 'allowed_tools' ? { kind: 'auto' } : { kind: 'named', name: choice.name };
}

function toolResultsOf(lastTurn: readonly Item[], items: readonly Item[]): readonly ToolResult[] {
  const names = new Map(
    items.flatMap((item) =>
      'call_id' in item && 'name' in item ? [[item.call_id, item.name] as const] : [],
    ),
  );
  return lastTurn.flatMap((item) =>
    'output' in item
      ? [
          {
            tool: names.get(item.call_id) ?? item.call_id,
            text: textOf(item.output),
            isError: false,
          },
        ]
      : [],
  );
}

const dataUrl = /^data:([^;,]+);base64,(.*)$/s;

function attachmentOf(part: ContentPart): readonly Attachment[] {
  if (part.type === 'input_image') return [mediaOf('image', part.image_url ?? '')];
  return part.type === 'input_file'
    ? [mediaOf('document', part.file_data ?? part.file_url ?? '')]
    : [];
}

function mediaOf(kind: Attachment['kind'], url: string): Attachment {
  const [, mediaType, data] = dataUrl.exec(url) ?? [];
  if (mediaType === undefined) return url === '' ? { kind } : { kind, url };
  return { kind, mediaType, sizeBytes: Buffer.byteLength(data ?? '', 'base64') };
}

/** The prompt in the order of its cache. */
function segmentsOf(
  { tools, instructions }: ResponsesBody,
  items: readonly Item[],
): readonly Segment[] {
  return [
    ...(tools ?? []).map((tool) => JSON.stringify(tool)),
    ...(typeof instructions === 'string' ? [instructions] : []),
  ]
    .map((text) => ({ identity: text, characters: text.length }))
    .concat(items.map((item) => ({ identity: identityOf(item), characters: charactersOf(item) })));
}

/** The same item with another id, or another spelling of a text, is the same prompt. */
function identityOf(item: Item): string {
  const { id: _own, status: _told, ...rest } = item as Item & { id?: string; status?: string };
  return JSON.stringify(rest);
}

/** What an item counts: its text and its calls; an image or a file the same, whatever its size. */
function charactersOf(item: Item): number {
  if ('arguments' in item) return item.name.length + item.arguments.length;
  if ('input' in item) return item.name.length + item.input.length;
  return contentsOf(item)
    .flatMap(partsOf)
    .map((part) => ('text' in part ? part.text.length : attachmentCharacters))
    .reduce((sum, one) => sum + one, 0);
}
