import type { ReactNode } from 'react';
import { connection } from '../gateway/connection.ts';
import { liveRefusal } from '../gateway/follow.ts';
import { useStore } from '../gateway/store.ts';
import { MoodForm } from './status-mark.tsx';

/** Says when what is shown may be old, and what there is to do. */
export function Notices() {
  const state = useStore(connection);
  const refusal = useStore(liveRefusal);
  return (
    <div role="status">
      {state === 'down' && (
        <Notice>The gateway is unreachable. This page may be out of date. Reconnecting…</Notice>
      )}
      {state === 'up' && refusal !== undefined && <Notice>Live updates are off. {refusal}</Notice>}
    </div>
  );
}

function Notice({ children }: { children: ReactNode }) {
  return (
    <div className="connection">
      <MoodForm mood="waiting" />
      <span>{children}</span>
    </div>
  );
}
