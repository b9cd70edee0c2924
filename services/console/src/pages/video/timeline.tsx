import { useQuery } from '@tanstack/react-query';
import { isFinished, type Video, type VideoMoment } from '@gateway/client';
import { timelineQuery } from '../../gateway/queries.ts';
import { FailureNote } from '../../parts/failure-note.tsx';
import { clockText, lengthText, momentText } from '../../parts/format.ts';
import { Skeleton } from '../../parts/skeleton.tsx';
import { MoodForm, moodOf, type Mood } from '../../parts/status-mark.tsx';
import { Since } from '../../parts/time.tsx';

const words: Readonly<Record<VideoMoment['name'], string>> = {
  held: 'Quota held',
  queued: 'Queued for the vendor',
  admitted: 'Slot assigned',
  submitted: 'Submitted',
  running: 'Rendering',
  cancel_requested: 'Cancellation requested',
  stored: 'File stored and checked',
  ended: 'Ended',
  charged: 'Charged',
  released: 'Quota released',
  pushed: 'Callback delivered',
  files_removed: 'Files removed',
};

/** One timeline, and between its moments how long each step took. */
export function Timeline({ video }: { video: Video }) {
  const { data, error } = useQuery(timelineQuery(video.id));
  return (
    <section className="card" aria-label="Timeline">
      <div className="card-head">
        <h2>Timeline</h2>
        <span className="small muted">{momentText(video.created_at)}</span>
      </div>
      <div className="card-body">
        {error !== null && <FailureNote error={error} />}
        {data === undefined && error === null && <Skeleton height="220px" />}
        {data !== undefined && (
          <ol className="timeline">
            {data.map((moment, index) => (
              <Moment
                key={`${moment.name} ${moment.at} ${index}`}
                moment={moment}
                previous={data[index - 1]}
              />
            ))}
            {!isFinished(video) && <Present since={data.at(-1)?.at ?? video.created_at} />}
          </ol>
        )}
      </div>
    </section>
  );
}

function Moment({ moment, previous }: { moment: VideoMoment; previous: VideoMoment | undefined }) {
  const { name, at, status } = moment;
  const mood: Mood = name === 'ended' && status !== null ? moodOf[status] : 'good';
  const gapMs = previous === undefined ? 0 : Date.parse(at) - Date.parse(previous.at);
  return (
    <li className="moment">
      <span className={`moment-form ${name === 'ended' ? `moment-${mood}` : ''}`}>
        <MoodForm mood={mood} />
      </span>
      <span>
        {words[name]}
        {status !== null && name !== 'running' && <span className="muted"> · {status}</span>}
      </span>
      <time className="moment-time" dateTime={at} title={momentText(at)}>
        {gapMs > 0 ? `+ ${lengthText(gapMs)}` : clockText(at)}
      </time>
    </li>
  );
}

function Present({ since }: { since: string }) {
  return (
    <li className="moment">
      <span className="moment-form moment-busy">
        <MoodForm mood="busy" />
      </span>
      <span>Now</span>
      <span className="moment-time">
        + <Since at={since} />
      </span>
    </li>
  );
}
