import { beforeEach, describe, expect, it } from '@jest/globals';
import { createConnectionBudget, type Budget } from '../../../packages/mcp/src/budget.ts';
import type { Video } from '../../../packages/mcp/src/gateway.ts';
import { aVideo, refusal } from './stage.ts';

const hour = 3_600_000;
const signal = new AbortController().signal;
const of = (max: number, billed?: number): Pick<Video, 'portal_billing'> => ({
  portal_billing: {
    max_billing_quota: max,
    ...(billed !== undefined && { billed_quota: billed }),
  },
});

let now: number;
let asked: string[];
/** What the gateway says of each video; an error is thrown. */
let videos: Record<string, Video | Error>;
let budget: Budget;
beforeEach(() => {
  now = 0;
  asked = [];
  videos = {};
  budget = createConnectionBudget(100, {
    now: () => now,
    current: (id) => {
      asked.push(id);
      const found = videos[id] ?? aVideo({ id });
      return found instanceof Error ? Promise.reject(found) : Promise.resolve(found);
    },
  });
});

const left = async (): Promise<number> => {
  const refused = await budget.hold('probe', 1_000_000, signal).catch((error: unknown) => error);
  return Number(/(-?\d+) of this/.exec((refused as Error).message)?.[1]);
};

describe('the budget of a connection', () => {
  it('says which call has set the quota of a creation aside', async () => {
    expect(await budget.hold('boat', 60, signal)).toBe(true);
    expect(await budget.hold('boat', 60, signal)).toBe(false);
    expect(await left()).toBe(40);
  });

  it('counts a creation that is repeated after its end once', async () => {
    const done = aVideo({ status: 'succeeded', ...of(60, 50) });
    await budget.hold('boat', 60, signal);
    await budget.made('boat', done);
    expect(await left()).toBe(50);

    expect(await budget.hold('boat', 60, signal)).toBe(false);
    expect(await budget.made('boat', done)).toBe(true);
    await budget.seen(done);
    await budget.release('boat');

    expect(await left()).toBe(50);
  });

  it('refuses a key once the gateway may have forgotten it', async () => {
    await budget.hold('boat', 60, signal);
    await budget.made('boat', aVideo({ status: 'succeeded', ...of(60, 60) }));
    now = 22.9 * hour;
    expect(await budget.hold('boat', 60, signal)).toBe(false);

    now = 23.1 * hour;
    await expect(budget.hold('boat', 60, signal)).rejects.toMatchObject({
      code: 'idempotency_key_reused',
      param: 'idempotency_key',
    });
    now = 25.1 * hour;
    await expect(budget.hold('boat', 60, signal)).rejects.toThrow('40 of this');
    expect(await budget.hold('boat', 40, signal)).toBe(true);
  });

  it('gives nothing back that became a video', async () => {
    await budget.hold('boat', 60, signal);
    await budget.made('boat', aVideo(of(60)));
    await budget.release('boat');

    expect(await left()).toBe(40);
  });

  it('counts a video whose quota was given back while it was made', async () => {
    await budget.hold('boat', 60, signal);
    await budget.release('boat');
    await budget.hold('other', 80, signal);

    expect(await budget.made('boat', aVideo(of(60)))).toBe(false);
    expect(await left()).toBe(-40);
  });

  it('settles what has ended, and what is gone for all that was set aside, once', async () => {
    for (const [key, quota] of Object.entries({ one: 30, two: 30, three: 30 })) {
      await budget.hold(key, quota, signal);
      await budget.made(key, aVideo({ id: `video_${key}`, ...of(quota) }));
    }
    videos['video_one'] = aVideo({ id: 'video_one', status: 'failed', ...of(30, 0) });
    videos['video_two'] = refusal(404, 'task_not_found');
    videos['video_three'] = aVideo({ id: 'video_three', status: 'running', ...of(30) });

    expect(await left()).toBe(40);
    expect(await left()).toBe(40);

    expect(asked).toEqual(['video_one', 'video_two', 'video_three', 'video_three']);
  });

  it('asks no more once nobody waits', async () => {
    const gone = new AbortController();
    for (const key of ['one', 'two']) {
      await budget.hold(key, 50, signal);
      await budget.made(key, aVideo({ id: `video_${key}`, ...of(50) }));
    }
    videos['video_one'] = Object.defineProperty(aVideo({ id: 'video_one' }), 'status', {
      get: () => {
        gone.abort();
        return 'running';
      },
    });

    await expect(budget.hold('three', 50, gone.signal)).rejects.toThrow('0 of this');

    expect(asked).toEqual(['video_one']);
  });
});
