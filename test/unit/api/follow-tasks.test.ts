import { describe, expect, it } from '@jest/globals';
import type { FollowedTask, TaskNews } from '@gateway/store';
import { createFollowTasks } from '../../../services/api/src/use-cases/follow-tasks.ts';
import { eventually } from '../../../packages/testing/src/eventually.ts';
import { recordingLog } from '../../../packages/testing/src/recording-log.ts';

const newsOf = (taskId: string): TaskNews => ({ taskId, task: undefined, events: [] });

describe('following tasks', () => {
  it('asks once for each task however many follow it, from what the least informed knows, and tells each', async () => {
    const asked: (readonly FollowedTask[])[] = [];
    const following = createFollowTasks({
      everyMs: 5,
      log: recordingLog(),
      news: (followed) => {
        asked.push(followed);
        return Promise.resolve([newsOf('video_a')]);
      },
    });
    const told: string[] = [];
    const leave = [
      ['video_a', 3],
      ['video_a', 1],
      ['video_b', 2],
    ].map(([taskId, sequence]) =>
      following.follow({
        taskId: taskId as string,
        sequence: () => sequence as number,
        take: (news) => {
          told.push(`${news.taskId} ${sequence}`);
        },
      }),
    );
    await eventually(() => {
      expect(asked.length).toBeGreaterThanOrEqual(1);
    });

    expect(asked[0]).toEqual([
      { taskId: 'video_a', sequence: 1 },
      { taskId: 'video_b', sequence: 2 },
    ]);
    expect(told.slice(0, 2)).toEqual(['video_a 3', 'video_a 1']);
    for (const each of leave) each();
    expect(following.size).toBe(0);
  });

  it('goes on when the database was away, and says so once', async () => {
    const log = recordingLog();
    let polls = 0;
    const following = createFollowTasks({
      everyMs: 5,
      log,
      news: () => {
        polls += 1;
        return polls <= 3
          ? Promise.reject(new Error('away'))
          : Promise.resolve([newsOf('video_a')]);
      },
    });
    const told: TaskNews[] = [];
    const leave = following.follow({
      taskId: 'video_a',
      sequence: () => 0,
      take: (news) => {
        told.push(news);
      },
    });

    await eventually(() => {
      expect(told.length).toBeGreaterThanOrEqual(1);
    });
    leave();
    expect(log.lines.map(({ level, message, fields }) => [level, message, fields])).toEqual([
      ['warn', 'events of followed tasks could not be read', { reason: 'away', followers: 1 }],
    ]);
  });
});
