import { Link, useSearchParams } from 'wouter';
import type { CurrentSession, TaskCallback } from '@gateway/client';
import { gateway } from '../../gateway/client.ts';
import { CallbackMark, CallbackStateChoice } from '../../parts/callback-state.tsx';
import { callbackStateIn } from '../../parts/callback-states.ts';
import { ListCard } from '../../parts/list-card.tsx';
import { Empty, Page } from '../../parts/page.tsx';
import { Redelivery } from '../../parts/redelivery.tsx';
import { Ago } from '../../parts/time.tsx';
import { useList } from '../../parts/use-list.ts';
import { AddressTest } from './address-test.tsx';
import { Endpoints } from './endpoints.tsx';
import { Secret } from './secret.tsx';

/** Where the callbacks of all videos stand, and the way to send many of them once more. */
export function CallbacksPage({ session }: { session: CurrentSession }) {
  const [search, setSearch] = useSearchParams();
  const state = callbackStateIn(search.get('state'));
  const mayChange = session.scopes.includes('videos:write');
  const list = useList({
    queryKey: ['callbacks', state],
    open: (options) => gateway.callbacks.everywhere(state === undefined ? {} : { state }, options),
  });
  return (
    <Page title="Callbacks" intro="Status updates sent to your servers, and how they responded.">
      <div className="row spread">
        <CallbackStateChoice
          state={state}
          onChange={(next) => {
            setSearch(next === undefined ? {} : { state: next }, { replace: true });
          }}
        />
        {state !== undefined && list.items.length > 0 && (
          <Redelivery
            key={state}
            state={state}
            step={(request) => gateway.callbacks.redeliverMany(request)}
            queryKey={['callbacks']}
          />
        )}
      </div>
      <ListCard
        list={list}
        caption="Callbacks, newest video first"
        columns={[
          'Video',
          'URL',
          'State',
          '#Pending',
          '#Failures',
          '#Last attempt',
          '#Next attempt',
        ]}
        row={(callback) => <Row key={callback.id} callback={callback} />}
        empty={
          <Empty title={state === undefined ? 'No callbacks yet' : `No ${state} callbacks`}>
            <p className="muted">
              Set <code>callback_url</code> on a video to receive each of its statuses there, signed
              and retried until your server accepts it. To receive them on this machine:
            </p>
            <pre className="code">gw callbacks listen</pre>
          </Empty>
        }
      />
      <Endpoints mayChange={mayChange} />
      {mayChange && <AddressTest />}
      {session.scopes.includes('secrets:read') && <Secret />}
    </Page>
  );
}

function Row({ callback }: { callback: TaskCallback }) {
  const { id, callback_url: url, state, reason, pending, failures, last_status: status } = callback;
  const { last_attempt_at: last, last_outcome: outcome, next_attempt_at: next } = callback;
  return (
    <tr>
      <td>
        <Link className="mono small" href={`/videos/${id}`}>
          {id}
        </Link>
      </td>
      <td className="small address">{url}</td>
      <td>
        <CallbackMark state={state} reason={reason} />
      </td>
      <td className="number">{pending}</td>
      <td className="number">{failures}</td>
      <td className="number small">
        {last === null ? '–' : <Ago at={last} />}
        <div className="muted">
          {status ?? ''} {outcome?.replaceAll('_', ' ')}
        </div>
      </td>
      <td className="number small muted">{next === null ? '–' : <Ago at={next} />}</td>
    </tr>
  );
}
