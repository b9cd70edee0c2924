import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { createVideoProvider, type VideoProvider } from '@gateway/video-providers';
// The registry gives no access to the pace of listing, and a test cannot wait a second for each
// page.
import { createArkProvider } from '../../../packages/video-providers/src/ark/provider.ts';
import {
  startScriptedVendor,
  type ScriptedResponse,
  type ScriptedVendor,
} from '../../contracts/scripted-vendor.ts';
import { arkError, arkScript, arkTask } from './ark-script.ts';

const since = new Date('2026-01-01T12:00:00Z');
const correlation = 'video_wanted';
const id = 'cgt-20260101000000-abcde';
const soon = (): AbortSignal => AbortSignal.timeout(5_000);

let vendor: ScriptedVendor;
beforeEach(async () => {
  vendor = await startScriptedVendor(arkScript.callOf);
});
afterEach(() => vendor.stop());

interface PageOptions {
  readonly count?: number;
  readonly total?: number;
  /** Of the first item, relative to the submission; each further item is a second older. */
  readonly startsAtSeconds?: number;
  /** Positions of items with the correlation that is looked for. */
  readonly wantedAt?: readonly number[];
  readonly name?: string;
}

const aPage = ({
  count = 100,
  total = 1_000,
  startsAtSeconds = 2_000,
  wantedAt = [],
  name = 'p',
}: PageOptions): ScriptedResponse => ({
  status: 200,
  body: {
    total,
    items: Array.from({ length: count }, (_, index) => ({
      id: wantedAt.includes(index) ? `cgt-wanted-${name}` : `cgt-${name}-${index}`,
      safety_identifier: wantedAt.includes(index) ? correlation : `video_${name}_${index}`,
      created_at: since.getTime() / 1_000 + startsAtSeconds - index,
    })),
  },
});

const listPaths = (): string[] => vendor.seen.map(({ path }) => path.replace(/^.*\?/, ''));

describe('finding a lost submission at Ark', () => {
  const find = (listPauseMs = 0, signal = soon()) =>
    createArkProvider(
      { baseUrl: `${vendor.url}/api/v3/`, apiKey: 'key-0123456789', timeoutMs: 5_000 },
      { listPauseMs },
    ).find!({ correlation, since }, signal);

  it('reads page after page, back to the time of the submission', async () => {
    vendor.on(
      'list',
      aPage({}),
      aPage({ startsAtSeconds: 1_000, wantedAt: [7] }),
      aPage({ startsAtSeconds: -250 }),
      aPage({ wantedAt: [0], name: 'beyond' }),
    );

    expect(await find()).toEqual({ kind: 'found', vendorTaskId: 'cgt-wanted-p' });
    expect(listPaths()).toEqual([
      'page_num=1&page_size=100',
      'page_num=2&page_size=100',
      'page_num=3&page_size=100',
    ]);
  });

  it('allows for a vendor clock that is a few minutes behind', async () => {
    vendor.on(
      'list',
      aPage({ startsAtSeconds: -150 }),
      aPage({ startsAtSeconds: -251, wantedAt: [3] }),
    );

    expect(await find()).toMatchObject({ kind: 'found' });
  });

  it('counts a task once that moved to the next page meanwhile', async () => {
    vendor.on('list', aPage({ wantedAt: [99] }), aPage({ wantedAt: [0], count: 3, total: 103 }));

    expect(await find()).toMatchObject({ kind: 'found' });
    expect(vendor.seen).toHaveLength(2);
  });

  it('sees several that stand on different pages', async () => {
    vendor.on(
      'list',
      aPage({ wantedAt: [1], name: 'a' }),
      aPage({ wantedAt: [1], name: 'b', count: 5, total: 105 }),
    );

    expect(await find()).toEqual({
      kind: 'several',
      vendorTaskIds: ['cgt-wanted-a', 'cgt-wanted-b'],
    });
  });

  it('goes on when the vendor gives fewer than were asked for', async () => {
    vendor.on(
      'list',
      aPage({ count: 50, total: 70 }),
      aPage({ count: 20, total: 70, wantedAt: [19] }),
    );

    expect(await find()).toMatchObject({ kind: 'found' });
  });

  it('stops at an empty page, whatever the total says', async () => {
    vendor.on('list', aPage({}), aPage({ count: 0 }));

    expect(await find()).toEqual({ kind: 'none' });
    expect(vendor.seen).toHaveLength(2);
  });

  it('does not say "none" where no page reaches back to the submission', async () => {
    vendor.on('list', aPage({ total: 100_000 }));

    expect(await find()).toMatchObject({ kind: 'out_of_reach' });
    expect(vendor.seen.length).toBeLessThan(20);
  });

  it('does not say "none" before it has seen everything of that time', async () => {
    vendor.on('list', aPage({ total: 100_000, startsAtSeconds: 300 }));

    expect(await find()).toEqual({
      kind: 'out_of_reach',
      detail: 'not among the 2000 tasks that were read, and there are more of that time',
    });
    expect(vendor.seen).toHaveLength(20);
  });

  it('does not say "none" when a later page fails', async () => {
    vendor.on('list', aPage({}), {
      ...arkError(429, 'RateLimitExceeded'),
      headers: { 'retry-after': '2' },
    });

    expect(await find()).toMatchObject({ kind: 'error', retryAfterMs: 2_000 });
  });

  it('keeps to the vendor’s one listing a second', async () => {
    vendor.on('list', aPage({}), aPage({ count: 0 }));
    const startedAt = performance.now();

    await find(100);

    expect(performance.now() - startedAt).toBeGreaterThanOrEqual(99);
  });

  it('ends with an error when it is called off between two pages', async () => {
    vendor.on('list', aPage({}));

    expect(await find(60_000, AbortSignal.timeout(200))).toMatchObject({ kind: 'error' });
    expect(vendor.seen).toHaveLength(1);
  });

  it('skips items it cannot read', async () => {
    vendor.on('list', {
      status: 200,
      body: {
        items: [
          null,
          3,
          { id: '' },
          { id: 'cgt-1', safety_identifier: correlation, created_at: 'yesterday' },
        ],
      },
    });

    expect(await find()).toEqual({ kind: 'found', vendorTaskId: 'cgt-1' });
  });
});

