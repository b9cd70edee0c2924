import type { LiveConfiguration, Part } from '@gateway/runtime';
import {
  openAccessChanges,
  createAccounts,
  createKeyUses,
  createSessions,
  hashOfKey,
  type SessionKey,
} from '@gateway/store';
import type { Settings } from '../config.ts';
import { createKeyCache, untold } from '../adapters/key-cache.ts';
import { createKeyReads } from '../adapters/key-reads.ts';
import { createKeyUseNotes } from '../adapters/key-uses.ts';
import { createAdmission, type AdmissionPorts } from '../http/admission.ts';
import type { Authenticate as AuthenticateRequest } from '../http/authentication.ts';
import { createAuthenticate, type Authenticate } from '../use-cases/authenticate.ts';
import type { Clients } from './clients.ts';

export interface Authentication {
  readonly authenticate: Authenticate;
  /** They hear what changes about keys, and write down which ones were used. */
  readonly parts: readonly Part[];
  /** From now on this replica does not know the session any more. */
  readonly forgetSession: (sessionId: string) => void;
}

/** Who is asking. */
export function buildAuthentication(
  { UNKNOWN_KEYS_PER_MINUTE: unknownPerMinute }: Pick<Settings, 'UNKNOWN_KEYS_PER_MINUTE'>,
  { database, clock, log }: Pick<Clients, 'database' | 'clock' | 'log'>,
): Authentication {
  const uses = createKeyUseNotes({
    save: createKeyUses(database).save,
    now: clock.now,
    log,
  });
  const changes = openAccessChanges(database, {
    onChange: (accountId) => {
      keys.changed(accountId);
      sessions.changed(accountId);
    },
    log,
  });
  const readKey = createKeyReads(createAccounts(database));
  const keys = createKeyCache(readKey, changes, { unknownPerMinute });
  const { findKey: findOfSession } = createSessions(database);
  // A session ends by its use, which nobody tells.
  const sessions = createKeyCache<SessionKey>(
    (cookie) => findOfSession(hashOfKey(cookie)),
    untold,
    { unknownPerMinute },
  );
  return {
    authenticate: createAuthenticate({
      findKey: keys.find,
      findSession: sessions.find,
      now: clock.date,
      used: uses.note,
    }),
    parts: [changes.part, uses.part],
    forgetSession: (id) => {
      sessions.forget(({ sessionId }) => sessionId === id);
    },
  };
}

/** Authentication of requests outside the text lane, which also counts them. */
export const buildAdmission = (
  { findCaller, peerOf, isCounted }: Pick<AdmissionPorts, 'findCaller' | 'peerOf' | 'isCounted'>,
  { rate }: Clients['limits'],
  configuration: Pick<LiveConfiguration, 'current'>,
): AuthenticateRequest =>
  createAdmission({
    findCaller,
    rate,
    peerOf,
    isCounted,
    requestsPerMinute: () => configuration.current().limits.defaultKey.requestsPerMinute,
  });
