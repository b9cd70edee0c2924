import { useQuery } from '@tanstack/react-query';
import { Link } from 'wouter';
import type { Video } from '@gateway/client';
import { listOptions, rowsPerPage } from '../../gateway/list-query.ts';
import { videosList } from '../../gateway/queries.ts';
import { runField } from '../../gateway/runs.ts';
import { FailureNote } from '../../parts/failure-note.tsx';
import { Icon } from '../../parts/icon.tsx';
import { Skeleton } from '../../parts/skeleton.tsx';
import { MoodForm, moodOf } from '../../parts/status-mark.tsx';
import { Thumb } from '../../parts/thumb.tsx';
import { Ago } from '../../parts/time.tsx';
import { titleOf } from '../../parts/video-parts.ts';

export interface HistoryProps {
  readonly onAgain: (videos: readonly Video[]) => void;
  readonly onVary: (videos: readonly Video[]) => void;
}

const mostShown = 12;

/** What the account made lately, by whatever program; the gateway remembers it, not the browser. */
export function History({ onAgain, onVary }: HistoryProps) {
  const { data, error, isPending } = useQuery(listOptions(videosList({})));
  const takes = takesOf((data?.rows ?? []).slice(0, rowsPerPage)).slice(0, mostShown);
  if (error !== null && data === undefined) return <FailureNote error={error} />;
  if (!isPending && takes.length === 0) return null;
  return (
    <section className="card" aria-label="Recent videos">
      <div className="card-head">
        <h2>Recent videos</h2>
        <Link href="/videos" className="small">
          All videos
        </Link>
      </div>
      {isPending ? (
        <div className="card-body stack">
          <Skeleton height="48px" />
          <Skeleton height="48px" />
          <Skeleton height="48px" />
        </div>
      ) : (
        <ul className="history">
          {takes.map((videos) => (
            <Take key={videos[0]?.id} videos={videos} onAgain={onAgain} onVary={onVary} />
          ))}
        </ul>
      )}
    </section>
  );
}

function Take({ videos, onAgain, onVary }: { videos: readonly Video[] } & HistoryProps) {
  const [first] = videos;
  if (first === undefined) return null;
  const run = first.metadata[runField];
  const title = titleOf(first);
  return (
    <li className="history-item">
      <span className="thumbs">
        {videos.map((video) => (
          <Thumb key={video.id} video={video} />
        ))}
      </span>
      <div className="stack stack-close">
        <Link
          className="history-prompt"
          href={run === undefined ? `/videos/${first.id}` : `/playground?run=${run}`}
        >
          {title}
        </Link>
        <span className="row small muted">
          {videos.map(({ id, model, status }) => (
            <span className="row" key={id} title={status}>
              <MoodForm mood={moodOf[status]} />
              <span className="unseen">{status}</span>
              {model}
            </span>
          ))}
          <Ago at={first.created_at} />
        </span>
      </div>
      <div className="buttons">
        <button
          type="button"
          className="button button-small"
          aria-label={`Again: ${title}`}
          onClick={() => {
            onAgain(videos);
          }}
        >
          <Icon name="again" /> Again
        </button>
        <button
          type="button"
          className="button button-small"
          aria-label={`Vary: ${title}`}
          onClick={() => {
            onVary(videos);
          }}
        >
          <Icon name="vary" /> Vary
        </button>
      </div>
    </li>
  );
}

/** Videos that were made together, together; newest first, as they came. */
function takesOf(videos: readonly Video[]): readonly (readonly Video[])[] {
  const takes = new Map<string, Video[]>();
  for (const video of videos) {
    const key = video.metadata[runField] ?? video.id;
    const take = takes.get(key);
    if (take === undefined) takes.set(key, [video]);
    else take.unshift(video);
  }
  return [...takes.values()];
}
