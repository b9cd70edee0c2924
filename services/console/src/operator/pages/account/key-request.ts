import type { AccountKeyRequest } from '@gateway/client';

/** A key as its form has it. */
export interface KeyFields {
  readonly name: string;
  readonly scopes: NonNullable<AccountKeyRequest['scopes']>;
  /** Separated by commas. */
  readonly models: string;
  readonly rate: string;
}

/** What is sent: an empty field is the default, which is said so that a change can go back to it. */
export function keyRequestOf({ name, scopes, models, rate }: KeyFields): AccountKeyRequest {
  const names = [...new Set(models.split(',').map((each) => each.trim()))].filter(Boolean);
  return {
    name: name.trim(),
    scopes,
    models: names.length === 0 ? null : names,
    requests_per_minute: rate === '' ? null : Number(rate),
  };
}
