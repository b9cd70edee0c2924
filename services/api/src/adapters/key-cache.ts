import { GatewayError } from '@gateway/domain';
import { networkOf } from '@gateway/runtime';
import type { KeyRecord } from '@gateway/store';
import { createGuessLimit } from './guess-limit.ts';
import { createKeyMemory, type Told } from './key-memory.ts';

const maxUnknownKeys = 10_000;

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

/** What a key leads to: a record of its account. */
interface Owned {
  readonly accountId: string;
}

export interface KeyCache<Found> {
  /**
   * Finds the record of a key that came from this address. Throws, or rejects with,
   * rate_limit_exceeded when the address has tried too many keys that do not exist.
   */
  find(apiKey: string, peer: string): Found | Promise<Found | undefined> | undefined;
  /** From now on it is queried again, here. */
  forget(isMeant: (record: Found) => boolean): void;
  /** To be called when the account, or one of its keys, is other than it was. */
  changed(accountId: string): void;
}

/** Of what changes in more ways than are told. */
export const untold: Told = { heardUntilMs: () => -Infinity, epoch: () => 0 };

/**
 * Finds keys in the database. Remembers keys that exist for as long as every change is told, else
 * for a few seconds, and for a short time those that do not. At most one query for each key is under
 * way. Memory holds keys as they were sent: hashing is for the disk. A key that was found here before
 * is queried whoever else guesses at its address.
 */
export function createKeyCache<Found extends Owned = KeyRecord>(
  readKey: (apiKey: string) => Promise<Found | undefined>,
  told: Told,
  { unknownPerMinute, now = () => performance.now() }: KeyCacheOptions,
): KeyCache<Found> {
  const memory = createKeyMemory<Found>(told, now);
  /** Kept apart, so that a flood of invented keys pushes no good key out. */
  const unknown = new Map<string, { readonly forMs: number; readonly until: number }>();
  const asking = new Map<string, Promise<Found | undefined>>();
  const guesses = createGuessLimit({ perMinute: unknownPerMinute, now });
  const ask = async (apiKey: string): Promise<Found | undefined> => {
    const begun = memory.begin();
    const record = await readKey(apiKey);
    const earlier = unknown.get(apiKey);
    unknown.delete(apiKey);
    memory.set(apiKey, record && { ...begun, record });
    if (record === undefined) {
      const forMs = Math.min((earlier?.forMs ?? unknownForMs / 2) * 2, unknownForAtMostMs);
      remember(unknown, apiKey, { forMs, until: now() + forMs });
    }
    return record;
  };
  const guess = async (apiKey: string, peer: string): Promise<Found | undefined> => {
    const network = networkOf(peer);
    const waitMs = guesses.take(network);
    if (waitMs > 0) throw tooManyGuesses(unknownPerMinute, waitMs);
    const record = await ask(apiKey);
    if (record !== undefined) guesses.giveBack(network);
    return record;
  };
  return {
    find(apiKey, peer) {
      const hit = memory.get(apiKey);
      if (hit !== undefined && memory.holds(hit)) return hit.record;
      if ((unknown.get(apiKey)?.until ?? 0) > now()) return undefined;
      const underWay = asking.get(apiKey);
      if (underWay !== undefined) return underWay;
      const query = (hit === undefined ? guess(apiKey, peer) : ask(apiKey)).finally(() =>
        asking.delete(apiKey),
      );
      asking.set(apiKey, query);
      return query;
    },
    forget: memory.forget,
    changed: memory.changed,
  };
}

const tooManyGuesses = (perMinute: number, waitMs: number): GatewayError =>
  new GatewayError(
    'rate_limit_exceeded',
    `more than ${perMinute} unknown API keys or sessions came from your address within a minute; check your key, and wait as long as retry-after says`,
    { retryAfterMs: waitMs },
  );

/** Insertion order is order of age: the oldest makes room. */
function remember<V>(entries: Map<string, V>, apiKey: string, entry: V): void {
  if (entries.size >= maxUnknownKeys) {
    const [oldest] = entries.keys();
    if (oldest !== undefined) entries.delete(oldest);
  }
  entries.set(apiKey, entry);
}
