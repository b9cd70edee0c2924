import { createHash } from 'node:crypto';
import { inParallel, type Evidence } from './evidence.ts';

/**
 * Downloads every video that succeeded, from the address in its resource, and compares what comes
 * with what was recorded.
 */
export async function checkMedia({ tasks, resources }: Evidence): Promise<string[]> {
  const problems: string[] = [];
  await inParallel(
    tasks.filter(({ status }) => status === 'succeeded'),
    async ({ id, sha256 }) => {
      const url = resources.get(id)?.content?.video_url;
      if (url === undefined) {
        problems.push(`${id} succeeded and has no video_url`);
        return;
      }
      const response = await fetch(url);
      const found = createHash('sha256')
        .update(Buffer.from(await response.arrayBuffer()))
        .digest('hex');
      if (response.status !== 200 || found !== sha256) {
        problems.push(
          `${id}: its video returns ${response.status} with sha256 ${found}; recorded is ${String(sha256)}`,
        );
      }
    },
  );
  return problems;
}
