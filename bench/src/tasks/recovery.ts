import { flushRedis } from './flush-redis.ts';
import { killWorker } from './kill-worker.ts';
import type { PartResult, TasksBench } from './part.ts';

/**
 * A worker that is killed with tasks in its hands, and a Redis that forgets everything under load.
 */
export async function recovery(bench: TasksBench): Promise<PartResult> {
  const killed = await killWorker(bench);
  const flushed = await flushRedis(bench);
  return {
    figures: [...killed.figures, ...flushed.figures],
    notes: [...killed.notes, ...flushed.notes],
  };
}
