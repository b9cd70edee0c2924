import { createHash } from 'node:crypto';
import type { Accounts, KeyRecord } from '@gateway/store';

/** A revoked key stops working on every replica within this. */
const freshForMs = 4_000;
const maxKeys = 10_000;

/** SHA-256 of a key: what the database knows of it. */
export const hashKey = (apiKey: string): Uint8Array<ArrayBuffer> => new Uint8Array(createHash('sha256').update(apiKey).digest());

/** Looks keys up in the database, remembering those that exist for a few seconds. A key stands in memory as it was sent: hashing it is for the disk. */
export function createKeyCache({ findKeyByHash }: Pick<Accounts, 'findKeyByHash'>, now: () => number = Date.now): (apiKey: string) => KeyRecord | Promise<KeyRecord | undefined> {
  const known = new Map<string, { readonly record: KeyRecord; readonly until: number }>();
  const look = async (apiKey: string): Promise<KeyRecord | undefined> => {
    known.delete(apiKey);
    const record = await findKeyByHash(hashKey(apiKey));
    if (record === undefined) return undefined;
    forgetOldest(known, now());
    known.set(apiKey, { record, until: now() + freshForMs });
    return record;
  };
  return (apiKey) => {
    const hit = known.get(apiKey);
    return hit !== undefined && hit.until > now() ? hit.record : look(apiKey);
  };
}

/** Insertion order is the order of age: what has lapsed stands first. */
function forgetOldest(known: Map<string, { readonly until: number }>, now: number): void {
  for (const [apiKey, { until }] of known) {
    if (until > now && known.size < maxKeys) return;
    known.delete(apiKey);
  }
}
