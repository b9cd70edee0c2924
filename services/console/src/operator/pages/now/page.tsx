import { useQuery } from '@tanstack/react-query';
import { Link } from 'wouter';
import type { Task } from '@gateway/client';
import { FailureNote } from '../../../parts/failure-note.tsx';
import { numberText } from '../../../parts/format.ts';
import { Page } from '../../../parts/page.tsx';
import { Skeleton } from '../../../parts/skeleton.tsx';
import { StateMark } from '../../../parts/status-mark.tsx';
import { Since } from '../../../parts/time.tsx';
import { DataTable } from '../../parts/data-table.tsx';
import { Figures, type Figure } from '../../parts/figures.tsx';
import { AccountLink, VideoLink } from '../../parts/id-link.tsx';
import { ProviderTable } from '../../parts/provider-table.tsx';
import { QueueTable } from '../../parts/queue-table.tsx';
import { RefusedConfiguration, VersionsInForce } from '../../parts/refused-configuration.tsx';
import { ReplicaTable } from '../../parts/replica-table.tsx';
import { Section } from '../../parts/section.tsx';
import { StatusSection } from '../../parts/status-section.tsx';
import { WorkTable } from '../../parts/work-table.tsx';
import { booksQuery, goneRoutesQuery, unfinishedQuery } from '../../queries.ts';
import { countOf, countText, oldestOf } from '../../standing.ts';

const shownOldest = 8;

/** One screen: what waits, what runs, and whether anything needs an operator. */
export function NowPage() {
  const { data, error, refetch } = useQuery(unfinishedQuery);
  return (
    <Page
      title="Now"
      intro="What is unfinished, live; how everything else stands, read again every five seconds."
    >
      <RefusedConfiguration />
      <Gone />
      <Standing />
      {error !== null && data === undefined && (
        <FailureNote error={error} onRetry={() => void refetch()} />
      )}
      <StatusSection title="Providers">
        {({ providers }) => <ProviderTable providers={providers} />}
      </StatusSection>
      <div className="columns">
        <StatusSection title="Work that is due">
          {({ work }) => <WorkTable work={work} />}
        </StatusSection>
        <Section title="Job queues">
          <QueueTable />
        </Section>
      </div>
      <Section title="Waiting longest">
        {data === undefined ? <Waiting /> : <Oldest tasks={data.queued.data} />}
      </Section>
      <StatusSection title="Replicas" aside={<VersionsInForce />}>
        {({ replicas, answered_by: answeredBy }) => (
          <ReplicaTable replicas={replicas} answeredBy={answeredBy} />
        )}
      </StatusSection>
    </Page>
  );
}

function Standing() {
  const { data } = useQuery(unfinishedQuery);
  const books = useBooks();
  return (
    <Figures
      figures={[
        {
          name: 'Queued',
          value: data && countText(countOf(data.queued)),
          note: data && <OldestAge task={oldestOf(data.queued)} />,
          href: '/operator/videos?status=queued',
        },
        {
          name: 'Rendering',
          value: data && countText(countOf(data.running)),
          note: data && <OldestAge task={oldestOf(data.running)} />,
          href: '/operator/videos?status=running',
        },
        {
          name: 'Stuck',
          value: data && countText(countOf(data.stuck)),
          note: 'past deadline, or failing',
          href: '/operator/videos?stuck=true',
        },
        books,
      ]}
    />
  );
}

function OldestAge({ task }: { task: Task | undefined }) {
  if (task === undefined) return 'nothing';
  return (
    <>
      oldest <Since at={task.created_at} />
    </>
  );
}

/** Whether the books are right, as far as that is known. */
function useBooks(): Figure {
  const { data, error } = useQuery(booksQuery);
  const href = '/operator/books';
  if (data === undefined) {
    return error === null
      ? { name: 'Books', value: undefined, href }
      : {
          name: 'Books',
          value: <StateMark mood="waiting" word="not verified" />,
          note: error.message,
          href,
        };
  }
  const note = `${data.invariants.length} invariants`;
  const value = data.ok ? (
    <StateMark mood="good" word="balanced" />
  ) : (
    <StateMark mood="bad" word={`${numberText(data.violations.length)} violated`} />
  );
  return { name: 'Books', value, note, href };
}

function Gone() {
  const { data: routes = [] } = useQuery(goneRoutesQuery);
  if (routes.length === 0) return null;
  return (
    <p className="note note-bad">
      <span>
        {routes.length === 1 ? 'One route gets' : `${routes.length} routes get`} no tasks: the
        vendor says that it has no such model. <Link href="/operator/providers">See providers</Link>
      </span>
    </p>
  );
}

function Oldest({ tasks }: { tasks: readonly Task[] }) {
  if (tasks.length === 0) {
    return (
      <p className="card-body small muted">
        Nothing waits. A video that is queued appears here until its vendor has a slot for it.
      </p>
    );
  }
  return (
    <DataTable
      caption="Videos that have waited longest"
      columns={['Video', 'Account', 'Model', 'Provider', 'Step', '#Waiting']}
      isWide
    >
      {tasks
        .slice(-shownOldest)
        .toReversed()
        .map((task) => (
          <tr key={task.id}>
            <td>
              <VideoLink id={task.id} />
            </td>
            <td>
              <AccountLink id={task.account_id} isShort />
            </td>
            <td>{task.model}</td>
            <td>{task.provider}</td>
            <td>{task.step}</td>
            <td className="number">
              <Since at={task.created_at} />
            </td>
          </tr>
        ))}
    </DataTable>
  );
}

function Waiting() {
  return (
    <div className="card-body">
      <Skeleton height="96px" />
    </div>
  );
}
