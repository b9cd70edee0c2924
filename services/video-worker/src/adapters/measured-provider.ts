import {
  firstDrift,
  type Drift,
  type MayDrift,
  type PollManyOutcome,
  type VideoProvider,
} from '@gateway/video-providers';
import type { WorkerMetrics, VendorCall } from './worker-metrics.ts';

export interface MeasuredProviderOptions {
  readonly name: string;
  readonly onCall: WorkerMetrics['call'];
  readonly onDrift: (provider: string, drift: Drift) => void;
}

/** A provider whose calls are measured, each with how it ended and what in it was unknown. */
export function measuredProvider(
  provider: VideoProvider,
  { name, onCall, onDrift }: MeasuredProviderOptions,
): VideoProvider {
  const { find, pollMany, askServing } = provider;
  const measured = async <Outcome extends MayDrift & { readonly kind: string }>(
    operation: VendorCall['operation'],
    call: Promise<Outcome>,
  ): Promise<Outcome> => {
    const startedMs = performance.now();
    const outcome = await call;
    if (outcome.drift !== undefined) onDrift(name, outcome.drift);
    onCall({
      provider: name,
      operation,
      outcome: outcome.kind,
      seconds: (performance.now() - startedMs) / 1000,
    });
    return outcome;
  };
  return {
    ...provider,
    submit: (submission, signal) => measured('submit', provider.submit(submission, signal)),
    poll: (vendorTaskId, signal) => measured('poll', provider.poll(vendorTaskId, signal)),
    ...(pollMany !== undefined && {
      pollMany: {
        ...pollMany,
        poll: (vendorTaskIds, signal) =>
          measured('poll_many', withDrift(pollMany.poll(vendorTaskIds, signal))),
      },
    }),
    ...(find !== undefined && { find: (query, signal) => measured('find', find(query, signal)) }),
    ...(askServing !== undefined && {
      askServing: (signal) => measured('ask', askServing(signal)),
    }),
    cancel: (vendorTaskId, signal) => measured('cancel', provider.cancel(vendorTaskId, signal)),
  };
}

/** What is unknown in any of the tasks of a list is unknown in the list. */
async function withDrift(poll: Promise<PollManyOutcome>): Promise<PollManyOutcome & MayDrift> {
  const outcome = await poll;
  return outcome.kind === 'error'
    ? outcome
    : { ...outcome, ...firstDrift(outcome.outcomes.values()) };
}
