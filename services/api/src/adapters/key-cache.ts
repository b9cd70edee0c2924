import { hashOfKey, type Accounts, type KeyRecord } from '@gateway/store';

/** A revoked key stops working on every replica within this. */
const freshForMs = 4_000;
const maxKeys = 10_000;

/**
 * A key that does not exist is not asked for again within this; one made just then works that much
 * later.
 */
const unknownForMs = 1_000;

/**
 * Looks keys up in the database, remembering for a few seconds those that exist, and for one those
 * that do not. At most one question for each key is under way. A key stands in memory as it was
 * sent: hashing it is for the disk.
 */
export function createKeyCache(
  { findKeyByHash }: Pick<Accounts, 'findKeyByHash'>,
  now: () => number = Date.now,
): (apiKey: string) => KeyRecord | Promise<KeyRecord | undefined> {
  const known = new Map<string, { readonly record: KeyRecord; readonly until: number }>();
  /** Apart from those that exist, so that a flood of inventions pushes no good key out. */
  const unknown = new Map<string, { readonly until: number }>();
  const asking = new Map<string, Promise<KeyRecord | undefined>>();
  const look = async (apiKey: string): Promise<KeyRecord | undefined> => {
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
    const answer = look(apiKey).finally(() => asking.delete(apiKey));
    asking.set(apiKey, answer);
    return answer;
  };
  const none = Promise.resolve(undefined);
  return (apiKey) => {
    const hit = known.get(apiKey);
    if (hit !== undefined && hit.until > now()) return hit.record;
    return (unknown.get(apiKey)?.until ?? 0) > now() ? none : ask(apiKey);
  };
}

/** Insertion order is the order of age: what has lapsed stands first. */
function forgetOldest(known: Map<string, { readonly until: number }>, now: number): void {
  for (const [apiKey, { until }] of known) {
    if (until > now && known.size < maxKeys) return;
    known.delete(apiKey);
  }
}
