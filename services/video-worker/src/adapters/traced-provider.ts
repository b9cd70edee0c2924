import type { TaskVendor } from '@gateway/contracts';
import { inSpan, type SpanStart } from '@gateway/runtime';
import type { VideoProvider } from '@gateway/video-providers';

type Called = Pick<TaskVendor, 'provider' | 'kind' | 'baseUrl'>;

/** Outcomes that say that the call itself went wrong. */
const failures: ReadonlySet<string> = new Set([
  'not_sent',
  'busy',
  'unavailable',
  'refused',
  'unknown',
  'failed',
  'missing',
  'several',
  'error',
  'not_cancellable',
]);

/**
 * A provider whose calls are client spans of the task's trace. The vendor is not told of it: it is
 * a stranger.
 */
export function tracedProvider(
  provider: VideoProvider,
  { kind, baseUrl, provider: name }: Called,
): VideoProvider {
  const { find } = provider;
  const host = new URL(baseUrl).hostname;
  const call = <O extends { readonly kind: string }>(
    span: string,
    more: Omit<SpanStart, 'kind'>,
    body: () => Promise<O>,
  ): Promise<O> =>
    inSpan(
      span,
      {
        ...more,
        kind: 'client',
        attributes: {
          'gen_ai.provider.name': kind,
          'server.address': host,
          'gateway.provider': name,
          ...more.attributes,
        },
      },
      async (open) => {
        const outcome = await body();
        open?.set({ 'gateway.vendor.outcome': outcome.kind });
        if (failures.has(outcome.kind)) open?.fail(outcome.kind);
        return outcome;
      },
    );
  return {
    ...provider,
    submit: (submission, signal) =>
      call(
        `generate_content ${submission.upstreamModel}`,
        {
          attributes: {
            'gen_ai.operation.name': 'generate_content',
            'gen_ai.output.type': 'video',
            'gen_ai.request.model': submission.upstreamModel,
          },
        },
        () => provider.submit(submission, signal),
      ),
    poll: (vendorTaskId, signal) =>
      call('poll', { isRoutine: true }, () => provider.poll(vendorTaskId, signal)),
    cancel: (vendorTaskId, signal) =>
      call('cancel', {}, () => provider.cancel(vendorTaskId, signal)),
    ...(find !== undefined && {
      find: (query, signal) => call('find', { isRoutine: true }, () => find(query, signal)),
    }),
  };
}
