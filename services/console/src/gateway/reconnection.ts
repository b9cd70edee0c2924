import type { QueryKey } from '@tanstack/react-query';
import { useEffect } from 'react';
import { connection } from './connection.ts';
import { queries } from './query-client.ts';
import { useStore } from './store.ts';

const probeEveryMs = 2_000;

/** While the gateway is away it is asked for this; when it is back, everything is read again. */
export function useReconnection(queryKey: QueryKey): void {
  const state = useStore(connection);
  useEffect(() => {
    if (state === 'up') return undefined;
    const timer = setInterval(() => {
      void queries.refetchQueries({ queryKey });
    }, probeEveryMs);
    return () => {
      clearInterval(timer);
      void queries.invalidateQueries();
    };
  }, [state]);
}
