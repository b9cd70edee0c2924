import { useQuery } from '@tanstack/react-query';
import { positionOf, type Video } from '@gateway/client';
import { finishedQuery } from '../gateway/queries.ts';
import { paceOf } from './pace.ts';
import { Left, Since } from './time.tsx';
import { aspectOf, contentOf, failureOf } from './video-parts.ts';

/** A video where it plays, and before that what it is waiting for. Its size never changes. */
export function Frame({ video }: { video: Video }) {
  const content = contentOf(video);
  return (
    <div className="frame" style={{ aspectRatio: aspectOf(video.ratio) }}>
      {content === undefined ? (
        <FrameWords video={video} />
      ) : (
        <video
          src={content.video_url}
          poster={content.poster_url}
          controls
          playsInline
          loop
          preload="metadata"
          aria-label={`Video by ${video.model}`}
        />
      )}
    </div>
  );
}

/** From the account's own history; without any only that it is under way. */
function TimeLeft({ video, since }: { video: Video; since: string }) {
  const { data: finished = [] } = useQuery(finishedQuery(video.model));
  const pace = paceOf(finished, video);
  if (pace === undefined) return <>Rendering…</>;
  return <Left since={since} pace={pace} />;
}

function FrameWords({ video }: { video: Video }) {
  const failure = failureOf(video);
  const position = positionOf(video);
  if (video.status === 'queued') {
    return (
      <div className="frame-words">
        <strong>{position === undefined ? 'Queued' : `Queued, position ${position}`}</strong>
        <span>
          waiting for <Since at={video.created_at} />
        </span>
      </div>
    );
  }
  if (video.status === 'running') {
    const since = video.started_at ?? video.created_at;
    return (
      <div className="frame-words">
        <strong>
          <Since at={since} />
        </strong>
        <span>
          <TimeLeft video={video} since={since} />
        </span>
      </div>
    );
  }
  return (
    <div className="frame-words">
      <strong>{failure === undefined ? 'Files deleted' : failure.code.replaceAll('_', ' ')}</strong>
      <span>{failure?.message ?? 'Files are deleted when their retention period ends.'}</span>
    </div>
  );
}
