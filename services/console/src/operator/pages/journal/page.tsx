import { Link, useSearchParams } from 'wouter';
import type { OperatorAction } from '@gateway/client';
import { momentText } from '../../../parts/format.ts';
import { ListCard } from '../../../parts/list-card.tsx';
import { Empty, Page } from '../../../parts/page.tsx';
import { Ago } from '../../../parts/time.tsx';
import { useList } from '../../../parts/use-list.ts';
import { AccountLink, VideoLink } from '../../parts/id-link.tsx';
import { changesOf } from '../../journal.ts';
import { journalList } from '../../queries.ts';

/** Who changed what, newest first. */
export function JournalPage() {
  const [search] = useSearchParams();
  const account = search.get('account') ?? undefined;
  const list = useList(journalList(account));
  return (
    <Page
      title="Journal"
      intro="What operators did to accounts, keys, videos and callbacks. Money has its own record: the ledger of each account."
      actions={
        account !== undefined && (
          <Link href="/operator/journal" className="button">
            All accounts
          </Link>
        )
      }
    >
      {account !== undefined && (
        <p className="small">
          Only of <AccountLink id={account} />
        </p>
      )}
      <ListCard
        list={list}
        things="entries"
        caption="Journal, newest first"
        columns={['Time', 'What', 'Subject', 'Account', 'Asked for', 'By']}
        row={(action) => <Row key={action.id} action={action} />}
        empty={
          <Empty title="Nothing changed yet">
            <p className="muted">
              Suspend an account, change a key or cancel a customer’s video, here or by command, and
              it stands here for good.
            </p>
            <pre className="code">npm run admin -- journal</pre>
          </Empty>
        }
      />
    </Page>
  );
}

const words: Readonly<Record<OperatorAction['action'], string>> = {
  'account.change': 'Account changed',
  'key.change': 'Key changed',
  'task.cancel': 'Cancellation asked for',
  'callback.redeliver': 'Redelivery asked for',
};

function Row({ action }: { action: OperatorAction }) {
  const { at, via, action: what, account_id: account, subject, details } = action;
  return (
    <tr className="small">
      <td>
        {momentText(at)}
        <div className="muted">
          <Ago at={at} />
        </div>
      </td>
      <td>{words[what]}</td>
      <td>
        <Subject id={subject} />
      </td>
      <td>
        <AccountLink id={account} isShort />
      </td>
      <td className="address">
        {changesOf(details).map(([name, value]) => (
          <div key={name}>
            {name} <code>{value}</code>
          </div>
        ))}
      </td>
      <td>{via === 'api' ? 'console or API' : 'command'}</td>
    </tr>
  );
}

function Subject({ id }: { id: string }) {
  if (id.startsWith('video_')) return <VideoLink id={id} />;
  if (id.startsWith('acct_')) return <AccountLink id={id} />;
  return <span className="mono id">{id}</span>;
}
