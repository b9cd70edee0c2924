import { type Fields, isFields } from './json.ts';

/** Readers for JSON that nobody has checked: each gives undefined for what is not of its kind. */

export const readRecord = (value: unknown): Fields | undefined =>
  isFields(value) ? value : undefined;

export const readList = (value: unknown): readonly unknown[] | undefined =>
  Array.isArray(value) ? value : undefined;

export const readString = (value: unknown): string | undefined =>
  typeof value === 'string' ? value : undefined;

/** A string with at least one character. */
export const readText = (value: unknown): string | undefined =>
  typeof value === 'string' && value !== '' ? value : undefined;

export const readBoolean = (value: unknown): boolean | undefined =>
  typeof value === 'boolean' ? value : undefined;

/** A count: finite and not negative, rounded down. */
export const readCount = (value: unknown): number | undefined =>
  typeof value === 'number' && Number.isFinite(value) && value >= 0 ? Math.floor(value) : undefined;

/**
 * Each item once, in the order of its first. Most lists of a request are empty or hold one item,
 * and a set costs more than to see that.
 */
export const unique = <Item>(list: readonly Item[]): readonly Item[] =>
  list.length < 2 ? list : [...new Set(list)];

/** True where whitespace is all there is. */
export const isBlank = (text: string): boolean => text.trim() === '';

type Known<Values> = { -readonly [Key in keyof Values]?: Exclude<Values[Key], undefined> };

/**
 * The same object without the fields that are undefined. For names of our own: a client's could be
 * `__proto__`.
 */
export function known<Values extends object>(values: Values): Known<Values> {
  const found: Known<Values> = {};
  for (const name of Object.keys(values) as (keyof Values)[]) {
    const value = values[name];
    if (value !== undefined) found[name] = value as Exclude<Values[typeof name], undefined>;
  }
  return found;
}
