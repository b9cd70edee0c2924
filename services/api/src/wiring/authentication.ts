import type { LiveConfiguration, Part, PeerAddress } from '@gateway/runtime';
import { createAccounts, createKeyUses } from '@gateway/store';
import type { Settings } from '../config.ts';
import { createKeyCache } from '../adapters/key-cache.ts';
import { createKeyUseNotes } from '../adapters/key-uses.ts';
import { createAdmission } from '../http/admission.ts';
import type { Authenticate as AuthenticateRequest } from '../http/authentication.ts';
import { createAuthenticate, type Authenticate } from '../use-cases/authenticate.ts';
import type { Clients } from './clients.ts';

/** Who is asking, and the part that writes down which keys were used. */
export function buildAuthentication(
  { UNKNOWN_KEYS_PER_MINUTE: unknownPerMinute }: Pick<Settings, 'UNKNOWN_KEYS_PER_MINUTE'>,
  { database, clock, log }: Pick<Clients, 'database' | 'clock' | 'log'>,
): { readonly authenticate: Authenticate; readonly keyUses: Part } {
  const uses = createKeyUseNotes({
    save: createKeyUses(database).save,
    now: clock.now,
    log,
  });
  return {
    authenticate: createAuthenticate({
      findKey: createKeyCache(createAccounts(database), { unknownPerMinute }),
      now: clock.date,
      used: uses.note,
    }),
    keyUses: uses.part,
  };
}

/** Authentication of requests outside the text lane, which also counts them. */
export const buildAdmission = (
  { findCaller, peerOf }: { readonly findCaller: Authenticate; readonly peerOf: PeerAddress },
  { rate }: Clients['limits'],
  configuration: Pick<LiveConfiguration, 'current'>,
): AuthenticateRequest =>
  createAdmission({
    findCaller,
    rate,
    peerOf,
    requestsPerMinute: () => configuration.current().limits.defaultKey.requestsPerMinute,
  });
