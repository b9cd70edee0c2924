import { type Fields, isFields } from '../json.ts';
import { messagesQuirksOf, type MessagesQuirksOptions } from '../messages/choose-quirks.ts';
import { isForeignCitation } from '../messages/sources.ts';
import { readList, readRecord, readString } from '../values.ts';

/** Begins every signature that the gateway itself has put on thoughts of upstreams of other dialects. */
const marks = ['gw1.', 'gw1s.', 'gw1e.'] as const;
/** How all of them begin in a body. */
const writtenMark = Buffer.from('"gw1');

/**
 * A body for a messages upstream that checks signatures, without the thoughts and sources that a
 * chat upstream had in earlier turns: the conversation has come from another route, and they would
 * be refused.
 * The same Buffer when there are none, so nearly always.
 */
export function withoutForeignThinking(body: Buffer, upstream: MessagesQuirksOptions): Buffer {
  if (!body.includes(writtenMark) || messagesQuirksOf(upstream).unsignedThinking) return body;
  const { thinking, ...rest } = JSON.parse(body.toString('utf8')) as Fields;
  const all = readList(rest['messages']) ?? [];
  if (!all.some((message) => blocksOf(message).some(holdsForeign))) return body;
  const messages = all.map((message) => ({
    ...readRecord(message),
    ...(blocksOf(message).length > 0 && {
      content: blocksOf(message)
        .filter((block) => !isForeign(block))
        .map(withoutForeignSources),
    }),
  }));
  const keepsThinking =
    thinking !== undefined &&
    !(readRecord(thinking)?.['type'] === 'enabled' && lacksThoughts(messages));
  return Buffer.from(JSON.stringify({ ...rest, ...(keepsThinking && { thinking }), messages }));
}

const blocksOf = (message: unknown): readonly unknown[] =>
  readList(readRecord(message)?.['content']) ?? [];
const typeOf = (block: unknown): unknown => readRecord(block)?.['type'];
const isForeign = (block: unknown): boolean =>
  typeOf(block) === 'thinking' &&
  marks.some((mark) => readString(readRecord(block)?.['signature'])?.startsWith(mark));

const citationsOf = (block: unknown): readonly unknown[] =>
  readList(readRecord(block)?.['citations']) ?? [];
const holdsForeign = (block: unknown): boolean =>
  isForeign(block) || citationsOf(block).some(isForeignCitation);

function withoutForeignSources(block: unknown): unknown {
  if (!isFields(block) || !citationsOf(block).some(isForeignCitation)) return block;
  const { citations: _citations, ...rest } = block;
  const kept = citationsOf(block).filter((citation) => !isForeignCitation(citation));
  return kept.length === 0 ? rest : { ...rest, citations: kept };
}

/**
 * Models that think by budget refuse to go on from a call that no thought led to: this once they do
 * not think.
 */
function lacksThoughts(messages: readonly unknown[]): boolean {
  const types = blocksOf(
    messages.findLast((message) => readRecord(message)?.['role'] === 'assistant'),
  ).map(typeOf);
  return types.includes('tool_use') && types[0] !== 'thinking' && types[0] !== 'redacted_thinking';
}
