import { tailThatBegins } from '../text-tail.ts';

export interface SplitText {
  readonly reasoning: string;
  readonly text: string;
}

export interface ThinkTagSplitter {
  push(text: string): SplitText;
  /** What was held back because it might have been the beginning of a tag. */
  flush(): SplitText;
}

const opening = '<think>';
const closing = '</think>';

/**
 * Takes `<think>…</think>` at the very start of a completion apart from its text, over any fragments.
 * Later tags are text.
 */
export function createThinkTagSplitter(): ThinkTagSplitter {
  let place: 'start' | 'inside' | 'gap' | 'behind' = 'start';
  let held = '';

  const inside = (text: string): SplitText => {
    const end = text.indexOf(closing);
    if (end < 0) {
      const kept = tailThatBegins(text, closing);
      held = text.slice(text.length - kept);
      return { reasoning: text.slice(0, text.length - kept), text: '' };
    }
    return {
      reasoning: text.slice(0, end).trimEnd(),
      ...behindGap(text.slice(end + closing.length)),
    };
  };
  /** White space between the tag and the text belongs to neither. */
  const behindGap = (text: string): { text: string } => {
    const trimmed = text.trimStart();
    place = trimmed === '' ? 'gap' : 'behind';
    return { text: trimmed };
  };
  const start = (text: string): SplitText => {
    const trimmed = text.trimStart();
    if (trimmed.startsWith(opening)) {
      place = 'inside';
      return inside(trimmed.slice(opening.length).trimStart());
    }
    if (opening.startsWith(trimmed)) {
      held = text;
      return { reasoning: '', text: '' };
    }
    place = 'behind';
    return { reasoning: '', text };
  };
  return {
    push(fragment) {
      if (place === 'behind') return { reasoning: '', text: fragment };
      if (place === 'gap') return { reasoning: '', ...behindGap(fragment) };
      const text = held + fragment;
      held = '';
      return place === 'start' ? start(text) : inside(text);
    },
    flush() {
      const rest = held;
      held = '';
      return place === 'inside' ? { reasoning: rest, text: '' } : { reasoning: '', text: rest };
    },
  };
}
