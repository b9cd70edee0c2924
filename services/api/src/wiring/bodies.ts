import { createBodies, type Bodies } from '../bodies/index.ts';
import type { Settings } from '../config.ts';
import { createBodyRoutes, type BodyRoutes } from '../http/json-body.ts';
import { createDeadlines, type Deadlines } from '../text/index.ts';
import type { LiveConfiguration } from '@gateway/runtime';
import type { Clients } from './clients.ts';

export interface BuiltBodies {
  readonly bodies: Bodies;
  /** One timer for what waits in this process. */
  readonly deadlines: Deadlines;
  /** How routes outside the text lane take a body. */
  readonly bodyRoutes: BodyRoutes;
}

/** How every route gets its JSON body. */
export function buildBodies(
  settings: Readonly<Settings>,
  configuration: Pick<LiveConfiguration, 'current'>,
  { limits, metrics }: Pick<Clients, 'limits' | 'metrics'>,
): BuiltBodies {
  const deadlines = createDeadlines();
  const bodies = createBodies({
    processBytes: settings.BODY_BYTES,
    accountBytes: settings.BODY_BYTES_PER_ACCOUNT,
    accountBytesPerSecond: settings.BODY_BYTES_PER_SECOND_PER_ACCOUNT,
    threads: settings.BODY_THREADS,
    heapMegabytes: settings.BODY_THREAD_HEAP_MB,
    deadlines,
    metrics,
  });
  return {
    bodies,
    deadlines,
    bodyRoutes: createBodyRoutes({
      bodies,
      slots: limits.slots,
      concurrentRequests: () => configuration.current().limits.defaultKey.concurrentRequests,
      timeoutMs: settings.BODY_TIMEOUT_MS,
    }),
  };
}
