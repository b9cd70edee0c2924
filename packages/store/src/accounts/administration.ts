import { createHash, randomBytes } from 'node:crypto';
import { GatewayError } from '@gateway/domain';
import type { Accounts } from './accounts.ts';
import {
  newCallbackSecret,
  type CallbackSecrets,
  type ValidSecret,
} from '../callbacks/callback-secrets.ts';
import type { Ledger, ToppedUp } from '../money/ledger.ts';

/** What a key may be for. */
export const keyScopes = ['videos:write', 'videos:read', 'text', 'billing:read'] as const;
export type KeyScope = (typeof keyScopes)[number];

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
  /** Answers the secrets that sign from now on, the new one first. */
  rotateSecret(request: {
    readonly accountId: string;
    readonly overlapSeconds: number;
  }): Promise<ValidSecret[]>;
}

export interface AdministrationPorts {
  readonly accounts: Pick<Accounts, 'create' | 'createKey'>;
  readonly ledger: Pick<Ledger, 'topUp' | 'topUpOnce'>;
  readonly callbackSecrets: Pick<CallbackSecrets, 'rotate'>;
  readonly newId: (kind: 'account' | 'key') => string;
}

const keyBytes = 32;
/** Characters of a key that are kept to tell keys apart: the fixed start and six more. */
const prefixLength = 'sk-gw-'.length + 6;

/** SHA-256 of a key: what the database knows of it. */
export const hashOfKey = (apiKey: string): Uint8Array<ArrayBuffer> =>
  new Uint8Array(createHash('sha256').update(apiKey).digest());

export function createAdministration({
  accounts,
  ledger,
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
      const apiKey = `sk-gw-${randomBytes(keyBytes).toString('base64url')}`;
      const made = { id: newId('key'), prefix: apiKey.slice(0, prefixLength) };
      await accounts.createKey({ ...key, ...made, hash: hashOfKey(apiKey) });
      return { ...made, apiKey };
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

/** The schema bounds the balance, so that every amount fits a JSON number. */
function explainTooMuch(error: unknown): never {
  if ((error as { constraint?: unknown }).constraint !== 'balance_fits_json') throw error;
  throw new GatewayError(
    'invalid_parameter',
    `quota must leave the balance at ${Number.MAX_SAFE_INTEGER} or less`,
    { param: 'quota', cause: error },
  );
}