describe('cancelling at Ark', () => {
  let provider: VideoProvider;
  beforeEach(() => {
    provider = createVideoProvider('ark', {
      baseUrl: `${vendor.url}/api/v3`,
      apiKey: 'key-0123456789',
      timeoutMs: 5_000,
    });
  });

  it('looks first, then deletes', async () => {
    vendor.on('poll', arkTask(id, { status: 'queued' }));
    vendor.on('cancel', { status: 204 });

    expect(await provider.cancel(id, soon())).toEqual({ kind: 'cancelled' });
    expect(vendor.seen.map(({ method, path }) => `${method} ${path}`)).toEqual([
      `GET /api/v3/contents/generations/tasks/${id}`,
      `DELETE /api/v3/contents/generations/tasks/${id}`,
    ]);
  });

  it.each(['running', 'succeeded', 'failed', 'expired', 'contemplating'])(
    'never deletes a task that is %s, which would erase it',
    async (status) => {
      vendor.on(
        'poll',
        arkTask(id, { status, content: { video_url: 'https://files.example/v.mp4' } }),
      );
      vendor.on('cancel', { status: 204 });

      expect(await provider.cancel(id, soon())).toMatchObject({ kind: 'not_cancellable' });
      expect(vendor.count('cancel')).toBe(0);
    },
  );

  it('takes a task that is cancelled already as cancelled', async () => {
    vendor.on('poll', arkTask(id, { status: 'cancelled' }));

    expect(await provider.cancel(id, soon())).toEqual({ kind: 'cancelled' });
    expect(vendor.count('cancel')).toBe(0);
  });

  it('cannot cancel a task that the vendor does not know', async () => {
    vendor.on('poll', arkError(404, 'ResourceNotFound'));

    expect(await provider.cancel(id, soon())).toMatchObject({ kind: 'not_cancellable' });
    expect(vendor.count('cancel')).toBe(0);
  });

  it.each([400, 404, 409])(
    'takes a %i to the deletion as a task that just started',
    async (status) => {
      vendor.on('poll', arkTask(id, { status: 'queued' }));
      vendor.on('cancel', arkError(status, 'InvalidAction'));

      expect(await provider.cancel(id, soon())).toMatchObject({ kind: 'not_cancellable' });
    },
  );

  it('keeps an id with odd characters inside its part of the path', async () => {
    vendor.on('poll', arkTask('a/../b?c', { status: 'running' }));

    await provider.poll('a/../b?c', soon());

    expect(vendor.seen[0]!.path).toBe('/api/v3/contents/generations/tasks/a%2F..%2Fb%3Fc');
  });
});

describe('looking at many tasks at Ark', () => {
  const provider = () =>
    createVideoProvider('ark', {
      baseUrl: `${vendor.url}/api/v3`,
      apiKey: 'key-0123456789',
      timeoutMs: 5_000,
    });
  const outcomes = async (...items: readonly object[]) => {
    vendor.on('list', { status: 200, body: { total: items.length, items } });
    const response = await provider().pollMany!.poll(['cgt-1', 'cgt-2'], soon());
    return response.kind === 'answered' ? Object.fromEntries(response.outcomes) : response;
  };

  it('asks the list once a second at most', () => {
    expect(provider().pollMany).toMatchObject({ maxIds: 180, perSecond: 1 });
  });

  it('asks for one page as long as the ids are many', async () => {
    await outcomes();

    expect(listPaths()).toEqual([
      'page_num=1&page_size=2&filter.task_ids=cgt-1&filter.task_ids=cgt-2',
    ]);
  });

  it('reads items that leave out what a single look shows, and a reason in the place of an error', async () => {
    expect(
      await outcomes(
        {
          id: 'cgt-1',
          status: 'succeeded',
          content: { video_url: 'https://files.example/v.mp4' },
          usage: { completion_tokens: 7 },
        },
        { id: 'cgt-2', status: 'failed', failure_reason: 'OutputVideoSensitiveContentDetected' },
      ),
    ).toEqual({
      'cgt-1': {
        kind: 'succeeded',
        output: { videoUrl: 'https://files.example/v.mp4', completionTokens: 7 },
      },
      'cgt-2': expect.objectContaining({ kind: 'failed', failure: 'content_policy' }),
    });
  });
});
