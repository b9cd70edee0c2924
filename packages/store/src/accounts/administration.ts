import { createHash, randomBytes } from 'node:crypto';
import { GatewayError } from '@gateway/domain';
import type { Accounts, NewKey } from './accounts.ts';
import {
  newCallbackSecret,
  type CallbackSecrets,
  type ValidSecret,
} from '../callbacks/callback-secrets.ts';
import type { Adjusted, Adjustment, AdjustmentTerms, Adjustments } from '../money/adjustments.ts';
import type { Ledger, ToppedUp } from '../money/ledger.ts';

/** What a key may be for. */
export const keyScopes = [
  'videos:write',
  'videos:read',
  'text',
  'billing:read',
  'secrets:read',
  'keys:write',
] as const;
export type KeyScope = (typeof keyScopes)[number];

/** What a key is for when nobody says: everything but secrets and other keys. */
export const usualKeyScopes = keyScopes.filter(
  (scope) => scope !== 'secrets:read' && scope !== 'keys:write',
);

export interface MakeKey {
  readonly accountId: string;
  readonly name: string;
  readonly scopes: readonly string[];
  /** Empty: every model. */
  readonly models: readonly string[];
  readonly expiresAt: Date | null;
  /** Null: the configuration's default. */
  readonly requestsPerMinute: number | null;
}

export interface TopUp {
  readonly accountId: string;
  readonly quota: number;
  readonly note: string;
  /** Under a key the quota is added once. */
  readonly key?: string | undefined;
}

/** What an operator does, over HTTP and on the command line alike. */
export interface Administration {
  openAccount(account: {
    readonly name: string;
    readonly quota: number;
  }): Promise<{ readonly id: string; readonly callbackSecret: string }>;
  /** The key itself is returned here and kept nowhere. */
  makeKey(
    key: MakeKey,
  ): Promise<{ readonly id: string; readonly apiKey: string; readonly prefix: string }>;
  /**
   * Throws `idempotency_key_reused` for a key that stands for another quota, and
   * `invalid_parameter` for quota beyond what an account can have.
   */
  topUp(topUp: TopUp): Promise<ToppedUp>;
  /**
   * Gives quota or takes it away, once under its key; with `isDryRun` says what would come of it and
   * changes nothing. Throws `insufficient_quota` for more than is available, `task_not_found` for a
   * task that is not the account's, `idempotency_key_reused` for a key that stands for something else,
   * and `invalid_parameter` for quota beyond what an account can have.
   */
  adjust(
    adjustment: Adjustment,
    options: { readonly isDryRun: boolean },
  ): Promise<Adjusted & { readonly outcome: 'adjusted' | 'reused' }>;
  /** Returns the secrets that sign from now on, the new one first. */
  rotateSecret(request: {
    readonly accountId: string;
    readonly overlapSeconds: number;
  }): Promise<ValidSecret[]>;
}

export interface AdministrationPorts {
  readonly accounts: Pick<Accounts, 'create' | 'createKey'>;
  readonly ledger: Pick<Ledger, 'topUp' | 'topUpOnce'>;
  readonly adjustments: Adjustments;
  readonly callbackSecrets: Pick<CallbackSecrets, 'rotate'>;
  readonly newId: (kind: 'account' | 'key') => string;
}

const keyBytes = 32;
/** Characters of a key that are kept to tell keys apart: the fixed start and six more. */
const prefixLength = 'sk-gw-'.length + 6;

/** A key that nobody has yet, and what the database is to know of it. */
export function newKey(id: string): Pick<NewKey, 'id' | 'hash' | 'prefix'> & {
  readonly apiKey: string;
} {
  const apiKey = `sk-gw-${randomBytes(keyBytes).toString('base64url')}`;
  return { id, apiKey, prefix: apiKey.slice(0, prefixLength), hash: hashOfKey(apiKey) };
}

/** SHA-256 of a key: what the database knows of it. */
export const hashOfKey = (apiKey: string): Uint8Array<ArrayBuffer> =>
  new Uint8Array(createHash('sha256').update(apiKey).digest());

