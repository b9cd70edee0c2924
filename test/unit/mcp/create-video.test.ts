import { describe, expect, it } from '@jest/globals';
import { createConnectionBudget, type Budget } from '../../../packages/mcp/src/budget.ts';
import type { Gateway, Video } from '../../../packages/mcp/src/gateway.ts';
import { aConnection, aGateway, aVideo, createVideo, refusal } from './stage.ts';

const signal = new AbortController().signal;
const aBudget = (most = 100, video: Video = aVideo()): Budget =>
  createConnectionBudget(most, { current: () => Promise.resolve(video), now: Date.now });
/** Whether all of a budget is left. */
const isFree = async (budget: Budget, most = 100): Promise<boolean> =>
  budget.hold('all of it', most, signal).catch(() => false);
const noWait = { wait_seconds: 0 };

describe('create_video, when the creation fails', () => {
  it.each([
    ['too many videos', refusal(429, 'too_many_tasks')],
    ['too little quota', refusal(402, 'insufficient_quota')],
    ['a bad request', refusal(400, 'invalid_parameter')],
  ])('gives back what was set aside after %s', async (_title, error) => {
    const budget = aBudget();
    const gateway = aGateway({ create: () => Promise.reject(error) });

    await expect(createVideo(aConnection({ gateway, budget }))).rejects.toBe(error);

    expect(await isFree(budget)).toBe(true);
  });

  it.each([
    ['a broken connection', new Error('socket hang up')],
    ['too many requests', refusal(429, 'rate_limit_exceeded')],
    ['a request that took too long', refusal(408, 'request_timeout')],
    ['an outcome that the gateway does not know', refusal(503, 'outcome_unknown')],
    ['a failure of the gateway', refusal(500, 'internal')],
  ])('keeps it after %s, and names the key to ask again with', async (_title, error) => {
    const budget = aBudget();
    const gateway = aGateway({ create: () => Promise.reject(error) });

    await expect(
      createVideo(aConnection({ gateway, budget }), { idempotency_key: 'boat "1"' }),
    ).rejects.toMatchObject({
      code: 'unknown_outcome',
      message: expect.stringContaining(JSON.stringify('boat "1"')),
      cause: error,
    });
    await expect(createVideo(aConnection({ gateway }))).rejects.toThrow('"made-up"');

    expect(await isFree(budget)).toBe(false);
  });

  it('asks with that key for the same creation, which is counted once', async () => {
    const asked: string[] = [];
    let isLost = true;
    const gateway = aGateway({
      create: (_request, key) => {
        asked.push(key);
        return isLost ? Promise.reject(new Error('gone')) : Promise.resolve(aVideo());
      },
    });
    const connection = aConnection({ gateway, budget: aBudget(60) });
    await expect(createVideo(connection, noWait)).rejects.toThrow();
    isLost = false;

    const again = await createVideo(connection, { ...noWait, idempotency_key: 'made-up' });

    expect(again.resource['id']).toBe('video_1');
    expect(asked).toEqual(['made-up', 'made-up']);
  });

  it('leaves alone what another call with the same key has set aside', async () => {
    const budget = aBudget();
    let answer: (video: Video) => void = () => undefined;
    const slow: Gateway['create'] = () => new Promise((resolve) => (answer = resolve));
    const same = { ...noWait, idempotency_key: 'boat' };
    const first = createVideo(aConnection({ budget, gateway: aGateway({ create: slow }) }), same);
    await new Promise(setImmediate);
    const create = () => Promise.reject(refusal(409, 'idempotency_key_reused'));

    await expect(
      createVideo(aConnection({ budget, gateway: aGateway({ create }) }), same),
    ).rejects.toThrow('idempotency_key_reused');

    expect(await isFree(budget)).toBe(false);
    answer(aVideo());
    expect((await first).resource['id']).toBe('video_1');
  });
});

