import type { VendorResponse } from './http.ts';
import { logText } from './vendor-text.ts';
import { known, readRecord, type UncheckedRecord } from './vendor-value.ts';

/**
 * Something in a vendor's response that its adapter does not know. The gateway goes on by rules that
 * hold for anything; the operator should know that the vendor has changed.
 */
export interface Drift {
  /**
   * A task's status, an error's code, a successful response without what every response has, or one
   * with a field more than we know.
   */
  readonly kind: (typeof driftKinds)[number];
  /** The status, the code, or the names of the fields: one line, never a secret. */
  readonly example: string;
}

export const driftKinds = ['status', 'error_code', 'response', 'field'] as const;

/** What every outcome may carry beside itself. */
export interface MayDrift {
  readonly drift?: Drift;
}

const maxExampleCharacters = 64;
const maxFields = 12;

const driftOf = (kind: Drift['kind'], example: string): MayDrift => ({
  drift: { kind, example: logText(example).slice(0, maxExampleCharacters) },
});

export const unknownStatus = (status: string): MayDrift => driftOf('status', status);

/** An error's code that is in no table; an error without one could not be in it. */
export const unknownError = (code: string | undefined): MayDrift =>
  code === undefined ? {} : driftOf('error_code', code);

/** A response that is JSON, and not what it has to be. */
export function unknownResponse({ json }: VendorResponse): MayDrift {
  const body = readRecord(json);
  return body === undefined
    ? {}
    : driftOf('response', Object.keys(body).slice(0, maxFields).join(' ') || 'an empty object');
}

/** The fields of a record that its format is not known to have. */
export function unknownFields(record: UncheckedRecord, fields: readonly string[]): MayDrift {
  const unknown = Object.keys(record).filter((field) => !fields.includes(field));
  return unknown.length === 0 ? {} : driftOf('field', unknown.sort().slice(0, maxFields).join(' '));
}

/** Of several parts of one response: the first. */
export const firstDrift = (parts: Iterable<MayDrift>): MayDrift =>
  known({ drift: [...parts].find(({ drift }) => drift !== undefined)?.drift });
