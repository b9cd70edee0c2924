import type { Replica } from '@gateway/client';
import { StateMark } from '../../parts/status-mark.tsx';
import { Ago } from '../../parts/time.tsx';
import { DataTable } from './data-table.tsx';

export interface ReplicaTableProps {
  readonly replicas: readonly Replica[];
  /** The one that answers. */
  readonly answeredBy: string | null;
}

/** Every process of the gateway, with its version and the configuration that it works with. */
export function ReplicaTable({ replicas, answeredBy }: ReplicaTableProps) {
  if (replicas.length === 0) {
    return (
      <p className="card-body small muted">
        No service says that it is running. Each one says so every ten seconds, and stands here
        until 45 seconds after it last did.
      </p>
    );
  }
  return (
    <DataTable
      caption="Replicas"
      columns={['Service', 'Version', 'Configuration in force', 'Refused last', '#Started']}
      isWide
    >
      {replicas.map((replica) => (
        <tr key={replica.id}>
          <td>
            {replica.service}
            <div className="muted">
              <span className="mono" title={replica.id}>
                {replica.id.slice(0, 8)}
              </span>
              {replica.id === answeredBy && ', answers this page'}
            </div>
          </td>
          <td>{replica.version}</td>
          <Configuration of={replica.configuration} />
          <td className="number muted">
            <Ago at={replica.started_at} />
          </td>
        </tr>
      ))}
    </DataTable>
  );
}

/** What is in force in one replica, and what it refused last, in two cells. */
function Configuration({ of: configuration }: { of: Replica['configuration'] }) {
  if (configuration === null) {
    return (
      <>
        <td className="muted">has none</td>
        <td className="muted">–</td>
      </>
    );
  }
  const { hash, generation, since, refused } = configuration;
  return (
    <>
      <td>
        <span className="mono" title={hash}>
          {hash.slice(0, 12)}
        </span>
        <div className="muted">
          number {generation} since its start, <Ago at={since} />
        </div>
      </td>
      <td>
        {refused === null ? (
          <StateMark mood="good" word="none" />
        ) : (
          <>
            <StateMark mood="bad" word={`refused ${refused.hash.slice(0, 12)}`} />
            <div className="muted">
              <Ago at={refused.at} />
            </div>
          </>
        )}
      </td>
    </>
  );
}
