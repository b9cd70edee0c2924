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
  partsOf,
  type ChatBody,
  type ChatMessage,
  type Content,
  type ContentPart,
} from './body.ts';

/** What the model gets to read of a body that is known to be right. */
export function toConversation(body: ChatBody): Conversation {
  const { messages, stop } = body;
  const lastTurn = messages.slice(messages.findLastIndex(({ role }) => role === 'assistant') + 1);
  const maxTokens = body.max_completion_tokens ?? body.max_tokens;
  const users = messages
    .filter(({ role }) => role === 'user')
    .map(({ content }) => textOf(content));
  return {
    model: body.model,
    stream: body.stream === true,
    segments: segmentsOf(body),
    system: messages
      .filter(({ role }) => role === 'system' || role === 'developer')
      .map(({ content }) => textOf(content))
      .join('\n'),
    lastUserText: users.findLast((text) => text !== '') ?? '',
    lastTurn: {
      hasText: lastTurn.some(({ role, content }) => role === 'user' && textOf(content) !== ''),
      toolResults: toolResultsOf(lastTurn, messages),
    },
    attachments: messages.flatMap(({ content }) => partsOf(content)).flatMap(attachmentOf),
    ...toolsOf(body),
    parallelCalls: body.parallel_tool_calls !== false && body.functions === undefined,
    ...(typeof maxTokens === 'number' && { maxTokens }),
    stopSequences: [stop ?? []].flat().filter((sequence) => sequence !== ''),
    thinking: ['none', 'minimal'].includes(body.reasoning_effort ?? 'none') ? 'off' : 'shown',
    ...formatOf(body),
  };
}

function formatOf({ response_format: format }: ChatBody): Pick<Conversation, 'format'> {
  if (format?.type === 'json_object') return { format: {} };
  return format?.type === 'json_schema'
    ? { format: { schema: format.json_schema.schema ?? { type: 'object' } } }
    : {};
}

const textOf = (content: Content | undefined): string =>
  partsOf(content)
    .map((part) => (part.type === 'text' ? part.text : ''))
    .filter((text) => text !== '')
    .join('\n');

function toolsOf({
  tools,
  functions,
  tool_choice: choice,
  function_call: legacyChoice,
}: ChatBody): { tools: readonly ToolDefinition[]; toolChoice: ToolChoice } {
  const definitions = (tools?.map((tool) => tool.function) ?? functions ?? []).map(
    ({ name, parameters = { type: 'object' } }) => ({ name, schema: parameters }),
  );
  if (typeof choice === 'object' && choice.type === 'allowed_tools') {
    const allowed = choice.allowed_tools.tools.map((tool) => tool.function?.name);
    return {
      tools: definitions.filter(({ name }) => allowed.includes(name)),
      toolChoice: { kind: choice.allowed_tools.mode === 'required' ? 'any' : 'auto' },
    };
  }
  return { tools: definitions, toolChoice: toolChoiceOf(choice ?? legacyChoice ?? 'auto') };
}

function toolChoiceOf(
  choice: Exclude<ChatBody['tool_choice'] | ChatBody['function_call'], undefined>,
): ToolChoice {
  if (typeof choice === 'string') return { kind: choice === 'required' ? 'any' : choice };
  if ('name' in choice) return { kind: 'named', name: choice.name };
  return choice.type === 'function'
    ? { kind: 'named', name: choice.function.name }
    : { kind: 'auto' };
}

function toolResultsOf(
  lastTurn: readonly ChatMessage[],
  messages: readonly ChatMessage[],
): readonly ToolResult[] {
  const names = new Map(
    messages.flatMap((message) =>
      message.role === 'assistant'
        ? (message.tool_calls ?? []).map(({ id, function: { name } }) => [id, name] as const)
        : [],
    ),
  );
  return lastTurn.flatMap((message) => {
    if (message.role === 'tool') {
      return [
        {
          tool: names.get(message.tool_call_id) ?? message.tool_call_id,
          text: textOf(message.content),
          isError: false,
        },
      ];
    }
    return message.role === 'function'
      ? [{ tool: message.name, text: textOf(message.content), isError: false }]
      : [];
  });
}

const dataUrl = /^data:([^;,]+);base64,(.*)$/s;

function mediaOf(kind: Attachment['kind'], url: string): Attachment {
  const [, mediaType, data] = dataUrl.exec(url) ?? [];
  return mediaType === undefined
    ? { kind, url }
    : { kind, mediaType, sizeBytes: Buffer.byteLength(data ?? '', 'base64') };
}

function attachmentOf(part: ContentPart): readonly Attachment[] {
  switch (part.type) {
    case 'image_url':
      return [mediaOf('image', part.image_url.url)];
    case 'file':
      return [
        part.file.file_data === undefined
          ? { kind: 'document' }
          : mediaOf('document', part.file.file_data),
      ];
    case 'input_audio':
      return [
        {
          kind: 'audio',
          mediaType: `audio/${part.input_audio.format}`,
          sizeBytes: Buffer.byteLength(part.input_audio.data, 'base64'),
        },
      ];
    case 'text':
    case 'refusal':
      return [];
  }
}

/** The prompt in the order of its cache. */
function segmentsOf({ tools = [], functions = [], messages }: ChatBody): readonly Segment[] {
  return [
    ...[...tools, ...functions]
      .map((tool) => JSON.stringify(tool))
      .map((text) => ({ identity: text, characters: text.length })),
    ...messages.map((message) => ({
      identity: JSON.stringify(message),
      characters: charactersOf(message),
    })),
  ];
}

/**
 * What a message counts: its text and its calls; an image or a file the same, whatever its size.
 */
function charactersOf(message: ChatMessage): number {
  const calls = message.role === 'assistant' ? (message.tool_calls ?? []) : [];
  return [
    ...partsOf(message.content).map((part) =>
      part.type === 'text' ? part.text.length : attachmentCharacters,
    ),
    ...calls.map(({ function: { name, arguments: text } }) => name.length + text.length),
  ].reduce((sum, one) => sum + one, 0);
}
