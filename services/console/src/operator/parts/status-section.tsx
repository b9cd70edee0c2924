import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import type { GatewayStatus } from '@gateway/client';
import { FailureNote } from '../../parts/failure-note.tsx';
import { Skeleton } from '../../parts/skeleton.tsx';
import { statusQuery } from '../queries.ts';
import { Section } from './section.tsx';

export interface StatusSectionProps {
  readonly title: string;
  readonly aside?: ReactNode;
  readonly children: (status: GatewayStatus) => ReactNode;
}

/** A card that shows a part of how the gateway stands now. */
export function StatusSection({ title, aside, children }: StatusSectionProps) {
  const { data, error, refetch } = useQuery(statusQuery);
  return (
    <Section title={title} aside={aside}>
      {data !== undefined && children(data)}
      {data === undefined &&
        (error === null ? (
          <div className="card-body">
            <Skeleton height="96px" />
          </div>
        ) : (
          <FailureNote error={error} onRetry={() => void refetch()} />
        ))}
    </Section>
  );
}
