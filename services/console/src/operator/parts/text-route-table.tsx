import type { GatewayStatus } from '@gateway/client';
import { StateMark } from '../../parts/status-mark.tsx';
import { breakerMarkOf } from '../gateway-status.ts';
import { DataTable } from './data-table.tsx';

/** The circuit breakers of the text routes that were used lately. */
export function TextRouteTable({ routes }: { routes: GatewayStatus['text_routes'] }) {
  if (routes.length === 0) {
    return (
      <p className="card-body small muted">
        None used lately. A route that a text request takes appears here, with its circuit breaker.
      </p>
    );
  }
  return (
    <DataTable caption="Text routes" columns={['Route', 'Circuit breaker']}>
      {routes.map(({ route, breaker }) => (
        <tr key={route}>
          <td className="mono">{route}</td>
          <td>
            <StateMark {...breakerMarkOf(breaker)} />
          </td>
        </tr>
      ))}
    </DataTable>
  );
}
