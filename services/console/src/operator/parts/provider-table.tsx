import { Link } from 'wouter';
import { numberText, secondsText } from '../../parts/format.ts';
import type { ProviderStanding } from '../standing.ts';
import { DataTable } from './data-table.tsx';

/** What waits and runs at each provider. */
export function ProviderTable({ standing }: { standing: readonly ProviderStanding[] }) {
  if (standing.length === 0) {
    return (
      <p className="card-body small muted">
        No unfinished videos. Each provider with work appears here.
      </p>
    );
  }
  return (
    <DataTable
      caption="Unfinished videos by provider"
      columns={['Provider', '#Queued', '#Rendering', '#Longest wait']}
    >
      {standing.map(({ provider, queued, running, oldest }) => (
        <tr key={provider}>
          <td>
            <Link href={`/operator/videos?provider=${encodeURIComponent(provider)}`}>
              {provider}
            </Link>
          </td>
          <td className="number">{numberText(queued)}</td>
          <td className="number">{numberText(running)}</td>
          <td className="number">{oldest === undefined ? '–' : secondsText(oldest.age_seconds)}</td>
        </tr>
      ))}
    </DataTable>
  );
}
