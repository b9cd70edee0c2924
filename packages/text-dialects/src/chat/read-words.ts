import { type Fields, isFields, wordsOf } from '../json.ts';

/** What one delta, or one whole message, says. Empty texts mean nothing was said. */
export interface Words {
  readonly text: string;
  readonly reasoning: string;
  readonly refusal: string;
  readonly signature: string | undefined;
  readonly redacted: string | undefined;
}

/**
 * Reads text and thoughts wherever vendors put them; of several places with thoughts the first
 * counts, for they repeat each other.
 */
export function readWords(message: Fields): Words {
  const { content } = message;
  const parts = Array.isArray(content) ? content.filter(isFields) : [];
  const details = Array.isArray(message['reasoning_details'])
    ? message['reasoning_details'].filter(isFields)
    : [];
  return {
    text: typeof content === 'string' ? content : textOf(parts),
    reasoning:
      wordsOf(message['reasoning_content']) ??
      wordsOf(message['reasoning']) ??
      detailsText(details) ??
      wordsOf(message['thinking']) ??
      thoughtsOf(parts),
    refusal: wordsOf(message['refusal']) ?? '',
    signature: firstOf(details, 'signature'),
    redacted: firstOf(
      details.filter(({ type }) => type === 'reasoning.encrypted'),
      'data',
    ),
  };
}

const textOf = (parts: readonly Fields[]): string =>
  parts
    .map((part) =>
      part['type'] === 'text' || part['type'] === 'output_text'
        ? (wordsOf(part['text']) ?? '')
        : '',
    )
    .join('');

/** Mistral's thoughts are parts that have parts. */
const thoughtsOf = (parts: readonly Fields[]): string =>
  parts
    .filter(({ type }) => type === 'thinking')
    .map(({ thinking }) =>
      Array.isArray(thinking) ? textOf(thinking.filter(isFields)) : (wordsOf(thinking) ?? ''),
    )
    .join('');

const detailsText = (details: readonly Fields[]): string | undefined =>
  wordsOf(
    details.map((detail) => wordsOf(detail['text']) ?? wordsOf(detail['summary']) ?? '').join(''),
  );

const firstOf = (details: readonly Fields[], field: string): string | undefined =>
  details.map((detail) => wordsOf(detail[field])).find((value) => value !== undefined);

/** A vendor's opaque proof of a call, which it wants back. */
export function thoughtSignatureOf(call: Fields): string | undefined {
  const extra = isFields(call['extra_content']) ? call['extra_content'] : {};
  const google = isFields(extra['google']) ? extra['google'] : {};
  return wordsOf(google['thought_signature']);
}
