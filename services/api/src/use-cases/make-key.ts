import type { KeyBody } from '@gateway/contracts';
import { GatewayError } from '@gateway/domain';
import type { NewKey, OwnKeys } from '@gateway/store';
import type { Caller } from './authenticate.ts';

export interface MakeKeyPorts {
  readonly createKey: OwnKeys['create'];
  /** A key that nobody has yet, and what the database is to know of it. */
  readonly newKey: () => Pick<NewKey, 'id' | 'hash' | 'prefix'> & { readonly apiKey: string };
}

/** A key of a customer's own making: shown once, and kept nowhere. */
export interface MadeKey {
  readonly id: string;
  readonly apiKey: string;
}

/** More are the operator's to make. */
const most = { valid: 100, aDay: 200 } as const;

/** What a key is for whose body names no scopes: the usual ones of its maker, else all of them. */
export function usualScopesOf(
  { scopes }: Pick<Caller, 'scopes'>,
  usualScopes: readonly string[],
): readonly string[] {
  const usual = usualScopes.filter((scope) => scopes.includes(scope));
  return usual.length > 0 ? usual : scopes;
}

/**
 * Makes a key that may nothing that its maker may not, and lasts no longer. Throws scope_missing,
 * model_not_allowed, invalid_parameter or too_many_keys.
 */
export const createMakeKey =
  ({ createKey, newKey }: MakeKeyPorts) =>
  async (caller: Caller, asked: KeyBody): Promise<MadeKey> => {
    const { apiKey, ...made } = newKey();
    const key = { ...boundedBy(caller, asked), ...made, accountId: caller.accountId };
    if (await createKey(key, most)) return { id: made.id, apiKey };
    throw new GatewayError(
      'too_many_keys',
      `an account may have ${most.valid} valid keys and make ${most.aDay} a day; revoke some, or ask your operator`,
    );
  };

/** The key as it may be; what its body leaves open is as with the key that makes it. */
function boundedBy(caller: Caller, asked: KeyBody): KeyBody {
  const scope = asked.scopes.find((each) => !caller.scopes.includes(each));
  if (scope !== undefined) {
    throw new GatewayError(
      'scope_missing',
      `this API key lacks the scope ${scope} and cannot give it to another`,
      { param: 'scopes' },
    );
  }
  return {
    name: asked.name,
    scopes: asked.scopes,
    models: modelsWithin(caller, asked.models),
    requestsPerMinute: rateWithin(caller, asked.requestsPerMinute),
    expiresAt: expiryWithin(caller, asked.expiresAt),
  };
}

function modelsWithin(caller: Caller, asked: readonly string[]): readonly string[] {
  if (caller.models.length === 0) return asked;
  const model = asked.find((each) => !caller.models.includes(each));
  if (model === undefined) return asked.length === 0 ? caller.models : asked;
  throw new GatewayError(
    'model_not_allowed',
    `this API key may not use the model ${model} and cannot give it to another`,
    { param: 'models' },
  );
}

function rateWithin({ requestsPerMinute: own }: Caller, asked: number | null): number | null {
  if (own === null || (asked !== null && asked <= own)) return asked;
  if (asked === null) return own;
  throw new GatewayError(
    'invalid_parameter',
    `requests_per_minute must be at most ${own}, as of the key that makes it; got ${asked}`,
    { param: 'requests_per_minute' },
  );
}

function expiryWithin({ expiresAt: own }: Caller, asked: Date | null): Date | null {
  if (own === null || (asked !== null && asked <= own)) return asked;
  if (asked === null) return own;
  throw new GatewayError(
    'invalid_parameter',
    `expires_at must be at most ${own.toISOString()}, as of the key that makes it; got ${asked.toISOString()}`,
    { param: 'expires_at' },
  );
}
