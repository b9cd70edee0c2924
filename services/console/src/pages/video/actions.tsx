import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { Link, useLocation } from 'wouter';
import { isFinished, type Video } from '@gateway/client';
import { gateway } from '../../gateway/client.ts';
import { noteVideo } from '../../gateway/live.ts';
import { dropRow } from '../../gateway/list-query.ts';
import { ConfirmButton } from '../../parts/confirm-button.tsx';
import { FailureNote } from '../../parts/failure-note.tsx';
import { Icon } from '../../parts/icon.tsx';
import { ShowCode } from '../../parts/show-code.tsx';
import { contentOf } from '../../parts/video-parts.ts';
import { requestAgain } from '../../parts/request-again.ts';

/** What can be done with a video as it is now. */
export function Actions({ video }: { video: Video }) {
  const content = contentOf(video);
  return (
    <>
      <Link className="button" href={`/playground?models=${video.model}&from=${video.id}`}>
        <Icon name="again" /> Again
      </Link>
      {content !== undefined && (
        <a className="button" href={content.video_url} download={`${video.id}.mp4`}>
          <Icon name="download" /> Download
        </a>
      )}
      <CodeButton video={video} />
      {isFinished(video) ? <DeleteButton video={video} /> : <CancelButton video={video} />}
    </>
  );
}

function CodeButton({ video }: { video: Video }) {
  const [isOpen, setIsOpen] = useState(false);
  return (
    <>
      <button
        type="button"
        className="button"
        onClick={() => {
          setIsOpen(true);
        }}
      >
        <Icon name="code" /> Code
      </button>
      {isOpen && (
        <ShowCode
          requests={[requestAgain(video)]}
          onClose={() => {
            setIsOpen(false);
          }}
        />
      )}
    </>
  );
}

function CancelButton({ video }: { video: Video }) {
  const cancel = useMutation({
    mutationFn: () => gateway.videos.cancel(video.id),
    onSuccess: noteVideo,
  });
  return (
    <>
      <button
        type="button"
        className="button"
        disabled={cancel.isPending}
        onClick={() => {
          cancel.mutate();
        }}
      >
        <Icon name="stop" /> {cancel.isPending ? 'Cancelling…' : 'Cancel'}
      </button>
      {cancel.error !== null && <FailureNote error={cancel.error} />}
    </>
  );
}

function DeleteButton({ video }: { video: Video }) {
  const [, navigate] = useLocation();
  const remove = useMutation({
    mutationFn: () => gateway.videos.delete(video.id),
    onSuccess: () => {
      dropRow(['videos'], video.id);
      navigate('/videos');
    },
  });
  return (
    <>
      <ConfirmButton
        label={
          <>
            <Icon name="trash" /> Delete
          </>
        }
        title="Delete this video?"
        action="Delete video"
        onConfirm={() => {
          remove.mutate();
        }}
      >
        <p>This permanently removes the files and the prompt. Links to them stop working.</p>
        <p className="muted">The charge stays in the ledger.</p>
      </ConfirmButton>
      {remove.error !== null && <FailureNote error={remove.error} />}
    </>
  );
}
