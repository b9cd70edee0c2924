import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useSearchParams } from 'wouter';
import type { MarginReport } from '@gateway/client';
import { gatewayTime } from '../../../gateway/connection.ts';
import { Choice } from '../../../parts/choice.tsx';
import { FailureNote } from '../../../parts/failure-note.tsx';
import { numberText } from '../../../parts/format.ts';
import { Skeleton } from '../../../parts/skeleton.tsx';
import { costText, periodOf, spans } from '../../books.ts';
import { DataTable } from '../../parts/data-table.tsx';
import { Figures } from '../../parts/figures.tsx';
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
        <Section title="By day, model and provider" aside={<Period report={data} />}>
          <Rows rows={data.data} />
        </Section>
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
