import { useMutation, type UseMutationResult } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import type { CallbackState } from '@gateway/client';
import { gateway } from '../../gateway/client.ts';
import { queries } from '../../gateway/query-client.ts';
import { Dialog } from '../../parts/dialog.tsx';
import { FailureNote } from '../../parts/failure-note.tsx';
import { numberText } from '../../parts/format.ts';
import { Icon } from '../../parts/icon.tsx';

/** How far a walk through all callbacks in a state got. */
interface Progress {
  readonly count: number;
  /** Where to go on. */
  readonly after: string | undefined;
  readonly isDone: boolean;
}

const start: Progress = { count: 0, after: undefined, isDone: false };

interface Walk {
  readonly state: CallbackState;
  readonly isDry: boolean;
  readonly from: Progress;
  readonly onProgress: (progress: Progress) => void;
  /** Looked at between two steps: one that was asked for is waited for, so that the count is true. */
  readonly signal: AbortSignal;
}

/** Goes through all callbacks in a state, step by step, until the end or until it is stopped. */
async function redeliverAll(walk: Walk): Promise<Progress> {
  let progress = walk.from;
  while (!progress.isDone && !walk.signal.aborted) {
    progress = await oneStep(walk, progress);
    walk.onProgress(progress);
  }
  return progress;
}

async function oneStep({ state, isDry }: Walk, { count, after }: Progress): Promise<Progress> {
  const step = await gateway.callbacks.redeliverMany({
    state,
    dry_run: isDry,
    ...(after !== undefined && { after }),
  });
  return {
    count: count + step.redelivered,
    after: step.last_id ?? after,
    isDone: !step.has_more || step.last_id === null,
  };
}

/** Says how many there are before anything is sent, shows how far it got, and can be stopped. */
export function Redelivery({ state }: { state: CallbackState }) {
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
        <Icon name="send" /> Redeliver all {state}
      </button>
      {isOpen && (
        <RedeliveryDialog
          state={state}
          onClose={() => {
            setIsOpen(false);
          }}
        />
      )}
    </>
  );
}

function RedeliveryDialog({ state, onClose }: { state: CallbackState; onClose: () => void }) {
  const count = useWalk(state, true);
  const send = useWalk(state, false);
  const total = numberText(count.progress.count);
  const failure = send.error ?? count.error;
  return (
    <Dialog
      title={`Redeliver all ${state} callbacks`}
      isSmall
      onClose={() => {
        count.stop();
        send.stop();
        void queries.invalidateQueries({ queryKey: ['callbacks'] });
        onClose();
      }}
    >
      <p>
        Sends the latest status of each video again. Receivers that deduplicate by{' '}
        <code>webhook-id</code> process each one once.
      </p>
      {count.progress.isDone && (
        <p>
          <strong>{total}</strong> {state} callbacks
        </p>
      )}
      {send.words !== undefined && (
        <p role="status">
          {send.words} {numberText(send.progress.count)} of {total} queued for delivery.
        </p>
      )}
      {failure !== null && <FailureNote error={failure} />}
      <div className="buttons">
        {count.progress.isDone ? (
          <WalkButtons
            walk={send}
            label={`Redeliver ${total}`}
            isEmpty={count.progress.count === 0}
          />
        ) : (
          <WalkButtons
            walk={count}
            label={count.isRunning ? `Counting… ${total}` : 'Count callbacks'}
          />
        )}
      </div>
    </Dialog>
  );
}

interface RunningWalk {
  readonly progress: Progress;
  readonly isRunning: boolean;
  readonly error: Error | null;
  /** What became of it so far; undefined: it has not begun. */
  readonly words: string | undefined;
  readonly start: () => void;
  readonly stop: () => void;
}

/** A walk that can be stopped, and goes on where it was. */
function useWalk(state: CallbackState, isDry: boolean): RunningWalk {
  const [progress, setProgress] = useState(start);
  const abort = useRef<AbortController>(null);
  const walk = useMutation({
    mutationFn: () => {
      abort.current = new AbortController();
      const { signal } = abort.current;
      return redeliverAll({ state, isDry, from: progress, onProgress: setProgress, signal });
    },
  });
  return {
    progress,
    isRunning: walk.isPending,
    error: walk.error,
    words: wordsFor(walk, progress),
    start: () => {
      walk.mutate();
    },
    stop: () => abort.current?.abort(),
  };
}

function wordsFor(
  { isIdle, isPending, isError }: Pick<UseMutationResult, 'isIdle' | 'isPending' | 'isError'>,
  { isDone }: Progress,
): string | undefined {
  if (isIdle) return undefined;
  if (isPending) return 'Redelivering…';
  if (isError) return 'Interrupted.';
  return isDone ? 'Done.' : 'Stopped.';
}

interface WalkButtonsProps {
  readonly walk: RunningWalk;
  readonly label: string;
  readonly isEmpty?: boolean;
}

function WalkButtons({ walk, label, isEmpty = false }: WalkButtonsProps) {
  const { progress, isRunning, words } = walk;
  if (progress.isDone) return null;
  return (
    <>
      <button
        type="button"
        className="button button-main"
        disabled={isRunning || isEmpty}
        onClick={walk.start}
      >
        {!isRunning && words !== undefined ? 'Continue' : label}
      </button>
      {isRunning && (
        <button type="button" className="button" onClick={walk.stop}>
          Stop
        </button>
      )}
    </>
  );
}
