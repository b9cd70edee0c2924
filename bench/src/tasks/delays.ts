import { createDatabase } from '@gateway/store';
import { eventually, openReceiver } from '@gateway/testing';
import { leaveNothing } from '../leave-nothing.ts';
import { highestOf, quantileOf } from '../statistics.ts';
import type { Cells } from '../report.ts';
import { startStack, type BenchStack } from '../stack.ts';
import { usualConfiguration } from './configuration.ts';
import type { PartResult, TasksBench } from './part.ts';

const tasks = 200;
/** Few enough that the vendor, which renders on the same cores, keeps up. */
const atOnce = 8;
const arrivalWithinMs = 60_000;

/**
 * Videos with a callback address: from the vendor's success to our terminal state, and from there
 * to the push.
 */
export async function delays(bench: TasksBench): Promise<PartResult> {
  const configuration = await usualConfiguration();
  const arrivals = new Map<string, number>();
  const receiver = await openReceiver(({ at, body }) => {
    const { id, status } = JSON.parse(body.toString()) as { id?: string; status?: string };
    if (id !== undefined && status === 'succeeded' && !arrivals.has(id)) arrivals.set(id, at);
    return false;
  });
  const closeReceiver = leaveNothing(() => receiver.close());
  const stack = await startStack(() => undefined, { configuration });
  try {
    const ids: string[] = [];
    await Promise.all(
      Array.from({ length: atOnce }, async () => {
        while (ids.length < tasks) {
          const at = ids.push('') - 1;
          const id = await create(stack, `delay ${at}`, receiver.url);
          ids[at] = id;
          await eventually(
            () => {
              if (!arrivals.has(id)) {
                throw new Error(
                  `${id} did not succeed, or its push did not come, within ${arrivalWithinMs / 1_000} s`,
                );
              }
            },
            { withinMs: arrivalWithinMs, everyMs: 20 },
          );
          if ((at + 1) % 25 === 0) bench.say(`${at + 1} of ${tasks} videos`);
        }
      }),
    );
    return resultOf(await timelinesOf(ids, stack), {
      arrivals,
      pollMs: firstPollMs(configuration),
    });
  } finally {
    await stack.stop();
    await closeReceiver();
  }
}

async function create(
  { suite, apiKey }: BenchStack,
  prompt: string,
  callbackUrl: string,
): Promise<string> {
  const response = await fetch(`${suite.baseUrl}/v1/videos`, {
    method: 'POST',
    headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({
      model: 'sandbox-video',
      prompt,
      duration: 4,
      resolution: '480p',
      callback_url: callbackUrl,
    }),
  });
  if (!response.ok) throw new Error(`a video was refused: ${await response.text()}`);
  return ((await response.json()) as { id: string }).id;
}

interface Timeline {
  readonly id: string;
  readonly vendorMs: number;
  readonly oursMs: number;
}

async function timelinesOf(
  ids: readonly string[],
  { suite, databaseUrl }: BenchStack,
): Promise<Timeline[]> {
  const database = createDatabase({
    url: databaseUrl,
    applicationName: 'bench',
    poolSize: 1,
    onError: () => undefined,
  });
  const { rows } = await database.pool.query<{
    id: string;
    vendor_task_id: string;
    completed_at: Date;
  }>('SELECT id, vendor_task_id, completed_at FROM task WHERE id = ANY($1)', [ids]);
  await database.part.stop();
  return Promise.all(
    rows.map(async ({ id, vendor_task_id: vendorTaskId, completed_at: completedAt }) => {
      const detail = (await (
        await fetch(`${suite.sandboxUrl}/control/tasks/${vendorTaskId}`)
      ).json()) as { updated_at_ms: number };
      return { id, vendorMs: detail.updated_at_ms, oursMs: completedAt.getTime() };
    }),
  );
}

/**
 * Of the sandbox, the first provider of the file; a video of a few seconds is polled that often
 * to its end.
 */
function firstPollMs(configuration: string): number {
  const seconds = /poll_seconds: \{ first: ([\d.]+)/.exec(configuration)?.[1];
  if (seconds === undefined) throw new Error('config/gateway.yaml has no poll_seconds');
  return Number(seconds) * 1_000;
}

function resultOf(
  timelines: readonly Timeline[],
  { arrivals, pollMs }: { arrivals: ReadonlyMap<string, number>; pollMs: number },
): PartResult {
  const arrivalOf = (id: string): number => arrivals.get(id) ?? NaN;
  const whole = timelines.map(({ id, vendorMs }) => arrivalOf(id) - vendorMs);
  const row = (what: string, values: readonly number[]): Cells => [
    what,
    ...[quantileOf(values, 0.5), quantileOf(values, 0.99), highestOf(values)].map(Math.round),
  ];
  return {
    tables: [
      {
        head: ['delay', 'p50 (ms)', 'p99 (ms)', 'max (ms)'],
        rows: [
          row(
            'vendor’s success → our terminal state',
            timelines.map(({ vendorMs, oursMs }) => oursMs - vendorMs),
          ),
          row(
            'terminal state → push received',
            timelines.map(({ id, oursMs }) => arrivalOf(id) - oursMs),
          ),
          row('vendor’s success → push received', whole),
        ],
      },
    ],
    figures: [
      {
        measure: 'from the vendor’s success to the push, p99',
        unit: 'ms',
        value: quantileOf(whole, 0.99),
        target: { below: pollMs + 1_000 },
      },
    ],
    notes: [
      `${timelines.length} videos, ${atOnce} at once, polled every ${pollMs} ms; copying and probing included. The target is one such interval and a second.`,
    ],
  };
}
