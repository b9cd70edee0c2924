import { endWithParent } from './child.ts';
import { runClosed } from './closed-job.ts';
import { runHeld } from './held-job.ts';
import type { Job, Reply } from './protocol.ts';

/** The load generator: a process of its own, one job at a time. */

endWithParent();
process.on('message', (job: Job) => {
  const work = job.kind === 'closed' ? runClosed(job) : runHeld(job);
  work
    .then(
      (result): Reply => ({ ok: true, result }),
      (error: unknown): Reply => ({ ok: false, problem: String(error) }),
    )
    .then(
      (reply) => process.send?.(reply),
      () => process.exit(1),
    );
});
