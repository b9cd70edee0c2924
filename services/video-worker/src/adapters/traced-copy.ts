import { inSpan } from '@gateway/runtime';
import type { FileCopier } from './file-copier.ts';

/**
 * A copy as a step of the task's trace: what came of it and how large it is, never where it came
 * from.
 */
export const tracedCopy =
  (copy: FileCopier['copy']): FileCopier['copy'] =>
  (task, output, signal) =>
    inSpan('ingest', {}, async (span) => {
      const copied = await copy(task, output, signal);
      span?.set({
        'gateway.ingest.outcome': copied.kind,
        ...(copied.kind === 'stored' && {
          'gateway.ingest.bytes': copied.media.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0),
          'gateway.video.seconds': copied.video.seconds,
        }),
      });
      if (copied.kind !== 'stored') span?.fail(copied.kind);
      return copied;
    });
