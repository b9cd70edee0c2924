import { createHash } from 'node:crypto';
import type { Accounts, KeyRecord } from '@gateway/store';

/** A revoked key stops working on every replica within this. */
const freshForMs = 4_000;
const maxKeys = 10_000;

/** SHA-256 of a key: what the database knows of it. */
export const hashKey = (apiKey: string): Uint8Array<ArrayBuffer> => new Uint8Array(createHash('sha256').update(apiKey).digest());

/** Looks keys up in the database, remembering those that exist for a few seconds. */
export function createKeyCache({ findKeyByHash }: Pick<Accounts, 'findKeyByHash'>, now: () => number = Date.now): (apiKey: string) => Promise<KeyRecord | undefined> {
  const known = new Map<string, { readonly record: KeyRecord; readonly until: number }>();
  return async (apiKey) => {
    const hash = hashKey(apiKey);
    const name = Buffer.from(hash).toString('base64');
    const hit = known.get(name);
    if (hit !== undefined && hit.until > now()) return hit.record;
    const record = await findKeyByHash(hash);
    if (record === undefined) {
      known.delete(name);
      return undefined;
    }
    if (known.size >= maxKeys) known.clear();
    known.set(name, { record, until: now() + freshForMs });
    return record;
  };
}
