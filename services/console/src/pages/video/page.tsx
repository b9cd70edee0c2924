import { useQuery } from '@tanstack/react-query';
import type { Video } from '@gateway/client';
import { videoQuery } from '../../gateway/queries.ts';
import { CopyButton } from '../../parts/copy-button.tsx';
import { FailureNote } from '../../parts/failure-note.tsx';
import { Frame } from '../../parts/frame.tsx';
import { Page } from '../../parts/page.tsx';
import { Skeleton } from '../../parts/skeleton.tsx';
import { StatusMark } from '../../parts/status-mark.tsx';
import { contentOf } from '../../parts/video-parts.ts';
import { Actions } from './actions.tsx';
import { Bill } from './bill.tsx';
import { Callbacks } from './callbacks.tsx';
import { RequestCard } from './request-card.tsx';
import { Timeline } from './timeline.tsx';

/** One video: what it shows, what happened when, and what it cost. */
export function VideoPage({ id }: { id: string }) {
  const { data: video, error, refetch } = useQuery(videoQuery(id));
  return (
    <Page
      title="Video"
      intro={
        <span className="row">
          <code>{id}</code>
          <CopyButton text={id} what="ID" />
        </span>
      }
      actions={video !== undefined && <Actions video={video} />}
    >
      {error !== null && video === undefined && (
        <FailureNote error={error} onRetry={() => void refetch()} />
      )}
      {video === undefined ? (
        error === null && <Skeleton height="480px" />
      ) : (
        <div className="one-video">
          <div className="stack">
            <Picture video={video} />
            <RequestCard video={video} />
            {video.request?.callback_url != null && <Callbacks video={video} />}
          </div>
          <div className="stack">
            <Timeline video={video} />
            <Bill video={video} />
          </div>
        </div>
      )}
    </Page>
  );
}

function Picture({ video }: { video: Video }) {
  const content = contentOf(video);
  return (
    <section className="card" aria-label="Player">
      <Frame video={video} />
      <div className="card-body row spread">
        <div className="row">
          <StatusMark status={video.status} />
          <strong>{video.model}</strong>
          <span className="muted">
            {video.resolution} · {video.ratio} ·{' '}
            {video.duration === -1 ? 'auto' : `${video.duration} s`}
          </span>
        </div>
        {content?.last_frame_url !== undefined && (
          <a className="row small" href={content.last_frame_url} target="_blank" rel="noreferrer">
            <img className="last-frame" src={content.last_frame_url} alt="" height={40} />
            Last frame
          </a>
        )}
      </div>
    </section>
  );
}
