import { useQuery } from '@tanstack/react-query';
import { FailureNote } from '../../../parts/failure-note.tsx';
import { Empty } from '../../../parts/page.tsx';
import { Skeleton } from '../../../parts/skeleton.tsx';
import { UsageTable } from '../../../parts/usage-table.tsx';
import { accountUsageQuery } from '../../queries.ts';

/** Its last thirty days, as the account sees them itself. */
export function AccountUsageTable({ id }: { id: string }) {
  const { data, error, refetch } = useQuery(accountUsageQuery(id));
  if (error !== null && data === undefined) {
    return <FailureNote error={error} onRetry={() => void refetch()} />;
  }
  if (data === undefined) return <Skeleton height="200px" />;
  if (data.data.length === 0) {
    return (
      <div className="card">
        <Empty title="No usage in the last 30 days">
          <p className="muted">Finished videos and text requests appear here within a minute.</p>
        </Empty>
      </div>
    );
  }
  return <UsageTable rows={data.data} />;
}
