import { useQuery } from '@tanstack/react-query';
import { FailureNote } from '../../parts/failure-note.tsx';
import { numberText } from '../../parts/format.ts';
import { Skeleton } from '../../parts/skeleton.tsx';
import { queuesQuery } from '../queries.ts';
import { DataTable } from './data-table.tsx';

/** Jobs of the workers, by what they wait for. */
export function QueueTable() {
  const { data, error, refetch } = useQuery(queuesQuery);
  if (error !== null && data === undefined) {
    return <FailureNote error={error} onRetry={() => void refetch()} />;
  }
  if (data === undefined) {
    return (
      <div className="card-body">
        <Skeleton height="96px" />
      </div>
    );
  }
  return (
    <DataTable
      caption="Jobs in the queues"
      columns={['Queue', '#Waiting', '#Active', '#Delayed', '#Failed']}
    >
      {data.map(({ name, waiting, active, delayed, failed }) => (
        <tr key={name}>
          <td className="mono">{name}</td>
          <td className="number">{numberText(waiting)}</td>
          <td className="number">{numberText(active)}</td>
          <td className="number">{numberText(delayed)}</td>
          <td className={failed > 0 ? 'number field-error' : 'number'}>{numberText(failed)}</td>
        </tr>
      ))}
    </DataTable>
  );
}