describe('create_video, when the price rose between quote and creation', () => {
  const dear = aVideo({ portal_billing: { max_billing_quota: 150 } });
  const rising = (cancel: Gateway['cancel']) =>
    aGateway({ create: () => Promise.resolve(dear), cancel });

  it('cancels what is beyond the budget', async () => {
    const cancelled: string[] = [];
    const budget = aBudget(100, aVideo({ status: 'cancelled' }));
    const gateway = rising((id) => {
      cancelled.push(id);
      return Promise.resolve(aVideo({ status: 'cancelled' }));
    });

    await expect(createVideo(aConnection({ gateway, budget }))).rejects.toMatchObject({
      code: 'budget_exceeded',
      message: expect.stringContaining('video_1 was cancelled'),
    });

    expect(cancelled).toEqual(['video_1']);
    expect(await isFree(budget)).toBe(true);
  });

  it.each([
    ['is refused', () => Promise.reject(refusal(409, 'not_cancellable'))],
    ['is not granted', () => Promise.resolve(aVideo({ status: 'running' }))],
  ])('returns the video when its cancellation %s', async (_title, cancel) => {
    const budget = aBudget();

    const said = await createVideo(aConnection({ gateway: rising(cancel), budget }), noWait);

    expect(said.resource['id']).toBe('video_1');
    expect(said.hint).toContain('its price rose after the quote');
    expect(await isFree(budget)).toBe(false);
  });

  it('keeps what is within the budget', async () => {
    const budget = aBudget(150);

    const said = await createVideo(aConnection({ gateway: rising(aGateway().cancel), budget }), {
      ...noWait,
    });

    expect(said.resource['id']).toBe('video_1');
    await expect(budget.hold('another', 1, signal)).rejects.toThrow('0 of this');
  });
});

describe('create_video, once the video is created, returns it', () => {
  it('as far as it was seen when the wait breaks off', async () => {
    const gateway = aGateway({
      wait: (_id, onChange) => {
        onChange(aVideo({ status: 'running' }));
        return Promise.reject(refusal(502, 'upstream_error'));
      },
    });

    const { resource, hint } = await createVideo(aConnection({ gateway }));

    expect(resource).toMatchObject({ id: 'video_1', status: 'running' });
    expect(hint).toMatch(/broke off: it said upstream_error.*get_video/s);
  });

  it('without its file when that cannot be saved', async () => {
    const files = {
      read: () => Promise.reject(new Error('unused')),
      check: () => Promise.resolve(),
      save: () => Promise.reject(new Error('the disk is full')),
    };

    const { resource, hint } = await createVideo(aConnection({ files }), { save_as: 'a.mp4' });

    expect(resource).toEqual(aVideo({ status: 'succeeded' }));
    expect(hint).toMatch(/the disk is full.*save_as tries again/);
  });

  it('when the budget cannot be brought up to date', async () => {
    const budget = { ...aBudget(), made: () => Promise.reject(new Error('no database')) };

    const { resource, hint } = await createVideo(aConnection({ budget }), noWait);

    expect(resource['id']).toBe('video_1');
    expect(hint).toContain('no database');
  });
});

describe('the idempotency key of create_video', () => {
  it.each(['', 'Boot für zwei', 'boat ⛵', 'a\nb', ' boat', 'boat ', 'x'.repeat(256)])(
    'cannot be %j',
    async (key) => {
      let isAsked = false;
      const gateway = aGateway({
        quote: () => {
          isAsked = true;
          return Promise.reject(new Error('asked'));
        },
      });

      await expect(
        createVideo(aConnection({ gateway }), { idempotency_key: key }),
      ).rejects.toMatchObject({ code: 'invalid_parameter', param: 'idempotency_key' });
      expect(isAsked).toBe(false);
    },
  );

  it.each(['a', 'boat 1: the "first"', 'x'.repeat(255)])('can be %j', async (key) => {
    expect(
      (await createVideo(aConnection(), { ...noWait, idempotency_key: key })).resource['id'],
    ).toBe('video_1');
  });
});
