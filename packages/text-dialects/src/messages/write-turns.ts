import { GatewayError } from '@gateway/domain';
import type { Fields } from '../json.ts';
import type { Turn } from '../neutral.ts';
import { writePart, type BlockContext } from './write-content.ts';

interface Message {
  readonly role: Turn['role'];
  readonly content: Fields[];
}

/** Stands where the dialect insists on the user's words and the client sent none. */
const placeholder: Fields = { type: 'text', text: '.' };

/**
 * The conversation as the messages dialect wants it: turns of one role merged, none empty, the
 * user's first, and no blank at the end of words that the model goes on from. Throws
 * `unsupported_parameter` where the model does not go on from them.
 */
export function writeTurns(turns: readonly Turn[], context: BlockContext): Fields[] {
  const messages: Message[] = [];
  const add = ({ role, content }: Message): void => {
    const last = messages.at(-1);
    if (last?.role === role) for (const block of content) last.content.push(block);
    else if (content.length > 0) messages.push({ role, content });
  };
  for (const turn of turns) {
    const message = writeTurn(turn, context);
    // A user who said nothing still took a turn.
    add(
      message.role === 'user' && message.content.length === 0 && messages.at(-1)?.role !== 'user'
        ? { role: 'user', content: [placeholder] }
        : message,
    );
  }
  if (messages[0]?.role !== 'user') messages.unshift({ role: 'user', content: [placeholder] });
  return trimmedEnd(messages, context).map(({ role, content }) => ({ role, content }));
}

function writeTurn({ role, parts }: Turn, context: BlockContext): Message {
  const content: Fields[] = [];
  for (const part of parts) {
    for (const block of writePart(part, context)) content.push(block);
  }
  if (role !== 'system' || context.quirks.systemTurns) return { role, content };
  return {
    role: 'user',
    content: content.map((block) => ({
      ...block,
      text: `<system>\n${String(block['text'])}\n</system>`,
    })),
  };
}

function trimmedEnd(messages: Message[], { quirks }: BlockContext): Message[] {
  const last = messages.at(-1);
  if (last?.role !== 'assistant') return messages;
  if (!quirks.prefill) {
    throw new GatewayError(
      'unsupported_parameter',
      'messages must end with a user or tool message: this model does not go on from words of the assistant',
      { param: 'messages' },
    );
  }
  const end = last.content.at(-1);
  if (end?.['type'] !== 'text') return messages;
  return [
    ...messages.slice(0, -1),
    {
      role: 'assistant',
      content: [...last.content.slice(0, -1), { ...end, text: String(end['text']).trimEnd() }],
    },
  ];
}
