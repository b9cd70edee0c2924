import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useSearchParams } from 'wouter';
import type { MarginReport } from '@gateway/client';
import { gatewayTime } from '../../../gateway/connection.ts';
import { Choice } from '../../../parts/choice.tsx';
import { FailureNote } from '../../../parts/failure-note.tsx';
import { momentText, numberText } from '../../../parts/format.ts';
import { Skeleton } from '../../../parts/skeleton.tsx';
import { costText, periodOf, spans } from '../../books.ts';
import { DataTable } from '../../parts/data-table.tsx';
import { Figures } from '../../parts/figures.tsx';
import { VideoLink } from '../../parts/id-link.tsx';
import { Section } from '../../parts/section.tsx';
import { marginQuery } from '../../queries.ts';

type Row = MarginReport['data'][number];
type Total = MarginReport['total'];

/** What videos brought in and vendors asked for them, by day, model and provider. */
export function Margin() {
  const [search, setSearch] = useSearchParams();
  const span = spans.find(([days]) => days === search.get('days'))?.[0] ?? '30';
  const { data, error, refetch } = useQuery({
    ...marginQuery(periodOf(span, gatewayTime())),
    placeholderData: keepPreviousData,
  });
  return (
    <>
      <div className="row spread">
        <h2>Margin</h2>
        <Choice
          name="days"
          value={span}
          options={spans}
          onChange={(days) => {
            setSearch({ days }, { replace: true });
          }}
        />
      </div>
      {error !== null && <FailureNote error={error} onRetry={() => void refetch()} />}
      <Totals total={data?.total} />
      {data === undefined ? (
        error === null && <Skeleton height="240px" />
      ) : (
        <>
          <Section title="By day, model and provider" aside={<Period report={data} />}>
            <Rows rows={data.data} />
          </Section>
          <Exposures report={data} />
        </>
      )}
    </>
  );
}

const Period = ({ report: { from, to } }: { report: MarginReport }) => (
  <span className="small muted">
    {from} to {to}, UTC
  </span>
);

const costsNote = ({ videos_without_cost: unknown }: Total): string =>
  unknown === 0 ? 'as vendors asked' : `${numberText(unknown)} videos without a known cost`;

const marginNote = ({ margin_quota: margin }: Total): string =>
  margin === null ? 'needs all costs, and their rates in quota' : 'in quota';

function Totals({ total }: { total: Total | undefined }) {
  return (
    <Figures
      figures={[
        {
          name: 'Revenue',
          value: total && numberText(total.revenue_quota),
          note: total && `${numberText(total.videos)} videos`,
        },
        {
          name: 'Costs',
          value: total && costText(total.costs, 'cost'),
          note: total && costsNote(total),
        },
        {
          name: 'Exposure',
          value: total && costText(total.costs, 'exposure'),
          note: 'billed to nobody',
        },
        {
          name: 'Margin',
          value: total && (total.margin_quota === null ? '–' : numberText(total.margin_quota)),
          note: total && marginNote(total),
        },
      ]}
    />
  );
}

function Rows({ rows }: { rows: readonly Row[] }) {
  if (rows.length === 0) {
    return (
      <p className="card-body small muted">
        No vendor finished work in these days. Models with a <code>cost</code> in the configuration
        show a margin here.
      </p>
    );
  }
  return (
    <DataTable
      caption="Margin by day, model and provider"
      columns={[
        'Day',
        'Model',
        'Provider',
        '#Videos',
        '#Revenue',
        '#Costs',
        '#Exposure',
        '#Margin',
      ]}
      isWide
    >
      {rows.map((row) => (
        <tr key={`${row.day} ${row.model} ${row.provider}`}>
          <td>{row.day}</td>
          <td>{row.model}</td>
          <td>{row.provider}</td>
          <td className="number">
            {numberText(row.videos)}
            {row.videos_without_cost > 0 && (
              <div className="muted">{numberText(row.videos_without_cost)} without cost</div>
            )}
          </td>
          <td className="number">{numberText(row.revenue_quota)}</td>
          <td className="number">{costText(row.costs, 'cost')}</td>
          <td className="number">{costText(row.costs, 'exposure')}</td>
          <td className={(row.margin_quota ?? 0) < 0 ? 'number field-error' : 'number'}>
            {row.margin_quota === null ? '–' : numberText(row.margin_quota)}
          </td>
        </tr>
      ))}
    </DataTable>
  );
}

function Exposures({ report }: { report: MarginReport }) {
  return (
    <Section
      title="Exposures"
      aside={report.has_more_exposures && <span className="small muted">the newest 1,000</span>}
    >
      {report.exposures.length === 0 ? (
        <p className="card-body small muted">
          None in these days. Vendor work that no customer is billed for, such as a video that was
          finished after its deadline, is listed here one by one.
        </p>
      ) : (
        <DataTable
          caption="Exposures, newest first"
          columns={['Video', 'Kind', 'Provider', 'Detail', '#Cost', '#Time']}
          isWide
        >
          {report.exposures.map((one) => (
            <tr key={`${one.task_id} ${one.kind} ${one.created_at}`}>
              <td>
                <VideoLink id={one.task_id} />
              </td>
              <td>{one.kind.replaceAll('_', ' ')}</td>
              <td>{one.provider}</td>
              <td className="muted address">{one.detail}</td>
              <td className="number">
                {one.vendor_cost === null ? '–' : `${one.vendor_cost} ${one.vendor_currency ?? ''}`}
              </td>
              <td className="number muted">{momentText(one.created_at)}</td>
            </tr>
          ))}
        </DataTable>
      )}
    </Section>
  );
}
