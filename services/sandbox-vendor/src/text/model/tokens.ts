const charactersPerToken = 4;

/** Tokens of a text of so many characters (UTF-16 units), rounded up. */
export const tokensOf = (characters: number): number => Math.ceil(characters / charactersPerToken);

export const tokensOfText = (text: string): number => tokensOf(text.length);

/**
 * The longest beginning of a text that has at most so many tokens and does not end inside a
 * character.
 */
export function cutToTokens(text: string, tokens: number): string {
  const length = tokens * charactersPerToken;
  if (text.length <= length) return text;
  return text.slice(0, isInsideCharacter(text, length) ? length - 1 : length);
}

/** A character beyond the basic plane is two units, which no cut may part. */
const isInsideCharacter = (text: string, index: number): boolean =>
  /[\uD800-\uDBFF]/.test(text.charAt(index - 1));

/** A piece of a text as one event of a stream carries it. */
export interface Piece {
  readonly text: string;
  /** The tokens by which the whole grows with this piece. */
  readonly tokens: number;
}

/** Splits a text into words with the space after them; what has no spaces is split by length. */
export function* piecesOf(text: string, maxLength = 24): Generator<Piece> {
  let characters = 0;
  for (const [word] of text.matchAll(/\S+\s*|\s+/g)) {
    let start = 0;
    while (start < word.length) {
      let end = Math.min(word.length, start + maxLength);
      if (end < word.length && isInsideCharacter(word, end)) end += 1;
      const piece = word.slice(start, end);
      yield { text: piece, tokens: tokensOf(characters + piece.length) - tokensOf(characters) };
      characters += piece.length;
      start = end;
    }
  }
}