export function createAdministration({
  accounts,
  ledger,
  adjustments,
  callbackSecrets,
  newId,
}: AdministrationPorts): Administration {
  return {
    async openAccount({ name, quota }) {
      const account = { id: newId('account'), callbackSecret: newCallbackSecret() };
      await accounts.create({ ...account, name, quota });
      return account;
    },
    async makeKey(key) {
      const { apiKey, ...made } = newKey(newId('key'));
      await accounts.createKey({ ...key, ...made });
      return { id: made.id, prefix: made.prefix, apiKey };
    },
    async topUp({ key, ...topUp }) {
      const toppedUp = await add({ key, ...topUp }, ledger).catch(explainTooMuch);
      if (toppedUp.quota === topUp.quota) return toppedUp;
      throw new GatewayError(
        'idempotency_key_reused',
        `the key ${JSON.stringify(key)} was used for a top-up of ${toppedUp.quota}; use another key for ${topUp.quota}`,
        { param: 'Idempotency-Key' },
      );
    },
    async adjust(adjustment, { isDryRun }) {
      const act = isDryRun ? adjustments.preview : adjustments.adjust;
      return acceptedOf(adjustment, await act(adjustment).catch(explainTooMuch));
    },
    rotateSecret: ({ accountId, overlapSeconds }) =>
      callbackSecrets.rotate({ accountId, secret: newCallbackSecret(), overlapSeconds }),
  };
}

async function add(
  { key, ...topUp }: TopUp,
  ledger: AdministrationPorts['ledger'],
): Promise<ToppedUp> {
  if (key !== undefined) return ledger.topUpOnce({ ...topUp, key });
  return {
    outcome: 'added',
    quota: topUp.quota,
    balance: await ledger.topUp(topUp.accountId, topUp.quota, topUp.note),
  };
}

/** Throws for what came to nothing. */
function acceptedOf(
  adjustment: Adjustment,
  adjusted: Adjusted,
): Adjusted & { readonly outcome: 'adjusted' | 'reused' } {
  const { outcome, known, before } = adjusted;
  if (outcome === 'unknown_task') {
    throw new GatewayError(
      'task_not_found',
      `the account has no task ${adjustment.taskId ?? ''}; nothing was adjusted`,
      { param: 'task_id' },
    );
  }
  if (outcome === 'insufficient') throw insufficient(adjustment, before);
  if (outcome === 'too_much') throw tooMuch();
  if (known !== undefined && !isSame(known, adjustment)) {
    throw new GatewayError(
      'idempotency_key_reused',
      `the key ${JSON.stringify(adjustment.key)} was used for an adjustment of ${known.quota}${known.taskId === null ? '' : ` for ${known.taskId}`} (${known.note}); use another key for another one`,
      { param: 'Idempotency-Key' },
    );
  }
  return { ...adjusted, outcome };
}

const isSame = (one: AdjustmentTerms, other: AdjustmentTerms): boolean =>
  one.quota === other.quota && one.note === other.note && one.taskId === other.taskId;

const insufficient = (
  { quota }: Adjustment,
  { availableQuota, heldQuota, debtQuota }: Adjusted['before'],
): GatewayError =>
  new GatewayError(
    'insufficient_quota',
    debtQuota > 0
      ? `the account owes ${debtQuota} for text, which is paid before anything is taken; nothing was adjusted`
      : `this adjustment takes ${-quota} quota and the account has ${availableQuota} available, beside ${heldQuota} that is held; nothing was adjusted`,
    { param: 'quota' },
  );

/** The schema bounds the balance, so that every amount fits a JSON number. */
function explainTooMuch(error: unknown): never {
  if ((error as { constraint?: unknown }).constraint !== 'balance_fits_json') throw error;
  throw tooMuch(error);
}

const tooMuch = (cause?: unknown): GatewayError =>
  new GatewayError(
    'invalid_parameter',
    `quota must leave the balance at ${Number.MAX_SAFE_INTEGER} or less`,
    { param: 'quota', cause },
  );
