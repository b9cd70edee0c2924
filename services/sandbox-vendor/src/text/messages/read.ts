import {
  attachmentCharacters,
  type Attachment,
  type Conversation,
  type Segment,
  type ToolChoice,
  type ToolResult,
} from '../model/conversation.ts';
import { cacheTtlMs } from '../model/prefix-cache.ts';
import {
  blocksOf,
  type Block,
  type CacheControl,
  type Message,
  type MessagesBody,
} from './body.ts';

/** What the model gets to read of a body that is known to be right. */
export function toConversation(body: MessagesBody): Conversation {
  const { messages, tools = [], tool_choice: choice } = body;
  const lastTurn = messages
    .slice(messages.findLastIndex(({ role }) => role === 'assistant') + 1)
    .flatMap(({ content }) => blocksOf(content));
  const format = body.output_config?.format ?? body.output_format;
  return {
    model: body.model,
    stream: body.stream === true,
    segments: segmentsOf(body),
    system: [
      ...blocksOf(body.system),
      ...messages
        .filter(({ role }) => role === 'system')
        .flatMap(({ content }) => blocksOf(content)),
    ]
      .map(textOf)
      .join('\n'),
    lastUserText:
      messages
        .filter(isUser)
        .map(({ content }) => textsOf(blocksOf(content)))
        .findLast((text) => text !== '') ?? '',
    lastTurn: { hasText: textsOf(lastTurn) !== '', toolResults: toolResultsOf(lastTurn, messages) },
    attachments: messages.flatMap(({ content }) => blocksOf(content)).flatMap(attachmentsOf),
    tools: tools.map(({ name, input_schema: schema = { type: 'object' } }) => ({ name, schema })),
    toolChoice: toolChoiceOf(choice),
    parallelCalls: choice?.disable_parallel_tool_use !== true,
    ...(body.max_tokens !== undefined && { maxTokens: body.max_tokens }),
    stopSequences: body.stop_sequences ?? [],
    thinking: thinkingOf(body.thinking),
    ...(format && { format: { schema: format.schema } }),
  };
}

const isUser = ({ role }: Message): boolean => role === 'user';
const textOf = (block: Block): string => (block.type === 'text' ? block.text : '');
const textsOf = (blocks: readonly Block[]): string =>
  blocks
    .map(textOf)
    .filter((text) => text !== '')
    .join('\n');

function toolChoiceOf(choice: MessagesBody['tool_choice']): ToolChoice {
  if (choice === undefined) return { kind: 'auto' };
  return choice.type === 'tool'
    ? { kind: 'named', name: String(choice.name) }
    : { kind: choice.type };
}

function thinkingOf(thinking: MessagesBody['thinking']): Conversation['thinking'] {
  if (thinking?.type !== 'enabled' && thinking?.type !== 'adaptive') return 'off';
  return thinking.display === 'omitted' ? 'omitted' : 'shown';
}

function toolResultsOf(
  lastTurn: readonly Block[],
  messages: readonly Message[],
): readonly ToolResult[] {
  const names = new Map(
    messages
      .flatMap(({ content }) => blocksOf(content))
      .flatMap((block) => (block.type === 'tool_use' ? [[block.id, block.name] as const] : [])),
  );
  return lastTurn.flatMap((block) =>
    block.type === 'tool_result'
      ? [
          {
            tool: names.get(block.tool_use_id) ?? block.tool_use_id,
            text: textsOf(blocksOf(block.content)),
            isError: block.is_error === true,
          },
        ]
      : [],
  );
}

function attachmentsOf(block: Block): readonly Attachment[] {
  if (block.type === 'tool_result') return blocksOf(block.content).flatMap(attachmentsOf);
  if (block.type !== 'image' && block.type !== 'document') return [];
  const { type: kind, source } = block;
  if (source.type === 'url') return [{ kind, url: source.url }];
  if (source.type === 'base64') {
    return [
      { kind, mediaType: source.media_type, sizeBytes: Buffer.byteLength(source.data, 'base64') },
    ];
  }
  return [
    {
      kind,
      ...(source.type === 'text' && {
        mediaType: source.media_type,
        sizeBytes: Buffer.byteLength(source.data),
      }),
    },
  ];
}

/**
 * The prompt in the order of its cache: tools, system, messages. A mark at the top level stands at
 * the end.
 */
function segmentsOf({
  tools = [],
  system,
  messages,
  cache_control: automatic,
}: MessagesBody): readonly Segment[] {
  const blocks = [
    ...tools.map(({ cache_control: mark, ...tool }) => segment(JSON.stringify(tool), mark)),
    ...blocksOf(system).map((block) => segmentOf('system', block)),
    ...messages.flatMap(({ role, content }) =>
      blocksOf(content).map((block) => segmentOf(role, block)),
    ),
  ];
  const last = blocks.at(-1);
  return automatic && last !== undefined
    ? [...blocks.slice(0, -1), { ...last, cacheTtlMs: cacheTtlMs[automatic.ttl ?? '5m'] }]
    : blocks;
}

const segment = (
  text: string,
  mark: CacheControl | null | undefined,
  characters = text.length,
): Segment => ({
  identity: text,
  characters,
  ...(mark && { cacheTtlMs: cacheTtlMs[mark.ttl ?? '5m'] }),
});

function segmentOf(role: string, block: Block): Segment {
  const { cache_control: mark, ...rest } = { cache_control: undefined, ...block };
  return segment(`${role} ${JSON.stringify(rest)}`, mark, charactersOf(block));
}

/** What a block counts: its text; an image or a document the same, whatever its size. */
function charactersOf(block: Block): number {
  if (block.type === 'text') return block.text.length;
  if (block.type === 'thinking') return block.thinking.length;
  if (block.type === 'tool_use') return block.name.length + JSON.stringify(block.input).length;
  if (block.type === 'tool_result') {
    return blocksOf(block.content).reduce((sum, one) => sum + charactersOf(one), 0);
  }
  if (block.type === 'document' && block.source.type === 'text') return block.source.data.length;
  return block.type === 'image' || block.type === 'document'
    ? attachmentCharacters
    : JSON.stringify(block).length;
}
