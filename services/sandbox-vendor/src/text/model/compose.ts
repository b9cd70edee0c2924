import type { Attachment, Conversation, ToolResult } from './conversation.ts';

const maxQuotedCharacters = 1_000;

const quote = (text: string): string => {
  const oneLine = text.replace(/\s+/g, ' ').trim();
  return `"${oneLine.length > maxQuotedCharacters ? `${oneLine.slice(0, maxQuotedCharacters).replace(/[\uD800-\uDBFF]$/, '')}…` : oneLine}"`;
};

/** The sentences of a completion: about what was asked, and about everything else that arrived. */
export function composeText(conversation: Conversation, plainText: string): string {
  const { lastTurn, system, attachments, segments } = conversation;
  const sentences = [
    ...lastTurn.toolResults.map(toolSentence),
    ...(plainText === '' ? [] : [`You asked: ${quote(plainText)}.`]),
    ...(system === '' ? [] : [`The system prompt says: ${quote(system)}.`]),
    ...attachments.map(attachmentSentence),
    `This is the sandbox model ${conversation.model}, which answers every prompt in the same plain way and knows nothing about the world.`,
    `It has read ${segments.length} ${segments.length === 1 ? 'piece' : 'pieces'} of prompt, and it writes this sentence so that a stream has something to carry.`,
  ];
  return sentences.join(' ');
}

const toolSentence = ({ tool, text, isError }: ToolResult): string =>
  `The tool ${tool} ${isError ? 'failed and said' : 'answered'}: ${quote(text)}.`;

function attachmentSentence({ kind, mediaType, sizeBytes, url }: Attachment): string {
  const type = mediaType === undefined ? '' : ` of type ${mediaType}`;
  const from = url === undefined ? '' : ` at ${url}`;
  return `You sent one ${kind}${type}${from}${sizeBytes === undefined ? '' : ` with ${sizeBytes} bytes`}.`;
}

/** What the model thinks before it responds. */
export const composeThinking = ({ tools, attachments }: Conversation, plainText: string): string =>
  [
    `The user wants an answer to ${quote(plainText)}.`,
    `There are ${tools.length} tools and ${attachments.length} attachments to consider.`,
    'I weigh this for a moment, find nothing against it, and answer in plain sentences.',
  ].join(' ');

const filler =
  ' The sandbox goes on with one more sentence, because a longer answer was asked for.';

/** The text lengthened or shortened to exactly so many characters. */
export function fitText(text: string, characters: number): string {
  const long =
    text.length >= characters
      ? text
      : text + filler.repeat(Math.ceil((characters - text.length) / filler.length));
  return `${long.slice(0, characters - 1).replace(/[\uD800-\uDBFF]$/, '.')}.`;
}
