import type { AccountEntry } from '@gateway/client';
import { momentText, numberText } from '../../../parts/format.ts';
import { ledgerWords } from '../../../parts/ledger-words.ts';
import { ListCard } from '../../../parts/list-card.tsx';
import { Empty } from '../../../parts/page.tsx';
import { useList } from '../../../parts/use-list.ts';
import { VideoLink } from '../../parts/id-link.tsx';
import { ledgerList } from '../../queries.ts';

/** Every movement of its quota, with what operators noted. */
export function AccountLedger({ id }: { id: string }) {
  const list = useList(ledgerList(id));
  return (
    <ListCard
      list={list}
      things="entries"
      caption="Ledger, newest first"
      columns={['Entry', 'Video', 'Note', '#Quota', '#Balance after', '#Held after', '#Time']}
      row={(entry) => <Entry key={entry.id} entry={entry} />}
      empty={
        <Empty title="No entries yet">
          <p className="muted">Top the account up: that is the first entry of every ledger.</p>
        </Empty>
      }
    />
  );
}

function Entry({ entry }: { entry: AccountEntry }) {
  return (
    <tr className="small">
      <td>{ledgerWords[entry.kind]}</td>
      <td>
        {entry.task_id === null ? (
          <span className="muted">–</span>
        ) : (
          <VideoLink id={entry.task_id} />
        )}
      </td>
      <td className="address muted">{entry.note}</td>
      <td className="number">{numberText(entry.quota)}</td>
      <td className="number">{numberText(entry.balance_after)}</td>
      <td className="number muted">{numberText(entry.held_after)}</td>
      <td className="number muted">{momentText(entry.created_at)}</td>
    </tr>
  );
}
