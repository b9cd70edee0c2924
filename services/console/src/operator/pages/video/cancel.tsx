import { useMutation } from '@tanstack/react-query';
import type { TaskDetail } from '@gateway/client';
import { queries } from '../../../gateway/query-client.ts';
import { operatorWord } from '../../../gateway/session.ts';
import { ConfirmButton } from '../../../parts/confirm-button.tsx';
import { FailureNote } from '../../../parts/failure-note.tsx';
import { numberText } from '../../../parts/format.ts';
import { Icon } from '../../../parts/icon.tsx';
import { cancelWords } from '../../cancel-words.ts';
import { operator } from '../../gateway.ts';
import { videoOfAllQuery } from '../../queries.ts';

/** Cancels a customer's video, once it was said what that does. */
export function CancelVideo({ video }: { video: TaskDetail }) {
  const cancel = useMutation({
    mutationFn: () => operator.videos.cancel(video.id),
    onSuccess: (cancelled) => {
      queries.setQueryData(videoOfAllQuery(video.id).queryKey, cancelled);
      void queries.invalidateQueries({ queryKey: [operatorWord, 'videos'] });
    },
  });
  const isUnfinished = video.status === 'queued' || video.status === 'running';
  return (
    <>
      {isUnfinished && (
        <ConfirmButton
          label={
            <>
              <Icon name="stop" /> {cancel.isPending ? 'Cancelling…' : 'Cancel video'}
            </>
          }
          title="Cancel this video?"
          action="Cancel video"
          onConfirm={() => {
            cancel.mutate();
          }}
        >
          <p>{cancelWords(video)}</p>
          <p>
            {numberText(video.hold?.quota ?? video.max_billing_quota)} quota go back to{' '}
            <code>{video.account_id}</code>, which is charged nothing. It cannot be undone, and the
            journal notes it.
          </p>
        </ConfirmButton>
      )}
      {cancel.error !== null && <FailureNote error={cancel.error} />}
    </>
  );
}
