import { setTimeout as sleep } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { createDatabase, type Database } from '@gateway/store';
import { startStack, type BenchStack } from '../stack.ts';
import { usualConfiguration } from './configuration.ts';
import type { PartResult, TasksBench } from './part.ts';

/** Unfinished at any time: more than the vendor has places, so that it is always busy. */
const unfinished = 60;
const warmUpSeconds = 15;
const beforeSeconds = 30;
const windowSeconds = 10;
const fullSpeed = 0.9;
const target = { below: 60 };
/** A little more than it takes to see a window that begins at the target. */
const afterSeconds = target.below + windowSeconds + 2;
const feedEveryMs = 100;

/** Delays that would bore are short; what brings lost jobs back is as it is. */
const env = {
  'sandbox-vendor': {
    SANDBOX_QUEUE_MS: '200',
    SANDBOX_RENDER_MS: '400',
    SANDBOX_RENDER_QUALITY: 'fast',
  },
};

/**
 * From a FLUSHALL under load to the first ten seconds that bring nine tenths of the videos that ten
 * seconds brought before.
 */
export async function flushRedis({ say }: TasksBench): Promise<PartResult> {
  const stack = await startStack(() => undefined, {
    configuration: await usualConfiguration(),
    env,
  });
  const database = createDatabase({
    url: stack.databaseUrl,
    applicationName: 'bench',
    poolSize: 2,
    onError: () => undefined,
  });
  const feeding = { isOver: false };
  const feeder = feed(stack, database, feeding);
  // It is awaited below, after minutes.
  feeder.catch(() => undefined);
  try {
    say(
      `${unfinished} videos under way at any time, for ${warmUpSeconds + beforeSeconds + afterSeconds} s`,
    );
    await sleep((warmUpSeconds + beforeSeconds) * 1_000);
    const flushedAt = Date.now();
    await flush(stack.suite.redisUrl);
    say('Redis has forgotten everything');
    await sleep(afterSeconds * 1_000);
    feeding.isOver = true;
    await feeder;
    return resultOf(await finishes(database), flushedAt);
  } finally {
    feeding.isOver = true;
    await database.part.stop();
    await stack.stop();
  }
}

async function flush(redisUrl: string): Promise<void> {
  const redis = new Redis(redisUrl, { maxRetriesPerRequest: 1 });
  await redis.flushall();
  redis.disconnect();
}

/** Creates a video for each that has ended. */
async function feed(
  { suite, apiKey, accountId }: BenchStack,
  { pool }: Database,
  feeding: { readonly isOver: boolean },
): Promise<void> {
  const create = async (): Promise<void> => {
    const response = await fetch(`${suite.baseUrl}/v1/videos`, {
      method: 'POST',
      headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
      body: JSON.stringify({
        model: 'sandbox-video',
        prompt: 'a red balloon',
        duration: 4,
        resolution: '480p',
      }),
    });
    if (!response.ok) throw new Error(`a video was refused: ${await response.text()}`);
    await response.arrayBuffer();
  };
  while (!feeding.isOver) {
    const { rows } = await pool.query<{ active: number }>(
      'SELECT active FROM account_videos WHERE account_id = $1',
      [accountId],
    );
    const missing = Math.max(0, unfinished - (rows[0]?.active ?? 0));
    await Promise.all(Array.from({ length: missing }, create));
    await sleep(feedEveryMs);
  }
}

interface Finish {
  readonly status: string;
  readonly at: Date;
}

async function finishes({ pool }: Database): Promise<Finish[]> {
  const { rows } = await pool.query<Finish>(
    'SELECT status, completed_at AS at FROM task WHERE completed_at IS NOT NULL ORDER BY completed_at',
  );
  return rows;
}

function resultOf(ended: readonly Finish[], flushedAt: number): PartResult {
  const times = ended.filter(({ status }) => status === 'succeeded').map(({ at }) => at.getTime());
  const perSecond = (fromSecond: number, seconds: number): number => {
    const from = flushedAt + fromSecond * 1_000;
    return times.filter((time) => time >= from && time < from + seconds * 1_000).length / seconds;
  };
  const before = perSecond(-beforeSeconds, beforeSeconds);
  const windows = Array.from({ length: target.below + 1 }, (_, second) =>
    perSecond(second, windowSeconds),
  );
  const failed = ended.length - times.length;
  return {
    figures: [
      { measure: 'videos before Redis forgets everything', unit: '1/s', value: before },
      { measure: 'the slowest ten seconds after it', unit: '1/s', value: Math.min(...windows) },
      {
        measure: 'full speed again after',
        unit: 's',
        value: fullSpeedAfter(windows, before * fullSpeed),
        target,
      },
    ],
    notes: [
      `Full speed: the beginning of the first ten seconds, once it had become slower, that bring at least ${fullSpeed * 100} % of what ${beforeSeconds} s before brought.`,
      ...(failed > 0 ? [`${failed} videos did not succeed.`] : []),
    ],
  };
}

/**
 * Of windows that begin a second apart: seconds until the first at full speed behind the first that
 * is not; 0 when all are, Infinity when none is.
 */
function fullSpeedAfter(windows: readonly number[], enough: number): number {
  const slow = windows.findIndex((perSecond) => perSecond < enough);
  if (slow === -1) return 0;
  const full = windows.findIndex((perSecond, second) => second > slow && perSecond >= enough);
  return full === -1 ? Infinity : full;
}
