/**
 * Readers for values of a response that nobody has checked: each gives undefined for what cannot be
 * used.
 */

export type UncheckedRecord = Readonly<Record<string, unknown>>;

export const readRecord = (value: unknown): UncheckedRecord | undefined =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as UncheckedRecord)
    : undefined;

export const readList = (value: unknown): readonly unknown[] | undefined =>
  Array.isArray(value) ? value : undefined;

export const readText = (value: unknown): string | undefined =>
  typeof value === 'string' && value !== '' ? value : undefined;

/** A code or an id, which the same vendor may write as a string or as a number. */
export const readCode = (value: unknown): string | undefined =>
  Number.isFinite(value) ? String(value) : readText(value);

/**
 * The id of a task: digits and letters first, so that it can never climb in the path of a later
 * request.
 */
export function readVendorTaskId(value: unknown): string | undefined {
  const id = readCode(value);
  return id !== undefined && /^[A-Za-z0-9][\x21-\x7e]{0,255}$/.test(id) ? id : undefined;
}

/** A short word such as `16:9` or `720p`: nothing longer, and no blanks or control characters. */
export const readWord = (value: unknown): string | undefined =>
  typeof value === 'string' && /^[\w:.-]{1,32}$/.test(value) ? value : undefined;

/** A number, or the digits of one in a string. */
export function readNumber(value: unknown): number | undefined {
  const number =
    typeof value === 'string' && /^-?\d{1,15}(\.\d{1,6})?$/.test(value) ? Number(value) : value;
  return typeof number === 'number' && Number.isFinite(number) ? number : undefined;
}

/** A whole number not below `least`; anything else, fractions included, is undefined. */
export function readWholeNumber(value: unknown, least = 0): number | undefined {
  const number = readNumber(value);
  return number !== undefined && Number.isSafeInteger(number) && number >= least
    ? number
    : undefined;
}

/** A length in seconds, to the nearest whole one; undefined below one. */
export function readRoundedSeconds(value: unknown): number | undefined {
  const seconds = readNumber(value);
  return seconds === undefined ? undefined : readWholeNumber(Math.round(seconds), 1);
}

/** An absolute http(s) address. */
export function readLink(value: unknown): string | undefined {
  if (typeof value !== 'string' || !URL.canParse(value)) return undefined;
  return /^https?:$/.test(new URL(value).protocol) ? value : undefined;
}

type Known<Values> = { -readonly [Key in keyof Values]?: Exclude<Values[Key], undefined> };

/** The same object without the fields that are undefined. */
export function known<Values extends object>(values: Values): Known<Values> {
  return Object.fromEntries(
    Object.entries(values).filter(([, value]) => value !== undefined),
  ) as Known<Values>;
}
