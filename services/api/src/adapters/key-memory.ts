import type { AccessChanges } from '@gateway/store';
import { RecentMap } from './recent-map.ts';

/**
 * A revoked key stops working on every replica within this, and a suspended account begins nothing
 * more: counted from before the query, so that a slow one does not add to it, or from before the
 * last moment of which all changes are known.
 */
const freshForMs = 4_000;
/** Read again even where every change is told. */
const rememberForMs = 300_000;
const maxKeys = 50_000;
/** Beyond so many accounts that changed lately, everything is read again. */
const maxChanges = 10_000;

/** How changes are told of. */
export type Told = Pick<AccessChanges, 'heardUntilMs' | 'epoch'>;

export interface KnownKey<Found> {
  readonly record: Found;
  readonly askedAtMs: number;
  readonly epoch: number;
  /** How many changes were told before the query began. */
  readonly changes: number;
}

export interface KeyMemory<Found> {
  get(apiKey: string): KnownKey<Found> | undefined;
  set(apiKey: string, known: KnownKey<Found> | undefined): void;
  /** What is to be noted of a query before it is sent. */
  begin(): Omit<KnownKey<Found>, 'record'>;
  /** Whether it may be used without asking. */
  holds(known: KnownKey<Found>): boolean;
  forget(isMeant: (record: Found) => boolean): void;
  changed(accountId: string): void;
}

/** The keys that exist, and whether what is known of them still holds. */
export function createKeyMemory<Found extends { readonly accountId: string }>(
  told: Told,
  now: () => number,
): KeyMemory<Found> {
  let known = new RecentMap<KnownKey<Found>>(maxKeys);
  /** By account, which of all changes its last one was. */
  const changed = new Map<string, number>();
  let changes = 0;
  /** How often what had changed was forgotten. */
  let forgotten = 0;
  const epochNow = (): number => told.epoch() + forgotten;
  return {
    get: (apiKey) => known.get(apiKey),
    set(apiKey, entry) {
      if (entry === undefined) known.delete(apiKey);
      else known.set(apiKey, entry);
    },
    begin: () => ({ askedAtMs: now(), epoch: epochNow(), changes }),
    holds({ record, askedAtMs, epoch, changes: before }) {
      if (changed.size > 0 && (changed.get(record.accountId) ?? 0) > before) return false;
      const nowMs = now();
      if (nowMs < askedAtMs + freshForMs) return true;
      return (
        epoch === epochNow() &&
        nowMs < told.heardUntilMs() + freshForMs &&
        nowMs < askedAtMs + rememberForMs
      );
    },
    forget(isMeant) {
      known.deleteWhere(({ record }) => isMeant(record));
    },
    changed(accountId) {
      changes += 1;
      if (changed.size >= maxChanges) {
        changed.clear();
        known = new RecentMap(maxKeys);
        forgotten += 1;
      }
      changed.set(accountId, changes);
    },
  };
}
