import { useMutation, useQuery } from '@tanstack/react-query';
import { useRef } from 'react';
import { Link } from 'wouter';
import { isFinished, type Video } from '@gateway/client';
import { gateway } from '../../gateway/client.ts';
import { noteVideo } from '../../gateway/live.ts';
import { runQuery, videoQuery } from '../../gateway/queries.ts';
import { runField } from '../../gateway/runs.ts';
import { useStore } from '../../gateway/store.ts';
import { forget, unconfirmed, type Unconfirmed } from '../../gateway/unconfirmed.ts';
import { FailureNote } from '../../parts/failure-note.tsx';
import { lengthText } from '../../parts/format.ts';
import { Frame } from '../../parts/frame.tsx';
import { Icon } from '../../parts/icon.tsx';
import { Skeleton } from '../../parts/skeleton.tsx';
import { StateMark, StatusMark } from '../../parts/status-mark.tsx';
import { Sums } from '../../parts/sums.tsx';
import { aspectOf, contentOf, tookMs } from '../../parts/video-parts.ts';

/** What was made together: a column for each model. */
export function RunView({ run, columns }: { run: string; columns: number }) {
  const { data: videos, error, isPending } = useQuery(runQuery(run));
  const open = useStore(unconfirmed).filter(({ request }) => request.metadata?.[runField] === run);
  const frames = useRef<HTMLDivElement>(null);
  const playable = (videos ?? []).filter((video) => contentOf(video) !== undefined);
  if (error !== null) return <FailureNote error={error} />;
  const missing = isPending ? Math.max(0, columns - open.length) : 0;
  return (
    <section className="stack" aria-label="This run">
      <div className="row spread">
        <h2>This run</h2>
        {playable.length > 1 && (
          <button
            type="button"
            className="button button-small"
            onClick={() => {
              playTogether(frames.current);
            }}
          >
            <Icon name="play" /> Play all
          </button>
        )}
      </div>
      <div className="columns" ref={frames}>
        {(videos ?? []).map((video) => (
          <Column key={video.id} first={video} />
        ))}
        {open.map((entry) => (
          <OpenColumn key={entry.key} entry={entry} />
        ))}
        {Array.from({ length: missing }, (_none, index) => (
          <Skeleton key={index} height="300px" />
        ))}
      </div>
    </section>
  );
}

function playTogether(frames: HTMLElement | null): void {
  for (const player of frames?.querySelectorAll('video') ?? []) {
    player.currentTime = 0;
    player.muted = true;
    void player.play();
  }
}

function Column({ first }: { first: Video }) {
  const { data: video } = useQuery({ ...videoQuery(first.id), initialData: first });
  const cancel = useMutation({
    mutationFn: () => gateway.videos.cancel(video.id),
    onSuccess: noteVideo,
  });
  const took = tookMs(video);
  return (
    <article className="card column" aria-label={video.model}>
      <div className="column-head">
        <h3>{video.model}</h3>
        <StatusMark status={video.status} />
      </div>
      <Frame video={video} />
      <div className="column-foot stack stack-close small">
        <div className="row spread">
          <Sums video={video} />
          <span className="muted">
            {video.resolution} · {video.duration === -1 ? 'auto' : `${video.duration} s`}
            {took !== undefined && ` · took ${lengthText(took)}`}
          </span>
        </div>
        <div className="buttons">
          <Link className="button button-small" href={`/videos/${video.id}`}>
            Details
          </Link>
          {!isFinished(video) && (
            <button
              type="button"
              className="button button-small button-plain"
              disabled={cancel.isPending}
              onClick={() => {
                cancel.mutate();
              }}
            >
              {cancel.isPending ? 'Cancelling…' : 'Cancel'}
            </button>
          )}
        </div>
        {cancel.error !== null && <FailureNote error={cancel.error} />}
      </div>
    </article>
  );
}

/** A creation that the gateway has not confirmed yet, or will not. */
function OpenColumn({ entry: { key, request, refusal } }: { entry: Unconfirmed }) {
  return (
    <article className="card column" aria-label={request.model}>
      <div className="column-head">
        <h3>{request.model}</h3>
        {refusal === undefined ? (
          <StateMark mood="waiting" word="sending" />
        ) : (
          <StateMark mood="bad" word="rejected" />
        )}
      </div>
      <div className="frame" style={{ aspectRatio: aspectOf(request.ratio ?? '') }}>
        <div className="frame-words">
          {refusal === undefined ? 'Sending…' : 'Nothing was created or charged.'}
        </div>
      </div>
      <div className="column-foot stack stack-close">
        {refusal !== undefined && (
          <>
            <FailureNote error={refusal} />
            <button
              type="button"
              className="button button-small"
              onClick={() => {
                forget(key);
              }}
            >
              Dismiss
            </button>
          </>
        )}
      </div>
    </article>
  );
}
