import { isFields, parseJson } from '../json.ts';
import { isBlank } from '../values.ts';

/**
 * A call's arguments as the object that the messages dialect wants. Text that is not JSON is mended
 * once; what stays unreadable goes along under `_raw`, so that one bad call of the history does not
 * fail the whole request.
 */
export function toolInput(argumentsText: string): Readonly<Record<string, unknown>> {
  if (isBlank(argumentsText)) return {};
  const value = parseJson(argumentsText) ?? parseJson(mended(argumentsText));
  if (isFields(value)) return value;
  if (argumentsText.trim() === 'null') return {};
  return value === undefined ? { _raw: argumentsText } : { value };
}

/** Longer texts are not mended. */
const longestMended = 1_000_000;

const openers: Readonly<Record<string, string>> = { '{': '}', '[': ']' };

/**
 * Damage as models do it: a fence around the JSON, raw line breaks inside strings, commas before a
 * bracket, an end that is missing, and words behind the end.
 */
function mended(text: string): string {
  if (text.length > longestMended) return '';
  const unfenced = text.trim().replace(/^```\w*/, '');
  const source = (unfenced.endsWith('```') ? unfenced.slice(0, -3) : unfenced).trim();
  const closers: string[] = [];
  const pieces: string[] = [];
  // Strings whole, an unfinished one too, then single characters.
  for (const [piece] of source.matchAll(/"(?:[^"\\]|\\[^])*(?:"|$)|[^]/g)) {
    const closes = closers.at(-1) === piece;
    if (closes) dropLastComma(pieces);
    pieces.push(piece.startsWith('"') ? wholeString(piece) : piece);
    if (closes) closers.pop();
    if (closes && closers.length === 0) return pieces.join('');
    if (openers[piece] !== undefined) closers.push(openers[piece]);
  }
  dropLastComma(pieces);
  return pieces.join('') + closers.reverse().join('');
}

function dropLastComma(pieces: string[]): void {
  while (/^\s$/.test(pieces.at(-1) ?? '')) pieces.pop();
  if (pieces.at(-1) === ',') pieces.pop();
}

const controlEscapes: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' };

function wholeString(piece: string): string {
  const closed = piece.length > 1 && piece.endsWith('"') ? piece : `${piece}"`;
  return closed.replace(/[\n\r\t]/g, (character) => controlEscapes[character] ?? character);
}
