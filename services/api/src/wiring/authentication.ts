import type { LiveConfiguration, Log, Part } from '@gateway/runtime';
import { createAccounts, createKeyUses, type Database } from '@gateway/store';
import { createKeyCache } from '../adapters/key-cache.ts';
import { createKeyUseNotes } from '../adapters/key-uses.ts';
import { createAdmission } from '../http/admission.ts';
import type { Authenticate as AuthenticateRequest } from '../http/authentication.ts';
import { createAuthenticate, type Authenticate } from '../use-cases/authenticate.ts';
import type { Clients } from './clients.ts';

/** Who is asking, and the part that writes down which keys were used. */
export function buildAuthentication(
  database: Database,
  log: Log,
): { readonly authenticate: Authenticate; readonly keyUses: Part } {
  const uses = createKeyUseNotes({ save: createKeyUses(database).save, log });
  return {
    authenticate: createAuthenticate({
      findKey: createKeyCache(createAccounts(database)),
      now: () => new Date(),
      used: uses.note,
    }),
    keyUses: uses.part,
  };
}

/** Authentication of requests outside the text lane, which also counts them. */
export const buildAdmission = (
  findCaller: Authenticate,
  { rate }: Clients['limits'],
  configuration: Pick<LiveConfiguration, 'current'>,
): AuthenticateRequest =>
  createAdmission({
    findCaller,
    rate,
    requestsPerMinute: () => configuration.current().limits.defaultKey.requestsPerMinute,
  });
