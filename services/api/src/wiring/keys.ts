import type { Router } from 'express';
import { createAdminRequestReader } from '@gateway/contracts';
import { newId, type SharedClock } from '@gateway/runtime';
import {
  createAccountReads,
  createOwnKeys,
  keyScopes,
  newKey,
  usualKeyScopes,
  type Database,
} from '@gateway/store';
import type { Authenticate } from '../http/authentication.ts';
import type { BodyRoutes } from '../http/json-body.ts';
import { keyRoutes } from '../http/routes/keys.ts';
import { createMakeKey } from '../use-cases/make-key.ts';

export interface KeyParts {
  readonly database: Database;
  readonly clock: SharedClock;
  readonly authenticate: Authenticate;
  readonly bodies: Pick<BodyRoutes, 'small'>;
}

/** Keys that accounts make themselves. */
export function buildKeys({ database, clock, authenticate, bodies }: KeyParts): Router {
  const keys = createOwnKeys(database);
  return keyRoutes({
    authenticate,
    makeKey: createMakeKey({ createKey: keys.create, newKey: () => newKey(newId('key')) }),
    accounts: createAccountReads(database),
    revokeKey: keys.revoke,
    usualScopes: usualKeyScopes,
    readKey: createAdminRequestReader({
      scopes: keyScopes,
      usualScopes: usualKeyScopes,
      now: clock.date,
    }).key,
    bodies,
  });
}
