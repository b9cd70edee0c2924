import { useQuery } from '@tanstack/react-query';
import { Link } from 'wouter';
import type { LedgerEntry } from '@gateway/client';
import { gateway } from '../../gateway/client.ts';
import { balanceQuery } from '../../gateway/queries.ts';
import { FailureNote } from '../../parts/failure-note.tsx';
import { momentText, numberText } from '../../parts/format.ts';
import { ledgerWords } from '../../parts/ledger-words.ts';
import { ListCard } from '../../parts/list-card.tsx';
import { Empty, Page } from '../../parts/page.tsx';
import { Quota } from '../../parts/quota.tsx';
import { useList } from '../../parts/use-list.ts';

/** What there is, what is held, and every movement of it. */
export function BillingPage() {
  const list = useList({ queryKey: ['ledger'], open: (options) => gateway.ledger(options) });
  return (
    <Page title="Billing" intro="All amounts are in quota.">
      <Balances />
      <ListCard
        list={list}
        caption="Ledger, newest first"
        columns={['Entry', 'Video', '#Quota', '#Balance after', '#Held after', '#Time']}
        row={(entry) => <Entry key={entry.id} entry={entry} />}
        empty={
          <Empty title="No entries yet">
            <p className="muted">
              Operators add quota with <code>npm run admin -- top-up</code>. Charges for videos and
              text appear here.
            </p>
          </Empty>
        }
      />
    </Page>
  );
}

function Balances() {
  const { data, error } = useQuery(balanceQuery);
  if (error !== null) return <FailureNote error={error} />;
  const sums = [
    ['Available', data?.available_quota],
    ['Held', data?.held_quota],
    ['Balance', data?.balance_quota],
  ] as const;
  return (
    <dl className="card bill-steps">
      {sums.map(([name, quota]) => (
        <div className="bill-step" key={name}>
          <dt>{name}</dt>
          <dd>{quota === undefined ? '…' : <Quota value={quota} />}</dd>
        </div>
      ))}
    </dl>
  );
}

function Entry({ entry }: { entry: LedgerEntry }) {
  return (
    <tr>
      <td>{ledgerWords[entry.kind]}</td>
      <td>
        {entry.task_id === null ? (
          <span className="muted">–</span>
        ) : (
          <Link className="mono small" href={`/videos/${entry.task_id}`}>
            {entry.task_id}
          </Link>
        )}
      </td>
      <td className="number">{numberText(entry.quota)}</td>
      <td className="number">{numberText(entry.balance_after)}</td>
      <td className="number muted">{numberText(entry.held_after)}</td>
      <td className="number small muted">{momentText(entry.created_at)}</td>
    </tr>
  );
}
