import { useMutation, type QueryKey, type UseMutationResult } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import type { CallbackRedelivery, CallbackState, RedeliveryRequest } from '@gateway/client';
import { queries } from '../gateway/query-client.ts';
import { Dialog } from './dialog.tsx';
import { FailureNote } from './failure-note.tsx';
import { numberText } from './format.ts';
import { Icon } from './icon.tsx';

/** Which callbacks are sent once more, and how. */
export interface RedeliveryProps {
  readonly state: CallbackState;
  /** Takes the next ones in that state. */
  readonly step: (request: RedeliveryRequest) => Promise<CallbackRedelivery>;
  /** Lists that show them. */
  readonly queryKey: QueryKey;
}

/** How far a walk through all callbacks in a state got. */
interface Progress {
  readonly count: number;
  /** Where to go on. */
  readonly after: string | undefined;
  readonly isDone: boolean;
}

const start: Progress = { count: 0, after: undefined, isDone: false };

interface Walk extends Pick<RedeliveryProps, 'state' | 'step'> {
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

async function oneStep(
  { state, step, isDry }: Walk,
  { count, after }: Progress,
): Promise<Progress> {
  const done = await step({ state, dry_run: isDry, ...(after !== undefined && { after }) });
  return {
    count: count + done.redelivered,
    after: done.last_id ?? after,
    isDone: !done.has_more || done.last_id === null,
  };
}

/** Says how many there are before anything is sent, shows how far it got, and can be stopped. */
export function Redelivery(props: RedeliveryProps) {
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
        <Icon name="send" /> Redeliver all {props.state}
      </button>
      {isOpen && (
        <RedeliveryDialog
          {...props}
          onClose={() => {
            setIsOpen(false);
          }}
        />
      )}
    </>
  );
}

function RedeliveryDialog({
  onClose,
  queryKey,
  ...of
}: RedeliveryProps & { readonly onClose: () => void }) {
  const { state } = of;
  const count = useWalk(of, true);
  const send = useWalk(of, false);
  const total = numberText(count.progress.count);
  const failure = send.error ?? count.error;
  return (
    <Dialog
      title={`Redeliver all ${state} callbacks`}
      isSmall
      onClose={() => {
        count.stop();
        send.stop();
        void queries.invalidateQueries({ queryKey });
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
function useWalk(of: Pick<Walk, 'state' | 'step'>, isDry: boolean): RunningWalk {
  const [progress, setProgress] = useState(start);
  const abort = useRef<AbortController>(null);
  const walk = useMutation({
    mutationFn: () => {
      abort.current = new AbortController();
      const { signal } = abort.current;
      return redeliverAll({ ...of, isDry, from: progress, onProgress: setProgress, signal });
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
