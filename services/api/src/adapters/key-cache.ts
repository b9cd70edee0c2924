import { hashOfKey, type Accounts, type KeyRecord } from '@gateway/store';

/** A revoked key stops working on every replica within this. */
const freshForMs = 4_000;
const maxKeys = 10_000;

/** How long an unknown key is not queried again; a key made just then works that much later. */
const unknownForMs = 1_000;

/**
 * Finds keys in the database. Remembers keys that exist for a few seconds, and keys that do not for
 * one. At most one query for each key is under way. Memory holds keys as they were sent: hashing is
 * for the disk.
 */
export function createKeyCache(
  { findKeyByHash }: Pick<Accounts, 'findKeyByHash'>,
  now: () => number = Date.now,
): (apiKey: string) => KeyRecord | Promise<KeyRecord | undefined> {
  const known = new Map<string, { readonly record: KeyRecord; readonly until: number }>();
  /** Kept apart, so that a flood of invented keys pushes no good key out. */
  const unknown = new Map<string, { readonly until: number }>();
  const asking = new Map<string, Promise<KeyRecord | undefined>>();
  const find = async (apiKey: string): Promise<KeyRecord | undefined> => {
    known.delete(apiKey);
    unknown.delete(apiKey);
    const record = await findKeyByHash(hashOfKey(apiKey));
    if (record === undefined) {
      forgetOldest(unknown, now());
      unknown.set(apiKey, { until: now() + unknownForMs });
      return undefined;
    }
    forgetOldest(known, now());
    known.set(apiKey, { record, until: now() + freshForMs });
    return record;
  };
  const ask = (apiKey: string): Promise<KeyRecord | undefined> => {
    const underWay = asking.get(apiKey);
    if (underWay !== undefined) return underWay;
    const query = find(apiKey).finally(() => asking.delete(apiKey));
    asking.set(apiKey, query);
    return query;
  };
  const none = Promise.resolve(undefined);
  return (apiKey) => {
    const hit = known.get(apiKey);
    if (hit !== undefined && hit.until > now()) return hit.record;
    return (unknown.get(apiKey)?.until ?? 0) > now() ? none : ask(apiKey);
  };
}

/** Insertion order is order of age: expired entries come first. */
function forgetOldest(known: Map<string, { readonly until: number }>, now: number): void {
  for (const [apiKey, { until }] of known) {
    if (until > now && known.size < maxKeys) return;
    known.delete(apiKey);
  }
}
