import { isFields, parseJson } from '../json.ts';

/**
 * A call's arguments as text of a JSON object. Takes what vendors send: an object instead of a
 * text, a text inside a text, nothing, or an object with something behind it. What cannot be
 * repaired is returned as it is.
 */
export function normaliseArguments(raw: unknown): string {
  if (typeof raw === 'string') return normaliseText(raw);
  if (raw === undefined || raw === null) return '';
  return JSON.stringify(isFields(raw) ? raw : { value: raw });
}

function normaliseText(raw: string): string {
  if (raw.trim() === '' || raw.trim() === 'null') return '';
  const value = parseJson(raw);
  if (isFields(value)) return raw;
  if (value === undefined) return firstObject(raw) ?? raw;
  return typeof value === 'string' && isFields(parseJson(value))
    ? value
    : JSON.stringify({ value });
}

/** The object that a damaged text begins with. */
function firstObject(raw: string): string | undefined {
  const start = raw.search(/\S/);
  const end = createObjectScanner().push(raw, Math.max(0, start));
  return raw[start] === '{' && end >= 0 && isFields(parseJson(raw.slice(start, end)))
    ? raw.slice(start, end)
    : undefined;
}

interface ObjectScanner {
  /** The index behind the brace that closes the object, or −1 while it is open. */
  push(text: string, from: number): number;
}

/** Follows braces and strings over any fragments, to see where an object ends. */
function createObjectScanner(): ObjectScanner {
  let depth = 0;
  let quoted = false;
  let escaped = false;
  const inString = (code: number): void => {
    if (escaped) escaped = false;
    else if (code === 0x5c) escaped = true;
    else if (code === 0x22) quoted = false;
  };
  return {
    push(text, from) {
      for (let index = from; index < text.length; index++) {
        const code = text.charCodeAt(index);
        if (quoted) inString(code);
        else if (code === 0x22) quoted = true;
        else if (code === 0x7b) depth++;
        else if (code === 0x7d && --depth === 0) return index + 1;
      }
      return -1;
    },
  };
}

export interface ToolArguments {
  /** Takes a fragment, returns what may be told now. */
  push(fragment: string): string;
  /** What is left to tell when no more fragments can come. */
  finish(): string;
  /** The object is closed: anything behind it is not part of it. */
  isComplete(): boolean;
}

/**
 * The arguments of one streamed call. A plain object passes through as it comes and is cut where it
 * closes; anything else, and everything for a vendor that is known to damage arguments (`hold`), is
 * kept until the end and repaired. `{}` is kept as well: some vendors send it as a placeholder
 * before the arguments.
 */
export function createToolArguments({ hold }: { hold: boolean }): ToolArguments {
  const scanner = createObjectScanner();
  let kept = '';
  let live = false;
  let complete = false;

  const pass = (text: string): string => {
    const end = scanner.push(text, 0);
    complete = end >= 0;
    return complete ? text.slice(0, end) : text;
  };
  return {
    isComplete: () => complete,
    push(fragment) {
      if (complete) return '';
      if (live) return pass(fragment);
      kept += fragment;
      const start = hold ? null : /^\s*(?:\{\s*\}\s*)?(\{\s*[^\s}])/.exec(kept);
      if (start === null) return '';
      live = true;
      const text = kept.slice(start[0].length - (start[1]?.length ?? 0));
      kept = '';
      return pass(text);
    },
    finish() {
      const rest = live ? '' : normaliseArguments(kept);
      [kept, complete] = ['', true];
      return rest === '{}' ? '' : rest;
    },
  };
}
