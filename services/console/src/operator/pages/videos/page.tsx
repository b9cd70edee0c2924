import { memo, useRef } from 'react';
import { Link, useSearchParams } from 'wouter';
import type { Task } from '@gateway/client';
import { ListCard } from '../../../parts/list-card.tsx';
import { Empty, Page } from '../../../parts/page.tsx';
import { Quota } from '../../../parts/quota.tsx';
import { useRowKeys } from '../../../parts/row-keys.ts';
import { StatusMark } from '../../../parts/status-mark.tsx';
import { Ago } from '../../../parts/time.tsx';
import { useList } from '../../../parts/use-list.ts';
import { AccountLink, VideoLink } from '../../parts/id-link.tsx';
import { videosOfAll } from '../../queries.ts';
import { addressOf, fieldsOf, filterOf, isFiltered, type Fields } from '../../video-filter.ts';
import { VideoFilters } from './filters.tsx';

/** The videos of all accounts, newest first; the address holds the filter. */
export function OperatorVideosPage() {
  const [search, setSearch] = useSearchParams();
  const fields = fieldsOf(search);
  const list = useList(videosOfAll(filterOf(fields)));
  const table = useRef<HTMLDivElement>(null);
  useRowKeys(table, 'td:first-child a');
  return (
    <Page title="Videos" intro="Of all accounts. What customers wrote is not shown.">
      <VideoFilters
        fields={fields}
        seen={list.items}
        onChange={(next) => {
          setSearch(addressOf(next), { replace: true });
        }}
      />
      <div ref={table} className="operator-videos" key={JSON.stringify(fields)}>
        <ListCard
          list={list}
          caption="Videos of all accounts, newest first"
          columns={['Video', 'Status', 'Account', '#Quota', '#Created']}
          row={(task) => <Row key={task.id} task={task} />}
          empty={<NoVideos fields={fields} />}
        />
      </div>
    </Page>
  );
}

/** Rendered again only when its video changed. */
const Row = memo(function Row({ task }: { task: Task }) {
  const { id, account_id: account, model, provider, step, step_failures: failures } = task;
  const { status, error, billed_quota: billed, max_billing_quota: most } = task;
  const isUnfinished = status === 'queued' || status === 'running';
  return (
    <tr className="small">
      <td>
        <VideoLink id={id} />
        <div className="muted">
          {model} · {provider}
        </div>
      </td>
      <td>
        <StatusMark status={status} />
        {error !== null && error.code !== status && <div className="muted mono">{error.code}</div>}
        {isUnfinished && (
          <div className="muted">
            {step}
            {failures > 0 && `, failed ${failures} times`}
          </div>
        )}
      </td>
      <td>
        <AccountLink id={account} isShort />
      </td>
      <td className="number">
        <Quota value={billed ?? most} />
        <div className="muted">{billed === null ? 'at most' : 'charged'}</div>
      </td>
      <td className="number muted">
        <Ago at={task.created_at} />
      </td>
    </tr>
  );
});

function NoVideos({ fields }: { fields: Fields }) {
  if (!isFiltered(fields)) {
    return (
      <Empty title="No videos yet">
        <p className="muted">
          Open an account, create a key for it, and the videos made with that key appear here.
        </p>
        <Link href="/operator/accounts" className="button button-main">
          Accounts
        </Link>
      </Empty>
    );
  }
  return (
    <Empty title="No matching videos">
      <p className="muted">
        Search takes a whole video ID or account ID, or the beginning of a request ID, which every
        response carries as <code>x-request-id</code>. Everything else matches exactly.
      </p>
      <Link href="/operator/videos" className="button">
        Clear filters
      </Link>
    </Empty>
  );
}
