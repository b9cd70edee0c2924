import { blocksOf, type Block, type MessagesBody, type Role, type Source } from './body.ts';
import { invalid } from './read-body.ts';

const isBlank = (text: string): boolean => text.trim() === '';

/** What may stand where; system messages in the middle hold text only. */
const allowedIn: Readonly<Record<Role, (type: string) => boolean>> = {
  user: (type) =>
    !['tool_use', 'thinking', 'redacted_thinking', 'server_tool_use', 'mcp_tool_use'].includes(
      type,
    ),
  assistant: (type) =>
    !['tool_result', 'image', 'document', 'search_result', 'container_upload'].includes(type),
  system: (type) => type === 'text',
};

/**
 * Refuses content that is empty or that stands in a turn it cannot stand in, as probes of the real
 * vendor showed.
 */
export function checkContent({ messages, system }: MessagesBody): void {
  if (typeof system === 'string' && system !== '' && isBlank(system)) {
    throw invalid('system', 'text content blocks must contain non-whitespace text');
  }
  if (Array.isArray(system)) checkTexts(system as readonly Block[], 'system');
  if (messages[0]?.role === 'assistant') {
    throw invalid('messages', 'first message must use the "user" role');
  }
  messages.forEach(({ role, content }, index) => {
    const place = `messages.${index}`;
    const blocks =
      typeof content === 'string' ? [{ type: 'text', text: content } as const] : content;
    for (const [at, { type }] of blocks.entries()) {
      if (!allowedIn[role](type)) {
        throw invalid(
          `${place}.content.${at}`,
          `\`${type}\` blocks are not permitted in \`${role}\` messages`,
        );
      }
    }
    if (role !== 'assistant') checkFilled(blocks, place);
    if (typeof content !== 'string') checkTexts(content, `${place}.content`);
    checkOnlyBlank(blocks, { place, role });
    checkMedia(blocks, `${place}.content`);
  });
  checkPrefill(messages);
}

function checkFilled(blocks: readonly Block[], place: string): void {
  if (blocks.every((block) => block.type === 'text' && block.text === '')) {
    throw invalid(
      place,
      'all messages must have non-empty content except for the optional final assistant message',
    );
  }
}

function checkTexts(blocks: readonly Block[], place: string): void {
  blocks.forEach((block, index) => {
    if (block.type !== 'text' || block.text !== '') return;
    if (block.cache_control) {
      throw invalid(`${place}.${index}.text`, 'cache_control cannot be set for empty text blocks');
    }
    throw invalid(place, 'text content blocks must be non-empty');
  });
}

/** White space alone is no content, but it may stand beside some. */
function checkOnlyBlank(
  blocks: readonly Block[],
  { place, role }: { place: string; role: Role },
): void {
  const isEmptyString = blocks.length === 1 && blocks[0]?.type === 'text' && blocks[0].text === '';
  if (role === 'assistant' && isEmptyString) return;
  if (blocks.length > 0 && blocks.every((block) => block.type === 'text' && isBlank(block.text))) {
    throw invalid(place, 'text content blocks must contain non-whitespace text');
  }
}

function checkPrefill(messages: MessagesBody['messages']): void {
  const last = messages.at(-1);
  const block = blocksOf(last?.content).at(-1);
  if (last?.role === 'assistant' && block?.type === 'text' && /\s$/.test(block.text)) {
    throw invalid('messages', 'final assistant content cannot end with trailing whitespace');
  }
}

function checkMedia(blocks: readonly Block[], place: string): void {
  blocks.forEach((block, index) => {
    if (block.type === 'image' || block.type === 'document') {
      checkSource(block.source, `${place}.${index}.${block.type}.source`);
    }
    if (block.type === 'tool_result' && Array.isArray(block.content)) {
      checkMedia(block.content as readonly Block[], `${place}.${index}.tool_result.content`);
    }
  });
}

/** First bytes of the image types, in base64. */
const beginnings: Readonly<Record<string, RegExp>> = {
  'image/png': /^iVBORw0KGgo/,
  'image/jpeg': /^\/9j\//,
  'image/gif': /^R0lGOD/,
  'image/webp': /^UklGR.{7}XRUJQ/,
};

function checkSource(source: Source, place: string): void {
  if (source.type !== 'base64') return;
  if (!/^[A-Za-z0-9+/]+={0,2}$/.test(source.data)) {
    throw invalid(`${place}.base64.data`, 'Invalid base64 data');
  }
  const actual = Object.entries(beginnings).find(([, beginning]) =>
    beginning.test(source.data),
  )?.[0];
  if (actual !== undefined && actual !== source.media_type) {
    throw invalid(
      `${place}.base64.data`,
      `The image was specified using the ${source.media_type} media type, but the image appears to be a ${actual} image`,
    );
  }
}
