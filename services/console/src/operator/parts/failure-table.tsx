import type { ProviderStatus } from '@gateway/client';
import { numberText } from '../../parts/format.ts';
import { Ago } from '../../parts/time.tsx';
import { failuresOf } from '../gateway-status.ts';
import { DataTable } from './data-table.tsx';

/** What came to nothing at each provider in the last hour, by kind. */
export function FailureTable({ providers }: { providers: readonly ProviderStatus[] }) {
  const failures = failuresOf(providers);
  if (failures.length === 0) {
    return (
      <p className="card-body small muted">
        None in the last hour. A try that a vendor refuses, does not take or fails is counted here,
        with what the vendor said last.
      </p>
    );
  }
  return (
    <DataTable
      caption="Failures of the last hour, newest first"
      columns={['Provider', 'Outcome', 'What the vendor said last', '#Tries', '#Last']}
      isWide
    >
      {failures.map(({ provider, outcome, count, detail, last_at: at }) => (
        <tr key={`${provider} ${outcome}`}>
          <td>{provider}</td>
          <td>{outcome.replaceAll('_', ' ')}</td>
          <td className="muted address">{detail ?? '–'}</td>
          <td className="number">{numberText(count)}</td>
          <td className="number muted">
            <Ago at={at} />
          </td>
        </tr>
      ))}
    </DataTable>
  );
}
