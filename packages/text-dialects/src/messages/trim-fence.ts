/**
 * Takes a code fence off JSON that comes in pieces: models put one around it against all
 * instructions. What may still be the fence is held back.
 */
export interface FenceTrimmer {
  push(text: string): string;
  /** The rest. `complete` is false when the completion was cut, so that its end is not the fence's. */
  end(complete: boolean): string;
}

const opening = /^\s*```[a-zA-Z]*[ \t]*\r?\n/;
/** Any beginning of that. */
const perhapsOpening = /^\s*(?:`{0,2}|```[a-zA-Z]*[ \t]*\r?)$/;
const closing = '```';
/** Characters that may belong to the end. */
const tail = ' \t\r\n`';

export function createFenceTrimmer(): FenceTrimmer {
  let state: 'begin' | 'inside' | 'bare' = 'begin';
  let held = '';

  const begin = (text: string): string => {
    const match = opening.exec(text);
    if (match === null && perhapsOpening.test(text)) {
      held = text;
      return '';
    }
    state = match === null ? 'bare' : 'inside';
    held = '';
    return match === null ? text : inside(text.slice(match[0].length));
  };

  const inside = (text: string): string => {
    let end = text.length;
    while (end > 0 && tail.includes(text.charAt(end - 1))) end -= 1;
    held = text.slice(end);
    return text.slice(0, end);
  };

  return {
    push(text) {
      if (state === 'bare') return text;
      return state === 'begin' ? begin(held + text) : inside(held + text);
    },
    end(complete) {
      const rest = held;
      held = '';
      const trimmed = rest.trimEnd();
      if (state !== 'inside' || !complete || !trimmed.endsWith(closing)) return rest;
      return trimmed.slice(0, -closing.length).trimEnd();
    },
  };
}
