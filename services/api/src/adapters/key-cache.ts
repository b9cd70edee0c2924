import { GatewayError } from '@gateway/domain';
import { networkOf } from '@gateway/runtime';
import { hashOfKey, type Accounts, type KeyRecord } from '@gateway/store';
import { createGuessLimit } from './guess-limit.ts';

/**
 * A revoked key stops working on every replica within this, and a suspended account begins nothing
 * more: counted from before the query, so that a slow one does not add to it.
 */
const freshForMs = 4_000;
const maxKeys = 10_000;

/**
 * How long an unknown key is not queried again: twice as long each time. A key made just then works
 * that much later.
 */
const unknownForMs = 1_000;
const unknownForAtMostMs = 15_000;

export interface KeyCacheOptions {
  /** Keys that are not known here, which one address may try in a minute. */
  readonly unknownPerMinute: number;
  readonly now?: () => number;
}

/**
 * Finds the record of a key that came from this address. Throws, or rejects with,
 * rate_limit_exceeded when the address has tried too many keys that do not exist.
 */
export type FindKey = (
  apiKey: string,
  peer: string,
) => KeyRecord | Promise<KeyRecord | undefined> | undefined;

/**
 * Finds keys in the database. Remembers keys that exist for a few seconds, and for a short time
 * those that do not. At most one query for each key is under way. Memory holds keys as they were
 * sent: hashing is for the disk. A key that was found here before is queried whoever else guesses
 * at its address.
 */
export function createKeyCache(
  { findKeyByHash }: Pick<Accounts, 'findKeyByHash'>,
  { unknownPerMinute, now = () => performance.now() }: KeyCacheOptions,
): FindKey {
  const known = new Map<string, { readonly record: KeyRecord; readonly until: number }>();
  /** Kept apart, so that a flood of invented keys pushes no good key out. */
  const unknown = new Map<string, { readonly forMs: number; readonly until: number }>();
  const asking = new Map<string, Promise<KeyRecord | undefined>>();
  const guesses = createGuessLimit({ perMinute: unknownPerMinute, now });
  const find = async (apiKey: string): Promise<KeyRecord | undefined> => {
    const askedAt = now();
    const record = await findKeyByHash(hashOfKey(apiKey));
    const earlier = unknown.get(apiKey);
    known.delete(apiKey);
    unknown.delete(apiKey);
    if (record === undefined) {
      const forMs = Math.min((earlier?.forMs ?? unknownForMs / 2) * 2, unknownForAtMostMs);
      remember(unknown, apiKey, { forMs, until: now() + forMs });
    } else remember(known, apiKey, { record, until: askedAt + freshForMs });
    return record;
  };
  const guess = async (apiKey: string, peer: string): Promise<KeyRecord | undefined> => {
    const network = networkOf(peer);
    const waitMs = guesses.take(network);
    if (waitMs > 0) throw tooManyGuesses(unknownPerMinute, waitMs);
    const record = await find(apiKey);
    if (record !== undefined) guesses.giveBack(network);
    return record;
  };
  return (apiKey, peer) => {
    const hit = known.get(apiKey);
    if (hit !== undefined && hit.until > now()) return hit.record;
    if ((unknown.get(apiKey)?.until ?? 0) > now()) return undefined;
    const underWay = asking.get(apiKey);
    if (underWay !== undefined) return underWay;
    const query = (hit === undefined ? guess(apiKey, peer) : find(apiKey)).finally(() =>
      asking.delete(apiKey),
    );
    asking.set(apiKey, query);
    return query;
  };
}

const tooManyGuesses = (perMinute: number, waitMs: number): GatewayError =>
  new GatewayError(
    'rate_limit_exceeded',
    `more than ${perMinute} unknown API keys came from your address within a minute; check your key, and wait as long as retry-after says`,
    { retryAfterMs: waitMs },
  );

/** Insertion order is order of age: the oldest makes room. */
function remember<V>(entries: Map<string, V>, apiKey: string, entry: V): void {
  if (entries.size >= maxKeys) {
    const [oldest] = entries.keys();
    if (oldest !== undefined) entries.delete(oldest);
  }
  entries.set(apiKey, entry);
}
