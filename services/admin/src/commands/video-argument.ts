import { isId } from '@gateway/domain';
import { required, UsageError } from '../command.ts';

/** The argument of a command about one task. */
export const video = { name: 'video', help: 'video id' } as const;

export function taskIdOf(values: Readonly<Record<string, string | undefined>>): string {
  const taskId = required(values, video.name);
  if (!isId('task', taskId)) {
    throw new UsageError(
      `a video id looks like video_01h455vb4pex5vsknk084sn02q; got ${JSON.stringify(taskId.slice(0, 80))}`,
    );
  }
  return taskId;
}
