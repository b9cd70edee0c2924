import { randomBytes } from 'node:crypto';
import type { Router } from 'express';
import { intervalPart, newId, type Part } from '@gateway/runtime';
import { createSessions, hashOfKey } from '@gateway/store';
import type { Settings } from '../config.ts';
import type { Authenticate } from '../http/authentication.ts';
import { createSetCookie, sessionRoutes } from '../http/routes/sessions.ts';
import { createOpenSession } from '../use-cases/open-session.ts';
import type { Clients } from './clients.ts';

export interface SessionParts extends Pick<Clients, 'database' | 'log'> {
  readonly authenticate: Authenticate;
  readonly forget: (sessionId: string) => void;
}

/** What sessions of customers and operators have in common. */
export function sessionBasics(
  { PUBLIC_BASE_URL: baseUrl }: Pick<Settings, 'PUBLIC_BASE_URL'>,
  { database }: Pick<Clients, 'database'>,
) {
  const sessions = createSessions(database);
  return {
    sessions,
    setCookie: createSetCookie(baseUrl.startsWith('https:')),
    openSession: createOpenSession({
      sessions,
      newId: () => newId('session'),
      newSecret: () => randomBytes(32).toString('base64url'),
      hash: hashOfKey,
    }),
  };
}

const hourMs = 3_600_000;
const atOnce = 1_000;

/** Browsers of customers, and the removal of what is over. */
export function buildSessions(
  settings: Pick<Settings, 'PUBLIC_BASE_URL'>,
  { database, log, authenticate, forget }: SessionParts,
): { readonly routes: Router; readonly purge: Part } {
  const basics = sessionBasics(settings, { database });
  return {
    routes: sessionRoutes({ ...basics, authenticate, forget }),
    purge: intervalPart({
      name: 'purge sessions',
      everyMs: hourMs,
      work: async () => {
        await basics.sessions.purge(atOnce);
      },
      log,
    }),
  };
}
