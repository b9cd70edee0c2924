import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Link } from 'wouter';
import type { CurrentSession } from '@gateway/client';
import { gateway } from '../gateway/client.ts';
import { balanceQuery } from '../gateway/queries.ts';
import { customerSession } from '../gateway/session.ts';
import { destinations } from './destinations.ts';
import { useVideoOptions } from './palette-videos.ts';
import { Quota } from './quota.tsx';
import { Shell } from './shell.tsx';
import { Skeleton } from './skeleton.tsx';

interface CustomerShellProps {
  readonly session: CurrentSession;
  readonly children: ReactNode;
}

/** The menu of a customer, with the balance. */
export function CustomerShell({ session, children }: CustomerShellProps) {
  return (
    <Shell
      destinations={destinations}
      placeholder="Page, prompt or video ID"
      useOptions={useVideoOptions}
      foot={session.scopes.includes('billing:read') && <AvailableQuota />}
      onLeave={leave}
    >
      {children}
    </Shell>
  );
}

async function leave(): Promise<void> {
  await gateway.sessions.close();
  customerSession.note(null);
}

function AvailableQuota() {
  const { data } = useQuery(balanceQuery);
  return (
    <Link className="balance" href="/billing">
      <span className="muted">Available quota</span>
      {data === undefined ? (
        <Skeleton width="80px" height="24px" />
      ) : (
        <>
          <strong>
            <Quota value={data.available_quota} />
          </strong>
          <span className="muted">
            <Quota value={data.held_quota} /> held
          </span>
        </>
      )}
    </Link>
  );
}
