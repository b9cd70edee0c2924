import { GatewayError } from '@gateway/domain';
import type { Fields } from '../json.ts';
import type {
  CacheControl,
  DocumentPart,
  ImagePart,
  MediaSource,
  Part,
  ReasoningPart,
  TextPart,
  ToolCallPart,
  ToolResultPart,
} from '../neutral.ts';
import { isBlank, known } from '../values.ts';
import type { MessagesQuirks } from './quirks.ts';
import { toolInput } from './tool-input.ts';

/** What writing a block needs to know of the whole request. */
export interface BlockContext {
  readonly quirks: MessagesQuirks;
  readonly toolName: (name: string) => string;
  readonly toolId: (id: string) => string;
  /** Marks a block for caching, as long as there are breakpoints left. */
  readonly mark: (block: Fields, control: CacheControl | undefined) => Fields;
}

/** The dialect takes this many breakpoints in a request. */
const mostBreakpoints = 4;

/** Gives out the breakpoints in the order of writing: tools, system, conversation. */
export function createMarker(accepted: boolean): BlockContext['mark'] {
  let left = accepted ? mostBreakpoints : 0;
  return (block, control) => {
    if (control === undefined || left === 0) return block;
    left -= 1;
    return { ...block, cache_control: { type: control.type, ...known({ ttl: control.ttl }) } };
  };
}

/**
 * Thoughts with the vendor's own proof. The gateway's marker of foreign thoughts proves nothing
 * there.
 */
export const isSigned = ({ signature = '', redacted }: ReasoningPart): boolean =>
  redacted !== undefined || (signature !== '' && !/^gw1e?\./.test(signature));

/**
 * Blocks of the messages dialect for one part: none where the dialect or the upstream has no place
 * for it.
 */
export function writePart(part: Part, context: BlockContext): Fields[] {
  switch (part.type) {
    case 'text':
      return writeText(part, context);
    case 'image':
      return [context.mark(writeImage(part, context.quirks), part.cacheControl)];
    case 'document':
      return [context.mark(writeDocument(part), part.cacheControl)];
    case 'reasoning':
      return writeReasoning(part, context.quirks);
    case 'tool_call':
      return [writeToolCall(part, context)];
    case 'tool_result':
      return [writeToolResult(part, context)];
  }
}

/** Upstreams refuse empty texts, and blank ones that stand alone. */
export const writeText = (part: TextPart, { mark }: Pick<BlockContext, 'mark'>): Fields[] =>
  isBlank(part.text) ? [] : [mark({ type: 'text', text: part.text }, part.cacheControl)];

function writeImage({ source }: ImagePart, { imageUrls }: MessagesQuirks): Fields {
  if (source.kind === 'url' && !imageUrls) {
    throw new GatewayError(
      'unsupported_parameter',
      'messages: this model takes no addresses of pictures; send the picture itself as a data: URL',
      { param: 'messages' },
    );
  }
  return { type: 'image', source: mediaSource(source) };
}

const writeDocument = ({ source, title, context }: DocumentPart): Fields => ({
  type: 'document',
  source:
    source.kind === 'text'
      ? { type: 'text', media_type: 'text/plain', data: source.text }
      : mediaSource(source),
  ...known({ title, context }),
});

const mediaSource = (source: MediaSource): Fields =>
  source.kind === 'url'
    ? { type: 'url', url: source.url }
    : { type: 'base64', media_type: source.mediaType, data: source.data };

function writeReasoning(part: ReasoningPart, { unsignedThinking }: MessagesQuirks): Fields[] {
  if (part.redacted !== undefined) {
    return unsignedThinking ? [] : [{ type: 'redacted_thinking', data: part.redacted }];
  }
  if (!isSigned(part) && (!unsignedThinking || part.text === '')) return [];
  return [
    { type: 'thinking', thinking: part.text, signature: isSigned(part) ? part.signature : '' },
  ];
}

const writeToolCall = (
  { id, name, argumentsText, cacheControl }: ToolCallPart,
  { toolId, toolName, mark }: BlockContext,
): Fields =>
  mark(
    { type: 'tool_use', id: toolId(id), name: toolName(name), input: toolInput(argumentsText) },
    cacheControl,
  );

function writeToolResult(
  { callId, content, isError, cacheControl }: ToolResultPart,
  context: BlockContext,
): Fields {
  const [only] = content;
  const id = context.toolId(callId);
  // The usual one, of which there are thousands.
  if (content.length === 1 && only?.type === 'text' && only.cacheControl === undefined) {
    const block = { type: 'tool_result', tool_use_id: id, content: only.text };
    return context.mark(isError ? { ...block, is_error: true } : block, cacheControl);
  }
  const blocks = content.flatMap((part) => writePart(part, context));
  const block = {
    type: 'tool_result',
    tool_use_id: id,
    ...(blocks.length > 0 && { content: blocks }),
    ...(isError && { is_error: true }),
  };
  return context.mark(block, cacheControl);
}
