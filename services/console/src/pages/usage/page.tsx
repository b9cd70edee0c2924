import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { lazy, Suspense } from 'react';
import { useSearchParams } from 'wouter';
import type { Usage } from '@gateway/client';
import { gateway } from '../../gateway/client.ts';
import { Choice } from '../../parts/choice.tsx';
import { FailureNote } from '../../parts/failure-note.tsx';
import { Icon } from '../../parts/icon.tsx';
import { Empty, Page } from '../../parts/page.tsx';
import { Skeleton } from '../../parts/skeleton.tsx';
import { UsageTable } from '../../parts/usage-table.tsx';
import { seriesOf, type Measure } from './series.ts';

const Chart = lazy(async () => ({ default: (await import('./chart.tsx')).Chart }));

const spans = [
  ['hour', 'Last 2 days, hourly'],
  ['day', 'Last 30 days, daily'],
] as const;
const measures: readonly Measure[] = ['quota', 'requests', 'seconds', 'output_tokens'];

/** Requests, seconds, tokens and quota by time, model and key. */
export function UsagePage() {
  const [search, setSearch] = useSearchParams();
  const by = search.get('by') === 'hour' ? 'hour' : 'day';
  const measure = measures.find((each) => each === search.get('measure')) ?? 'quota';
  const { data, error, refetch } = useQuery({
    queryKey: ['usage', by],
    queryFn: ({ signal }) => gateway.usage({ by }, { signal }),
    placeholderData: keepPreviousData,
  });
  const set = (change: Record<string, string>): void => {
    setSearch({ by, measure, ...change }, { replace: true });
  };
  return (
    <Page
      title="Usage"
      intro="By model and key, in UTC."
      actions={
        <button type="button" className="button" onClick={() => void saveCsv(by)}>
          <Icon name="download" /> CSV
        </button>
      }
    >
      <div className="row spread">
        <Choice
          name="by"
          value={by}
          options={spans}
          onChange={(next) => {
            set({ by: next });
          }}
        />
        <Choice
          name="measure"
          value={measure}
          options={measures.map((each) => [each, each.replaceAll('_', ' ')] as const)}
          onChange={(next) => {
            set({ measure: next });
          }}
        />
      </div>
      {error !== null && <FailureNote error={error} onRetry={() => void refetch()} />}
      {data === undefined && error === null && <Skeleton height="300px" />}
      {data !== undefined && <Report usage={data} measure={measure} by={by} />}
    </Page>
  );
}

interface ReportProps {
  readonly usage: Usage;
  readonly measure: Measure;
  readonly by: 'day' | 'hour';
}

function Report({ usage, measure, by }: ReportProps) {
  if (usage.data.length === 0) {
    return (
      <div className="card">
        <Empty title="No usage in this period">
          <p className="muted">Finished videos and text requests appear here within a minute.</p>
        </Empty>
      </div>
    );
  }
  return (
    <>
      <section className="card card-body" aria-label="Chart">
        <Suspense fallback={<Skeleton height="260px" />}>
          <Chart series={seriesOf(usage, measure, by)} measure={measure} />
        </Suspense>
      </section>
      <UsageTable rows={usage.data} />
    </>
  );
}

/** The gateway writes the file; the browser only saves it. */
async function saveCsv(by: 'day' | 'hour'): Promise<void> {
  const text = await gateway.usageCsv({ by });
  const address = URL.createObjectURL(new Blob([text], { type: 'text/csv' }));
  const link = document.createElement('a');
  link.href = address;
  link.download = `usage-by-${by}.csv`;
  link.click();
  URL.revokeObjectURL(address);
}
