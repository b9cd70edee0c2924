import { GatewayError } from '@gateway/domain';
import type { KeyRecord, KeyScope, SessionKey } from '@gateway/store';

export type Scope = KeyScope;

/** An API key, or what the cookie of a session carries. */
export type Credential = string | { readonly session: string };

/** Who is asking, for the length of one request. */
export interface Caller {
  readonly keyId: string;
  readonly accountId: string;
  readonly scopes: readonly string[];
  /** Empty: every model. */
  readonly models: readonly string[];
  /** Null: the configuration's default. */
  readonly requestsPerMinute: number | null;
  /** The account begins no new work. */
  readonly isSuspended: boolean;
  /** Unfinished videos that the account may have; null: the configuration's default. */
  readonly activeVideosLimit: number | null;
  /** Of the key; null: never. */
  readonly expiresAt: Date | null;
  /** Of a browser that signed in with the key; left out where the key itself was sent. */
  readonly sessionId?: string;
}

export interface AuthenticatePorts {
  /**
   * Finds a key that came from this address, perhaps in a cache that is at most five seconds old.
   * May throw, or reject with, rate_limit_exceeded.
   */
  readonly findKey: (
    apiKey: string,
    peer: string,
  ) => KeyRecord | Promise<KeyRecord | undefined> | undefined;
  /** The same for what the cookie of a session carries. */
  readonly findSession: (
    secret: string,
    peer: string,
  ) => SessionKey | Promise<SessionKey | undefined> | undefined;
  readonly now: () => Date;
  /** Notes that a request carried this key. */
  readonly used: (keyId: string) => void;
}

const keyForm = /^sk-gw-[A-Za-z0-9_-]{20,100}$/;

/**
 * Finds the caller behind a key or a session that came from this address: synchronously when it is
 * cached. Throws, or rejects with, missing_api_key, invalid_api_key, expired_api_key,
 * invalid_session or, for an address that guesses, rate_limit_exceeded.
 */
export type Authenticate = (
  credential: Credential | undefined,
  peer: string,
) => Caller | Promise<Caller>;

export function createAuthenticate({
  findKey,
  findSession,
  now,
  used,
}: AuthenticatePorts): Authenticate {
  const callerOf = (key: KeyRecord | undefined): Caller => {
    if (key === undefined || key.revokedAt !== null) {
      throw new GatewayError('invalid_api_key', 'this API key is unknown or was revoked');
    }
    if (key.expiresAt !== null && key.expiresAt <= now()) {
      throw new GatewayError(
        'expired_api_key',
        `this API key expired at ${key.expiresAt.toISOString()}`,
      );
    }
    used(key.id);
    return {
      keyId: key.id,
      accountId: key.accountId,
      scopes: key.scopes,
      models: key.models,
      requestsPerMinute: key.requestsPerMinute,
      isSuspended: key.suspendedAt !== null,
      activeVideosLimit: key.activeVideosLimit,
      expiresAt: key.expiresAt,
    };
  };
  const callerOfSession = (key: SessionKey | undefined): Caller => {
    if (key !== undefined) return { ...callerOf(key), sessionId: key.sessionId };
    throw new GatewayError('invalid_session', 'your session has ended; sign in again');
  };
  return (apiKey, peer) => {
    if (typeof apiKey === 'object') {
      const found = findSession(apiKey.session, peer);
      return found instanceof Promise ? found.then(callerOfSession) : callerOfSession(found);
    }
    if (apiKey === undefined || apiKey === '') {
      throw new GatewayError(
        'missing_api_key',
        'send your API key as "Authorization: Bearer <API_KEY>" or in x-api-key',
      );
    }
    const found = keyForm.test(apiKey) ? findKey(apiKey, peer) : undefined;
    return found instanceof Promise ? found.then(callerOf) : callerOf(found);
  };
}

/** Throws scope_missing unless the key was given this scope. */
export function requireScope(caller: Caller, scope: Scope): void {
  if (!caller.scopes.includes(scope)) {
    throw new GatewayError(
      'scope_missing',
      `this API key lacks the scope ${scope}; use a key that has it, or ask the operator for one`,
    );
  }
}

/** Throws account_suspended where new work may not begin. */
export function requireActive({ isSuspended }: Pick<Caller, 'isSuspended'>): void {
  if (isSuspended) {
    throw new GatewayError(
      'account_suspended',
      'the operator has suspended this account: it begins no new work; running videos finish and can be read. Ask the operator to resume it',
    );
  }
}

/** Throws rate_limit_exceeded unless the key got a slot, of those that it may have at once. */
export function requireSlot<Slot>(slot: Slot | undefined, mostAtOnce: number): Slot {
  if (slot !== undefined) return slot;
  throw new GatewayError(
    'rate_limit_exceeded',
    `this key may have ${mostAtOnce} requests running at once; wait for one to end`,
    { retryAfterMs: 1_000 },
  );
}

/** Throws model_not_allowed unless the key may use the model of this name. */
export function requireModel(caller: Caller, { name }: { readonly name: string }): void {
  if (caller.models.length > 0 && !caller.models.includes(name)) {
    throw new GatewayError('model_not_allowed', `this API key may not use the model ${name}`, {
      param: 'model',
    });
  }
}
