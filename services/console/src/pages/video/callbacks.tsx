import { useMutation, useQuery } from '@tanstack/react-query';
import type { CallbackAttempt, Video } from '@gateway/client';
import { gateway } from '../../gateway/client.ts';
import { attemptsQuery } from '../../gateway/queries.ts';
import { queries } from '../../gateway/query-client.ts';
import { FailureNote } from '../../parts/failure-note.tsx';
import { lengthText } from '../../parts/format.ts';
import { Icon } from '../../parts/icon.tsx';
import { Skeleton } from '../../parts/skeleton.tsx';
import { StateMark } from '../../parts/status-mark.tsx';
import { Ago } from '../../parts/time.tsx';

/** Every attempt to tell the customer's program, and the way to tell it once more. */
export function Callbacks({ video }: { video: Video }) {
  const attempts = useQuery(attemptsQuery(video.id));
  const redeliver = useMutation({
    mutationFn: () => gateway.callbacks.redeliver(video.id),
    onSettled: () => queries.invalidateQueries({ queryKey: attemptsQuery(video.id).queryKey }),
  });
  return (
    <section className="card" aria-label="Callbacks">
      <div className="card-head">
        <h2>Callbacks</h2>
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
      </div>
      {redeliver.error !== null && <FailureNote error={redeliver.error} />}
      {redeliver.isSuccess && (
        <p className="card-body small" role="status">
          Redelivery queued. The attempt will appear below.
        </p>
      )}
      {attempts.error !== null && <FailureNote error={attempts.error} />}
      {attempts.data === undefined ? (
        <div className="card-body">
          <Skeleton height="80px" />
        </div>
      ) : (
        <Attempts attempts={attempts.data.data} />
      )}
    </section>
  );
}

function Attempts({ attempts }: { attempts: readonly CallbackAttempt[] }) {
  if (attempts.length === 0) {
    return <p className="card-body small muted">No attempts yet.</p>;
  }
  return (
    <div className="table-frame" role="group" aria-label="Attempts" tabIndex={0}>
      <table className="small">
        <thead>
          <tr>
            <th scope="col">Message</th>
            <th scope="col">Outcome</th>
            <th scope="col" className="number">
              HTTP
            </th>
            <th scope="col" className="number">
              Duration
            </th>
            <th scope="col" className="number">
              Time
            </th>
          </tr>
        </thead>
        <tbody>
          {attempts.map((attempt) => (
            <Attempt key={attempt.id} attempt={attempt} />
          ))}
        </tbody>
      </table>
    </div>
  );
}

function Attempt({ attempt }: { attempt: CallbackAttempt }) {
  const isDelivered = attempt.outcome === 'success';
  return (
    <tr>
      <td>
        {attempt.status ?? 'challenge'}
        <span className="muted">
          {' '}
          · {attempt.trigger === 'manual' ? 'redelivered' : `attempt ${attempt.attempt}`}
        </span>
        {attempt.endpoint_id !== null && <div className="muted">to {attempt.endpoint_id}</div>}
        {attempt.detail !== null && <div className="muted">{attempt.detail}</div>}
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
}
