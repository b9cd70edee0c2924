import { useRef } from 'react';
import { useSearchParams } from 'wouter';
import type { OperatorCallback } from '@gateway/client';
import { CallbackMark, CallbackStateChoice } from '../../../parts/callback-state.tsx';
import { ListCard } from '../../../parts/list-card.tsx';
import { Empty, Page } from '../../../parts/page.tsx';
import { Redelivery } from '../../../parts/redelivery.tsx';
import { useRowKeys } from '../../../parts/row-keys.ts';
import { Ago } from '../../../parts/time.tsx';
import { useList } from '../../../parts/use-list.ts';
import { callbackFilterOf, withState } from '../../callback-filter.ts';
import { operator } from '../../gateway.ts';
import { AccountLink, VideoLink } from '../../parts/id-link.tsx';
import { OneAccount } from '../../parts/one-account.tsx';
import { callbacksOfAll } from '../../queries.ts';

/** Where the callbacks of all accounts stand, newest video first; the address holds the filter. */
export function OperatorCallbacksPage() {
  const [search, setSearch] = useSearchParams();
  const filter = callbackFilterOf(search);
  const { state, account } = filter;
  const list = useList(callbacksOfAll(filter));
  const table = useRef<HTMLDivElement>(null);
  useRowKeys(table, 'td:first-child a');
  return (
    <Page
      title="Callbacks"
      intro="Status updates sent to servers of all accounts. Of their addresses only the origin is shown."
    >
      <div className="row spread">
        <CallbackStateChoice
          state={state}
          onChange={(next) => {
            setSearch(withState(search, next), { replace: true });
          }}
        />
        {state !== undefined && list.items.length > 0 && (
          <Redelivery
            key={`${state} ${account ?? ''}`}
            state={state}
            step={(request) =>
              operator.callbacks.redeliverMany({
                ...request,
                ...(account !== undefined && { account }),
              })
            }
            queryKey={callbacksOfAll(filter).queryKey}
          />
        )}
      </div>
      {account !== undefined && (
        <div>
          <OneAccount
            id={account}
            onClear={() => {
              setSearch(state === undefined ? {} : { state }, { replace: true });
            }}
          />
        </div>
      )}
      <div ref={table} className="operator-videos" key={JSON.stringify(filter)}>
        <ListCard
          list={list}
          things="callbacks"
          caption="Callbacks of all accounts, newest video first"
          columns={['Video', 'State', 'Account', '#Pending', '#Failures', '#Last attempt']}
          row={(callback) => <Row key={callback.id} callback={callback} />}
          empty={<NoCallbacks state={state} />}
        />
      </div>
    </Page>
  );
}

function Row({ callback }: { callback: OperatorCallback }) {
  const { id, account_id: account, origin, state, reason, pending, failures } = callback;
  const { last_attempt_at: last, last_outcome: outcome, last_status: status } = callback;
  const { next_attempt_at: next } = callback;
  return (
    <tr className="small">
      <td>
        <VideoLink id={id} />
        <div className="muted address">{origin ?? 'no address'}</div>
      </td>
      <td>
        <CallbackMark state={state} reason={reason} />
      </td>
      <td>
        <AccountLink id={account} isShort />
      </td>
      <td className="number">{pending}</td>
      <td className="number">
        {failures}
        {next !== null && (
          <div className="muted">
            next <Ago at={next} />
          </div>
        )}
      </td>
      <td className="number">
        {last === null ? '–' : <Ago at={last} />}
        <div className="muted">
          {status ?? ''} {outcome?.replaceAll('_', ' ')}
        </div>
      </td>
    </tr>
  );
}

function NoCallbacks({ state }: { state: OperatorCallback['state'] | undefined }) {
  return (
    <Empty title={state === undefined ? 'No callbacks yet' : `No ${state} callbacks`}>
      <p className="muted">
        A video that is made with <code>callback_url</code> stands here until it is archived, with
        how its server responded last. The log of one video is on its page.
      </p>
      <pre className="code">npm run admin -- callbacks list</pre>
    </Empty>
  );
}
