import { useSearchParams } from 'wouter';
import type { Exposure } from '@gateway/client';
import { momentText, secondsText } from '../../../parts/format.ts';
import { ListCard } from '../../../parts/list-card.tsx';
import { Empty } from '../../../parts/page.tsx';
import { useList } from '../../../parts/use-list.ts';
import { exposureCostText, exposureFilterOf, exposureKinds, withKind } from '../../exposures.ts';
import { AccountLink, VideoLink } from '../../parts/id-link.tsx';
import { exposuresList } from '../../queries.ts';

/** Vendor work that nobody is billed for, one by one. */
export function Exposures() {
  const [search, setSearch] = useSearchParams();
  const filter = exposureFilterOf(search);
  const list = useList(exposuresList(filter));
  return (
    <>
      <div className="row spread">
        <h2>Exposures</h2>
        <select
          className="select one-search"
          aria-label="Kind of exposure"
          value={filter.kind ?? ''}
          onChange={({ target }) => {
            setSearch(withKind(search, target.value), { replace: true });
          }}
        >
          <option value="">All kinds</option>
          {Object.entries(exposureKinds).map(([kind, words]) => (
            <option key={kind} value={kind}>
              {words}
            </option>
          ))}
        </select>
      </div>
      <ListCard
        key={filter.kind}
        list={list}
        things="exposures"
        caption="Exposures, newest first"
        columns={['Video', 'Kind', 'Account', 'Provider', '#Cost', '#Time']}
        row={(exposure) => <Row key={exposure.id} exposure={exposure} />}
        empty={
          <Empty title="No exposures">
            <p className="muted">
              Vendor work that no customer is billed for, such as a video that was finished after
              its deadline, is listed here one by one. Old ones are in the sums of the margin.
            </p>
            <pre className="code">npm run admin -- exposures</pre>
          </Empty>
        }
      />
    </>
  );
}

function Row({ exposure }: { exposure: Exposure }) {
  const { task_id: task, kind, detail, account_id: account, provider, seconds } = exposure;
  return (
    <tr className="small">
      <td>
        <VideoLink id={task} />
        <div className="muted">
          {exposure.model ?? 'unknown model'}
          {seconds !== null && `, ${secondsText(seconds)}`}
        </div>
      </td>
      <td>
        {exposureKinds[kind]}
        <div className="muted address">{detail}</div>
      </td>
      <td>{account === null ? 'not known any more' : <AccountLink id={account} isShort />}</td>
      <td>
        {provider}
        {exposure.vendor_task_id !== null && (
          <div className="muted mono address">{exposure.vendor_task_id}</div>
        )}
      </td>
      <td className="number">{exposureCostText(exposure)}</td>
      <td className="number muted">{momentText(exposure.created_at)}</td>
    </tr>
  );
}
