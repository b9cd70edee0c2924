/** Recognises stream chunks that differ from the one before in their text alone. */
export interface TextTemplate {
  /** The text of such a chunk; undefined: parse it. */
  match(data: string): string | undefined;
  /** `data` was parsed and said `text` and nothing else. */
  learn(data: string, text: string): void;
  /** `data` was parsed and said something else. */
  forget(): void;
}

/** What stands before the text's first character in either dialect. */
const keyOfText = /"(content|text)": ?"$/;
/** A stream whose chunks never repeat is not searched for ever. */
const mostMisses = 8;

/**
 * Most chunks of a stream are one JSON document over and over, with another word in it. What
 * surrounds the word is compared as a whole, and a word without quotes and backslashes is the text
 * itself: 0.2 µs instead of 2 for parsing it. Whatever differs in any other byte is parsed.
 */
export function createTextTemplate(): TextTemplate {
  let before = '';
  let after = '';
  let misses = 0;
  return {
    match(data) {
      if (
        before === '' ||
        data.length <= before.length + after.length ||
        !data.startsWith(before) ||
        !data.endsWith(after)
      ) {
        return undefined;
      }
      const text = data.slice(before.length, data.length - after.length);
      if (text.includes('"') || text.includes('\\')) return undefined;
      misses = 0;
      return text;
    },
    learn(data, text) {
      if (misses >= mostMisses) return;
      misses += 1;
      const literal = JSON.stringify(text);
      const at = data.indexOf(literal);
      before = '';
      if (at === -1 || data.includes(literal, at + 1) || !keyOfText.test(data.slice(0, at + 1))) {
        return;
      }
      before = data.slice(0, at + 1);
      after = data.slice(at + literal.length - 1);
    },
    forget() {
      before = '';
    },
  };
}
