import { useMutation } from '@tanstack/react-query';
import type { TaskDetail } from '@gateway/client';
import { queries } from '../../../gateway/query-client.ts';
import { FailureNote } from '../../../parts/failure-note.tsx';
import { lengthText } from '../../../parts/format.ts';
import { Icon } from '../../../parts/icon.tsx';
import { ListEnd } from '../../../parts/list-end.tsx';
import { StateMark, type Mood } from '../../../parts/status-mark.tsx';
import { Ago } from '../../../parts/time.tsx';
import { useList } from '../../../parts/use-list.ts';
import { DataTable } from '../../parts/data-table.tsx';
import { Facts } from '../../parts/facts.tsx';
import { Section } from '../../parts/section.tsx';
import { operator } from '../../gateway.ts';
import { attemptsList, videoOfAllQuery } from '../../queries.ts';

type Callback = NonNullable<TaskDetail['callback']>;

const moods: Readonly<Record<Callback['state'], Mood>> = {
  pending_verification: 'waiting',
  verified: 'good',
  unverified: 'bad',
  stopped: 'over',
};

/** Where its callback stands, every attempt with the address it reached, and one more. */
export function VideoCallbacks({ video }: { video: TaskDetail }) {
  if (video.callback === null) {
    return (
      <Section title="Callbacks">
        <p className="card-body small muted">
          This video was created without <code>callback_url</code>: nobody is told of it.
        </p>
      </Section>
    );
  }
  return <Delivery video={video} callback={video.callback} />;
}

interface DeliveryProps {
  readonly video: TaskDetail;
  readonly callback: Callback;
}

function Delivery({ video: { id }, callback }: DeliveryProps) {
  const redeliver = useMutation({
    mutationFn: () => operator.videos.redeliver(id),
    onSettled: () =>
      Promise.all([
        queries.invalidateQueries({ queryKey: attemptsList(id).queryKey }),
        queries.invalidateQueries({ queryKey: videoOfAllQuery(id).queryKey }),
      ]),
  });
  return (
    <Section
      title="Callbacks"
      aside={
        <button
          type="button"
          className="button button-small"
          disabled={redeliver.isPending}
          onClick={() => {
            redeliver.mutate();
          }}
        >
          <Icon name="send" /> {redeliver.isPending ? 'Redelivering…' : 'Redeliver'}
        </button>
      }
    >
      <div className="card-body stack">
        {redeliver.error !== null && <FailureNote error={redeliver.error} />}
        {redeliver.isSuccess && (
          <p className="small" role="status">
            Redelivery queued. The attempt will appear below.
          </p>
        )}
        <Facts
          facts={[
            [
              'State',
              <StateMark
                key="state"
                mood={moods[callback.state]}
                word={callback.state.replaceAll('_', ' ')}
              />,
            ],
            ['Reason', callback.reason?.replaceAll('_', ' ')],
            ['Pending', callback.pending],
            ['Failures', callback.failures],
            [
              'Next attempt',
              callback.next_attempt_at && <Ago key="next" at={callback.next_attempt_at} />,
            ],
          ]}
        />
      </div>
      <Attempts id={id} />
    </Section>
  );
}

function Attempts({ id }: { id: string }) {
  const list = useList(attemptsList(id));
  if (list.query.isSuccess && list.items.length === 0) {
    return <p className="card-body small muted">No attempts yet.</p>;
  }
  return (
    <>
      <DataTable
        caption="Attempts, newest first"
        columns={['Message', 'Outcome', '#HTTP', '#Duration', '#Time']}
      >
        {list.items.map((attempt) => {
          const isDelivered = attempt.outcome === 'success';
          return (
            <tr key={attempt.id}>
              <td>
                {attempt.status ?? 'challenge'}
                {attempt.remote_address !== null && (
                  <div className="mono muted">{attempt.remote_address}</div>
                )}
                {attempt.detail !== null && <div className="muted address">{attempt.detail}</div>}
              </td>
              <td>
                <StateMark
                  mood={isDelivered ? 'good' : 'bad'}
                  word={isDelivered ? 'delivered' : attempt.outcome.replaceAll('_', ' ')}
                />
              </td>
              <td className="number">{attempt.http_status ?? '–'}</td>
              <td className="number">{lengthText(attempt.duration_ms)}</td>
              <td className="number muted">
                <Ago at={attempt.started_at} />
              </td>
            </tr>
          );
        })}
      </DataTable>
      <ListEnd list={list} things="attempts" />
    </>
  );
}
