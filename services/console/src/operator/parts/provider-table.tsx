import { Link } from 'wouter';
import type { ProviderStatus } from '@gateway/client';
import { numberText, secondsText } from '../../parts/format.ts';
import { StateMark } from '../../parts/status-mark.tsx';
import { breakerMarkOf, failureCountOf, ofAllowed } from '../gateway-status.ts';
import { DataTable } from './data-table.tsx';

/** How each provider of videos stands: what it works on, what waits for it, what it is asked. */
export function ProviderTable({ providers }: { providers: readonly ProviderStatus[] }) {
  if (providers.length === 0) {
    return (
      <p className="card-body small muted">
        No providers of videos. Each one under <code>providers</code> in the configuration appears
        here.
      </p>
    );
  }
  return (
    <DataTable
      caption="Providers of videos"
      columns={[
        'Provider',
        'Circuit breaker',
        '#Slots taken',
        '#Waiting',
        '#Requests a second',
        '#Failures, last hour',
      ]}
      isWide
    >
      {providers.map((provider) => (
        <Provider key={provider.provider} provider={provider} />
      ))}
    </DataTable>
  );
}

function Provider({ provider: status }: { provider: ProviderStatus }) {
  const { provider, kind, configured, slots, queue, requests_per_second: rate } = status;
  const failures = failureCountOf(status);
  return (
    <tr>
      <td>
        <Link href={`/operator/videos?provider=${encodeURIComponent(provider)}`}>{provider}</Link>
        <div className="muted">{configured ? kind : 'not configured any more'}</div>
      </td>
      <td>
        <StateMark {...breakerMarkOf(status.breaker)} />
      </td>
      <td className="number">{ofAllowed(slots.taken, slots.allowed)}</td>
      <td className="number">
        {numberText(queue.waiting)}
        {queue.waiting > 0 && (
          <div className="muted">oldest {secondsText(Math.round(queue.oldest_seconds))}</div>
        )}
      </td>
      <td className="number">{ofAllowed(rate.used, rate.allowed)}</td>
      <td className={failures > 0 ? 'number field-error' : 'number'}>{numberText(failures)}</td>
    </tr>
  );
}
