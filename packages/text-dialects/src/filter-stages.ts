import { isFields, parseJson } from './json.ts';
import type { TextEvent } from './neutral.ts';
import { tailThatBegins } from './text-tail.ts';

/** A stage that may keep text back until it has seen more. */
export interface TextStage {
  push(text: string): string;
  flush(): string;
}

/** The schema's value stands in an object: nothing can be told before the object is whole. */
export function createUnwrapStage(): TextStage {
  let held = '';
  return {
    push(text) {
      held += text;
      return '';
    },
    flush() {
      const text = held;
      held = '';
      return unwrapValue(text);
    },
  };
}

export function unwrapValue(text: string): string {
  const value = parseJson(text);
  if (!isFields(value) || !Object.hasOwn(value, 'value') || Object.keys(value).length !== 1) {
    return text;
  }
  return JSON.stringify(value['value']);
}

export function createPrefillStage(prefill: string): TextStage {
  let held = '';
  let decided = false;
  return {
    push(fragment) {
      if (decided) return fragment;
      const text = held + fragment;
      decided = !prefill.startsWith(text) || text.length >= prefill.length;
      held = decided ? '' : text;
      return decided ? withoutPrefill(text, prefill) : '';
    },
    flush() {
      const text = held;
      [held, decided] = ['', true];
      return text;
    },
  };
}

export const withoutPrefill = (text: string, prefill: string): string =>
  text.startsWith(prefill) ? text.slice(prefill.length) : text;

export interface StopMatch {
  readonly before: string;
  readonly stop: string | undefined;
}

export function findStop(text: string, stops: readonly string[]): StopMatch {
  let found: { at: number; stop: string } | undefined;
  for (const stop of stops) {
    const at = text.indexOf(stop);
    if (at >= 0 && (found === undefined || at < found.at)) found = { at, stop };
  }
  return found === undefined
    ? { before: text, stop: undefined }
    : { before: text.slice(0, found.at), stop: found.stop };
}

/** Keeps back just what a stop sequence could begin with, which is at most its length less one. */
export function createStopStage(stops: readonly string[]): {
  push(text: string): StopMatch;
  flush(): string;
} {
  let held = '';
  return {
    push(fragment) {
      if (stops.length === 0 || fragment === '') return { before: fragment, stop: undefined };
      const match = findStop(held + fragment, stops);
      if (match.stop !== undefined) return match;
      const kept = Math.max(...stops.map((stop) => tailThatBegins(match.before, stop)));
      held = match.before.slice(match.before.length - kept);
      return { before: match.before.slice(0, match.before.length - kept), stop: undefined };
    },
    flush() {
      const text = held;
      held = '';
      return text;
    },
  };
}

/** Lets the events of the first call through. */
export function createCallGate(): (event: TextEvent) => boolean {
  let calls = 0;
  return ({ type }) => {
    if (type === 'tool_start') calls++;
    return calls < 2 || (type !== 'tool_start' && type !== 'tool_arguments' && type !== 'tool_end');
  };
}
