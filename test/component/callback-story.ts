import { expect } from '@jest/globals';
import type { TaskEvent } from '@gateway/domain';
import { eventually, openReceiver, type Receiver } from '@gateway/testing';
import fc from 'fast-check';
import type { Stage } from './callback-dispatcher-stage.ts';

type Reaction = 'taken' | 'refused' | 'cut off';

/**
 * One task: when its statuses come, in milliseconds after one another, and how its receiver responds
 * its first pushes; it takes the rest.
 */
interface TaskStory {
  readonly startMs: number;
  readonly moves: readonly { readonly event: TaskEvent; readonly afterMs: number }[];
  readonly reactions: readonly Reaction[];
  readonly reactionMs: number;
}

const paths: readonly (readonly TaskEvent[])[] = [
  ['accepted', 'stored'],
  ['accepted', 'failed'],
  ['accepted', 'expired'],
  ['cancelled'],
  ['expired'],
];

/** Fewer than the six failures that end pushing, however they are cut up by a killed dispatcher. */
const mostFailures = 4;

/** Tasks with any history, and receivers that fail in any way, but not for ever. */
export const taskStories = ({ tasks }: { readonly tasks: number }): fc.Arbitrary<TaskStory[]> =>
  fc.array(
    fc.record({
      startMs: fc.integer({ min: 0, max: 800 }),
      moves: fc
        .constantFrom(...paths)
        .chain((events) =>
          fc.tuple(
            ...events.map((event) =>
              fc.integer({ min: 0, max: 500 }).map((afterMs) => ({ event, afterMs })),
            ),
          ),
        ),
      reactions: fc
        .array(fc.constantFrom<Reaction>('taken', 'taken', 'refused', 'cut off'), { maxLength: 8 })
        .filter(
          (reactions) =>
            reactions.filter((reaction) => reaction !== 'taken').length <= mostFailures,
        ),
      reactionMs: fc.integer({ min: 0, max: 30 }),
    }),
    { minLength: tasks, maxLength: tasks },
  );

export interface Post {
  readonly id: string;
  readonly sequence: number;
  readonly body: string;
  readonly reaction: Reaction;
}

export interface Played {
  readonly taskId: string;
  /** Of its last status. */
  readonly final: number;
  /** In the order of their arrival. */
  readonly posts: readonly Post[];
}

/** Lives the stories against whatever dispatchers run, until every last status is delivered. */
export async function play(
  stage: Stage,
  stories: readonly TaskStory[],
  { withinMs }: { readonly withinMs: number },
): Promise<Played[]> {
  const posts = new Map<string, Post[]>();
  const storyOf = new Map<string, TaskStory>();
  const receiver = await reactAsTold(posts, storyOf);
  try {
    const tasks = await Promise.all(
      stories.map(async (story) => {
        await pause(story.startMs);
        let task = await stage.createQuietly(receiver.url);
        storyOf.set(task.id, story);
        for (const { event, afterMs } of story.moves) {
          await pause(afterMs);
          task = await stage.move(task, event, { wake: false });
        }
        return { taskId: task.id, final: story.moves.length + 1 };
      }),
    );
    await eventually(
      async () => {
        for (const { taskId } of tasks) {
          expect({ taskId, last: (await stage.pushStates(taskId)).at(-1) }).toEqual({
            taskId,
            last: 'delivered',
          });
        }
      },
      { withinMs },
    );
    return tasks.map((task) => ({ ...task, posts: posts.get(task.taskId) ?? [] }));
  } finally {
    await receiver.close();
  }
}

function reactAsTold(
  posts: Map<string, Post[]>,
  storyOf: ReadonlyMap<string, TaskStory>,
): Promise<Receiver> {
  return openReceiver(({ headers, body }, response) => {
    if (headers['x-gateway-event'] !== 'video.status_changed') return false;
    const task = String(headers['x-gateway-task']);
    const before = posts.get(task) ?? [];
    const { reactions: reactions, reactionMs: reactionMs } = storyOf.get(task) ?? {
      reactions: [],
      reactionMs: 0,
    };
    const reaction = reactions[before.length] ?? 'taken';
    posts.set(task, [
      ...before,
      {
        id: String(headers['webhook-id']),
        sequence: Number(headers['x-gateway-sequence']),
        body: body.toString(),
        reaction,
      },
    ]);
    setTimeout(() => {
      if (reaction === 'cut off') response.destroy();
      else response.writeHead(reaction === 'taken' ? 200 : 500).end();
    }, reactionMs);
    return true;
  });
}

/**
 * Never an older status after a newer one, the last one taken last, nothing after it, and one id
 * and body a status.
 */
export function ordersHold({ final, posts }: Played): void {
  const sequences = posts.map(({ sequence }) => sequence);
  expect(sequences).toEqual([...sequences].sort((left, right) => left - right));
  expect(posts.filter(({ reaction: reaction }) => reaction === 'taken').at(-1)?.sequence).toBe(
    final,
  );
  expect(sequences.at(-1)).toBe(final);
  const messages = new Set(
    posts.map(({ id, sequence, body }) => `${sequence} ${id} ${withoutToken(body)}`),
  );
  expect(messages.size).toBe(new Set(sequences).size);
  expect(new Set(posts.map(({ id }) => id)).size).toBe(messages.size);
}

/** A signed address may change between two attempts of one push. */
const withoutToken = (body: string): string => body.replaceAll(/token=[^"]*/g, 'token=');

const pause = (ms: number): Promise<void> =>
  new Promise((resolve) => {
    setTimeout(resolve, ms);
  });
