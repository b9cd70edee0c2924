import { useQuery } from '@tanstack/react-query';
import type { Video, VideoMoment } from '@gateway/client';
import { timelineQuery } from '../../gateway/queries.ts';
import { FailureNote } from '../../parts/failure-note.tsx';
import { clockText, numberText } from '../../parts/format.ts';
import { Quota } from '../../parts/quota.tsx';
import { Skeleton } from '../../parts/skeleton.tsx';
import { chargedOf } from '../../parts/video-parts.ts';

const words: Readonly<Partial<Record<VideoMoment['name'], string>>> = {
  held: 'Held',
  charged: 'Charged',
  released: 'Released',
};

/** From what was quoted to what was charged; every sum is the gateway's. */
export function Bill({ video }: { video: Video }) {
  const charged = chargedOf(video);
  const { max_billing_quota: held } = video.portal_billing;
  const items = billedItemsOf(video);
  return (
    <section className="card" aria-label="Bill">
      <div className="card-head">
        <h2>Bill</h2>
        <span className="small muted">in quota</span>
      </div>
      <div className="card-body stack">
        <dl className="bill-steps">
          <Step name="Quoted" quota={held} />
          <Step name="Held" quota={held} />
          <Step name="Charged" quota={charged} />
        </dl>
        {items.length > 0 && (
          <ul className="bill">
            {items.map(({ kind, quantity, unit_quota: unit, quota }) => (
              <li className="row spread" key={kind}>
                <span>
                  {kind.replaceAll('_', ' ')}{' '}
                  <span className="muted">
                    {numberText(quantity)} × {numberText(unit)}
                  </span>
                </span>
                <Quota value={quota} />
              </li>
            ))}
          </ul>
        )}
        <Movements video={video} />
      </div>
    </section>
  );
}

function Step({ name, quota }: { name: string; quota: number | undefined }) {
  return (
    <div className="bill-step">
      <dt>{name}</dt>
      <dd>{quota === undefined ? '–' : <Quota value={quota} />}</dd>
    </div>
  );
}

/** What was held, charged and given back, as the video's own timeline has it. */
function Movements({ video }: { video: Video }) {
  const { data, error, refetch } = useQuery(timelineQuery(video.id));
  if (error !== null && data === undefined) {
    return <FailureNote error={error} onRetry={() => void refetch()} />;
  }
  if (data === undefined) return <Skeleton height="60px" />;
  return (
    <div className="table-frame" role="group" aria-label="Quota movements" tabIndex={0}>
      <table className="small">
        <caption className="unseen">Quota movements</caption>
        <thead>
          <tr>
            <th scope="col">Movement</th>
            <th scope="col" className="number">
              Quota
            </th>
            <th scope="col" className="number">
              Time
            </th>
          </tr>
        </thead>
        <tbody>
          {data.map(
            ({ name, at, quota }) =>
              quota !== null && (
                <tr key={name}>
                  <td>{words[name] ?? name}</td>
                  <td className="number">{numberText(quota)}</td>
                  <td className="number muted">{clockText(at)}</td>
                </tr>
              ),
          )}
        </tbody>
      </table>
    </div>
  );
}

const billedItemsOf = ({ portal_billing: bill }: Video) =>
  ('billed_items' in bill ? bill.billed_items : bill.items) ?? [];
