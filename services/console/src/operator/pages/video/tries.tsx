import type { TaskDetail, TaskTry } from '@gateway/client';
import { numberText } from '../../../parts/format.ts';
import { StateMark, type Mood } from '../../../parts/status-mark.tsx';
import { Ago } from '../../../parts/time.tsx';
import { DataTable } from '../../parts/data-table.tsx';
import { Section } from '../../parts/section.tsx';

const moods: Readonly<Record<NonNullable<TaskTry['outcome']>, Mood>> = {
  accepted: 'busy',
  refused: 'bad',
  not_sent: 'waiting',
  busy: 'waiting',
  unavailable: 'bad',
  unknown: 'bad',
  succeeded: 'good',
  failed: 'bad',
  cancelled: 'over',
  abandoned: 'over',
};

/** What was handed to which vendor, and what came of it. */
export function VideoTries({ video: { tries } }: { video: TaskDetail }) {
  return (
    <Section title="Tries">
      {tries.length === 0 ? (
        <p className="card-body small muted">
          No vendor was asked for this video yet. Each route it is handed to appears here.
        </p>
      ) : (
        <DataTable caption="Tries" columns={['Route', 'Outcome', '#Sent', '#Cost', '#Time']}>
          {tries.map((one) => (
            <Try key={one.number} one={one} />
          ))}
        </DataTable>
      )}
    </Section>
  );
}

function Try({ one }: { one: TaskTry }) {
  const { outcome, vendor_cost: cost } = one;
  return (
    <tr>
      <td>
        {one.provider}
        <div className="muted">{one.upstream_model}</div>
        {one.vendor_task_id !== null && <div className="mono id">{one.vendor_task_id}</div>}
      </td>
      <td>
        {outcome === null ? (
          <StateMark mood="busy" word="being sent" />
        ) : (
          <StateMark mood={moods[outcome]} word={outcome.replaceAll('_', ' ')} />
        )}
        {one.detail !== null && <div className="muted address">{one.detail}</div>}
        {one.left_because !== null && (
          <div className="muted">left: {one.left_because.replaceAll('_', ' ')}</div>
        )}
      </td>
      <td className="number">{numberText(one.submissions)}</td>
      <td className="number">
        {cost === null ? '–' : `${cost} ${one.vendor_currency ?? ''}`}
        {one.cost_source !== null && <div className="muted">{one.cost_source}</div>}
      </td>
      <td className="number muted">
        <Ago at={one.submitted_at} />
      </td>
    </tr>
  );
}

/** Vendor work for it that nobody is billed for; mostly there is none. */
export function VideoExposures({ video: { exposures } }: { video: TaskDetail }) {
  if (exposures.length === 0) return null;
  return (
    <Section title="Exposures">
      <DataTable
        caption="Vendor work that nobody is billed for"
        columns={['Kind', 'Provider', 'Detail', '#Cost', '#Time']}
        isWide
      >
        {exposures.map((one) => (
          <tr key={`${one.kind} ${one.created_at}`}>
            <td>{one.kind.replaceAll('_', ' ')}</td>
            <td>{one.provider}</td>
            <td className="muted address">{one.detail}</td>
            <td className="number">
              {one.vendor_cost === null ? '–' : `${one.vendor_cost} ${one.vendor_currency ?? ''}`}
            </td>
            <td className="number muted">
              <Ago at={one.created_at} />
            </td>
          </tr>
        ))}
      </DataTable>
    </Section>
  );
}
