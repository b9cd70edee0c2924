import { OperatorClient, type Session } from '@gateway/client';
import { watchedFetch } from '../gateway/connection.ts';
import { createSession, operatorWord } from '../gateway/session.ts';

/** Every call of these pages; the operator's session says who is asking. */
export const operator = new OperatorClient({
  baseUrl: window.location.origin,
  fetch: watchedFetch,
  retries: 3,
});

/** The operator who is signed in. */
export const operatorSession = createSession<Session>({
  queryKey: [operatorWord, 'session'],
  read: (signal) => operator.sessions.current({ signal }),
  reveals: ([word, name]) => word === operatorWord && name !== 'session',
});
