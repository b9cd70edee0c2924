import { useRef } from 'react';
import { Link, useSearchParams } from 'wouter';
import type { Account } from '@gateway/client';
import { numberText } from '../../../parts/format.ts';
import { ListCard } from '../../../parts/list-card.tsx';
import { Empty, Page } from '../../../parts/page.tsx';
import { useRowKeys } from '../../../parts/row-keys.ts';
import { SearchField } from '../../../parts/search-field.tsx';
import { Ago } from '../../../parts/time.tsx';
import { useList } from '../../../parts/use-list.ts';
import { AccountState } from '../../parts/account-state.tsx';
import { accountsList } from '../../queries.ts';
import { NewAccountButton } from './new-account.tsx';

/** All accounts, newest first; the address holds what is searched for. */
export function AccountsPage() {
  const [search, setSearch] = useSearchParams();
  const words = search.get('q')?.trim() ?? '';
  const list = useList(accountsList(words));
  const table = useRef<HTMLDivElement>(null);
  useRowKeys(table, 'td:first-child a');
  return (
    <Page title="Accounts" intro="All amounts are in quota." actions={<NewAccountButton />}>
      <div role="search" className="one-search">
        <SearchField
          label="Search accounts by name or ID"
          placeholder="Name or account ID ( / )"
          value={words}
          onChange={(next) => {
            if (next !== words) setSearch(next === '' ? {} : { q: next }, { replace: true });
          }}
        />
      </div>
      <div ref={table} key={words}>
        <ListCard
          list={list}
          things="accounts"
          caption="Accounts, newest first"
          columns={['Account', 'State', '#Available', '#Held', '#Videos', '#Keys', '#Opened']}
          row={(account) => <Row key={account.id} account={account} />}
          empty={<NoAccounts words={words} />}
        />
      </div>
    </Page>
  );
}

function Row({ account }: { account: Account }) {
  const { id, name, active_videos: videos, active_videos_limit: limit } = account;
  return (
    <tr>
      <td>
        <Link className="strong" href={`/operator/accounts/${id}`}>
          {name}
        </Link>
        <div className="mono id muted">{id}</div>
      </td>
      <td>
        <AccountState account={account} />
      </td>
      <td className="number">
        {numberText(account.available_quota)}
        {account.debt_quota > 0 && (
          <div className="small field-error">{numberText(account.debt_quota)} owed</div>
        )}
      </td>
      <td className="number">{numberText(account.held_quota)}</td>
      <td className="number">
        {numberText(videos)}
        {limit !== null && <span className="muted"> / {numberText(limit)}</span>}
      </td>
      <td className="number">{numberText(account.active_keys)}</td>
      <td className="number small muted">
        <Ago at={account.created_at} />
      </td>
    </tr>
  );
}

function NoAccounts({ words }: { words: string }) {
  if (words !== '') {
    return (
      <Empty title="No matching accounts">
        <p className="muted">A search matches every word in the name, or the beginning of an ID.</p>
        <Link href="/operator/accounts" className="button">
          Clear search
        </Link>
      </Empty>
    );
  }
  return (
    <Empty title="No accounts yet">
      <p className="muted">
        An account has keys and quota. Open one here, or with the admin command:
      </p>
      <pre className="code">npm run admin -- account create --name Acme --quota 100000</pre>
    </Empty>
  );
}
