import { nextPollDelayMs } from '@gateway/domain';
import type { PollOutcome, VendorOutput } from '@gateway/video-providers';
import type { CheckStep, Running } from './step.ts';

type Note = readonly [step: string, status: CheckStep['status'], detail: string];

/** How a task ended, with what was seen on the way; or that nobody waits for it any more. */
export type Watched =
  | { readonly kind: 'left' }
  | { readonly kind: 'failed'; readonly notes: readonly Note[] }
  | { readonly kind: 'succeeded'; readonly notes: readonly Note[]; readonly output: VendorOutput };

/** Polls a task until it is over, as a worker does; and in a batch, where the vendor has that. */
export async function watchTask(run: Running, vendorTaskId: string): Promise<Watched> {
  const { provider, showProgress, pause, pace, now, random, signal } = run;
  const acceptedAt = now();
  const seen = { statuses: new Set<string>(), problems: new Set<string>() };
  let batch: Note | undefined;
  while (!signal.aborted) {
    const outcome = await provider.poll(vendorTaskId, signal);
    const elapsedMs = now() - acceptedAt;
    remember(outcome, seen);
    if (batch?.[1] !== 'ok') batch = await pollInBatch(run, vendorTaskId);
    if (outcome.kind === 'succeeded' || outcome.kind === 'failed') {
      const notes = [...notesOf(outcome, { ...seen, elapsedMs }), batch];
      return outcome.kind === 'failed'
        ? { kind: 'failed', notes }
        : { kind: 'succeeded', notes, output: outcome.output };
    }
    showProgress(
      `${vendorTaskId}: ${[...seen.statuses].at(-1) ?? outcome.kind}, ${Math.round(elapsedMs / 1_000)} s`,
    );
    const alone = { usualMs: undefined, liveTasks: 1, requestsPerSecond: 10 };
    await pause(nextPollDelayMs({ pace, elapsedMs, ...alone, random: random() }), signal);
  }
  return { kind: 'left' };
}

interface Seen {
  readonly statuses: Set<string>;
  readonly problems: Set<string>;
}

function remember(outcome: PollOutcome, { statuses, problems }: Seen): void {
  const { drift } = outcome;
  if (drift !== undefined) problems.add(`unknown ${drift.kind}: ${drift.example}`);
  if (outcome.kind === 'pending') statuses.add(outcome.vendorStatus);
  if (outcome.kind === 'error') problems.add(outcome.detail);
  if (outcome.kind === 'missing') problems.add(`the vendor does not know it: ${outcome.detail}`);
}

function notesOf(
  outcome: Extract<PollOutcome, { kind: 'succeeded' | 'failed' }>,
  { statuses, problems, elapsedMs }: Seen & { readonly elapsedMs: number },
): Note[] {
  const after = `after ${(elapsedMs / 1_000).toFixed(1)} s`;
  return [
    ...[...problems].map((problem): Note => ['poll', 'differs', problem]),
    outcome.kind === 'failed'
      ? ['poll', 'differs', `${outcome.failure} ${after}: ${outcome.detail}`]
      : ['poll', 'ok', `${[...statuses, 'succeeded'].join(', ')} ${after}`],
  ];
}

/** A list lags behind, so that a task may be missing in it for a while. */
async function pollInBatch({ provider, signal }: Running, vendorTaskId: string): Promise<Note> {
  const step = 'batch poll';
  if (provider.pollMany === undefined) {
    return [step, 'skipped', 'this format reports on one task at a time'];
  }
  const many = await provider.pollMany.poll([vendorTaskId], signal);
  if (many.kind === 'error') return [step, 'differs', many.detail];
  const outcome = many.outcomes.get(vendorTaskId);
  return outcome === undefined || outcome.kind === 'error'
    ? [step, 'differs', `says nothing of the task: ${outcome?.detail ?? 'it is not in the list'}`]
    : [step, 'ok', outcome.kind === 'pending' ? outcome.vendorStatus : outcome.kind];
}
