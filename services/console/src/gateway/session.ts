import { queryOptions, type QueryKey } from '@tanstack/react-query';
import type { CurrentSession } from '@gateway/client';
import { gateway, isSignedOut } from './client.ts';
import { unauthorized } from './connection.ts';
import { forgetAsked } from './early.ts';
import { queries } from './query-client.ts';
import { createStore } from './store.ts';

export interface SessionOptions<Session> {
  readonly queryKey: QueryKey;
  readonly read: (signal: AbortSignal) => Promise<Session>;
  /** Whether something that has been read may be seen with this session alone. */
  readonly reveals: (queryKey: QueryKey) => boolean;
}

/** Who is signed in to one side of the console: customers and operators have a session each. */
export function createSession<Session extends object>({
  queryKey,
  read,
  reveals,
}: SessionOptions<Session>) {
  /** Whether the session of this page has ended without anybody logging out. */
  const hasEnded = createStore(false);
  const forget = (): void => {
    queries.removeQueries({ predicate: (query) => reveals(query.queryKey) });
  };
  const isOpen = (): boolean => queries.getQueryData<Session | null>(queryKey) != null;
  return {
    hasEnded,
    /** Null: nobody. */
    query: queryOptions({
      queryKey,
      queryFn: async ({ signal }): Promise<Session | null> => {
        try {
          return await read(signal);
        } catch (error) {
          if (!isSignedOut(error)) throw error;
          if (isOpen()) {
            hasEnded.set(true);
            forget();
          }
          return null;
        }
      },
      staleTime: Infinity,
    }),
    /** Who is signed in from now on. What was read before may have been somebody else's. */
    note(session: Session | null): void {
      hasEnded.set(false);
      forgetAsked();
      queries.setQueryData(queryKey, session);
      forget();
    },
    /** Whichever call is refused for want of a session: asks once whether there still is one. */
    watch: (): (() => void) =>
      unauthorized.follow(() => {
        if (isOpen()) void queries.refetchQueries({ queryKey }, { cancelRefetch: false });
      }),
  };
}

/** What an operator reads has keys that begin with this word. */
export const operatorWord = 'operator';

/** The account that is signed in. */
export const customerSession = createSession<CurrentSession>({
  queryKey: ['session'],
  read: (signal) => gateway.sessions.current({ signal }),
  reveals: ([name]) => name !== 'session' && name !== operatorWord,
});
