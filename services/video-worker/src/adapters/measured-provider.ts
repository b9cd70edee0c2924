import type { VideoProvider } from '@gateway/video-providers';
import type { WorkerMetrics, VendorCall } from './worker-metrics.ts';

/** A provider whose calls are measured, each with how it ended. */
export function measuredProvider(
  provider: VideoProvider,
  { name, onCall }: { readonly name: string; readonly onCall: WorkerMetrics['call'] },
): VideoProvider {
  const { find, pollMany, askServing } = provider;
  const measured = async <Outcome extends { readonly kind: string }>(
    operation: VendorCall['operation'],
    call: Promise<Outcome>,
  ): Promise<Outcome> => {
    const startedMs = performance.now();
    const outcome = await call;
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
          measured('poll_many', pollMany.poll(vendorTaskIds, signal)),
      },
    }),
    ...(find !== undefined && { find: (query, signal) => measured('find', find(query, signal)) }),
    ...(askServing !== undefined && {
      askServing: (signal) => measured('ask', askServing(signal)),
    }),
    cancel: (vendorTaskId, signal) => measured('cancel', provider.cancel(vendorTaskId, signal)),
  };
}
