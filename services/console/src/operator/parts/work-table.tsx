import type { GatewayStatus } from '@gateway/client';
import { numberText, secondsText } from '../../parts/format.ts';
import { StateMark } from '../../parts/status-mark.tsx';
import { workMarkOf, workNameOf } from '../gateway-status.ts';
import { DataTable } from './data-table.tsx';

/** How far behind the services are. */
export function WorkTable({ work }: { work: GatewayStatus['work'] }) {
  return (
    <DataTable caption="Work that is due" columns={['Work', 'State', '#Due', '#Oldest']}>
      {work.map((each) => (
        <tr key={each.work}>
          <td>{workNameOf(each)}</td>
          <td>
            <StateMark {...workMarkOf(each)} />
          </td>
          <td className="number">{numberText(each.due)}</td>
          <td className="number">
            {each.due === 0 ? '–' : secondsText(Math.round(each.oldest_seconds))}
          </td>
        </tr>
      ))}
    </DataTable>
  );
}
