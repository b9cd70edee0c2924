import { useQuery } from '@tanstack/react-query';
import { Link, useSearchParams } from 'wouter';
import type { Account } from '@gateway/client';
import { Choice } from '../../../parts/choice.tsx';
import { CopyButton } from '../../../parts/copy-button.tsx';
import { FailureNote } from '../../../parts/failure-note.tsx';
import { numberText } from '../../../parts/format.ts';
import { Page } from '../../../parts/page.tsx';
import { Quota } from '../../../parts/quota.tsx';
import { Skeleton } from '../../../parts/skeleton.tsx';
import { AccountState } from '../../parts/account-state.tsx';
import { Figures } from '../../parts/figures.tsx';
import { accountQuery } from '../../queries.ts';
import { AdjustButton } from './adjust.tsx';
import { EditAccount } from './edit.tsx';
import { AccountKeys } from './keys.tsx';
import { AccountLedger } from './ledger.tsx';
import { SuspendButton } from './suspend.tsx';
import { TopUpButton } from './top-up.tsx';
import { AccountUsageTable } from './usage.tsx';

const views = [
  ['keys', 'Keys'],
  ['ledger', 'Ledger'],
  ['usage', 'Usage'],
] as const;

/** One account: its quota, its keys, and what an operator can do for it. */
export function AccountPage({ id }: { id: string }) {
  const { data: account, error, refetch } = useQuery(accountQuery(id));
  return (
    <Page
      title={account?.name ?? 'Account'}
      intro={
        <span className="row">
          <code>{id}</code>
          <CopyButton text={id} what="ID" />
          {account !== undefined && <AccountState account={account} />}
        </span>
      }
      actions={
        account !== undefined && (
          <>
            <TopUpButton account={account} />
            <AdjustButton account={account} />
            <EditAccount account={account} />
            <SuspendButton account={account} />
          </>
        )
      }
    >
      {error !== null && account === undefined && (
        <FailureNote error={error} onRetry={() => void refetch()} />
      )}
      {(account !== undefined || error === null) && (
        <>
          <Standing account={account} />
          <Views account={account} id={id} />
        </>
      )}
    </Page>
  );
}

/** Keys, ledger or usage, as the address says. */
function Views({ account, id }: { account: Account | undefined; id: string }) {
  const [search, setSearch] = useSearchParams();
  const view = views.find(([name]) => name === search.get('show'))?.[0] ?? 'keys';
  return (
    <>
      <div className="row spread">
        <Choice
          name="show"
          value={view}
          options={views}
          onChange={(next) => {
            setSearch({ show: next }, { replace: true });
          }}
        />
        <span className="row small">
          <Link href={`/operator/videos?account=${id}`}>Its videos</Link>
          <Link href={`/operator/journal?account=${id}`}>Its journal</Link>
        </span>
      </div>
      {account === undefined ? <Skeleton height="320px" /> : <View view={view} id={id} />}
    </>
  );
}

function View({ view, id }: { view: (typeof views)[number][0]; id: string }) {
  if (view === 'ledger') return <AccountLedger id={id} />;
  return view === 'usage' ? <AccountUsageTable id={id} /> : <AccountKeys id={id} />;
}

function Standing({ account }: { account: Account | undefined }) {
  const limit = account?.active_videos_limit;
  return (
    <Figures
      figures={[
        {
          name: 'Available',
          value: account && <Quota value={account.available_quota} />,
          note: account && `of a balance of ${numberText(account.balance_quota)}`,
        },
        {
          name: 'Held',
          value: account && <Quota value={account.held_quota} />,
          note: 'for unfinished work',
        },
        {
          name: 'Debt',
          value: account && <Quota value={account.debt_quota} />,
          note: 'paid first from a top-up',
        },
        {
          name: 'Unfinished videos',
          value: account && numberText(account.active_videos),
          note: account && (limit == null ? 'default limit' : `limit ${numberText(limit)}`),
          href: account && `/operator/videos?account=${account.id}`,
        },
      ]}
    />
  );
}
