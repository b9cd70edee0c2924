import { describe, expect, it } from '@jest/globals';
import { recordingLog } from '@gateway/testing';
import { aUsageRecord } from '../../integration/store/usage.ts';
import { createSavedUsage } from '../../../services/api/src/adapters/saved-usage.ts';

/** Until all promises that can settle have. */
const settled = (): Promise<void> =>
  new Promise((resolve) => {
    setImmediate(resolve);
  });

/** With a database in which these requests run, as far as it knows. */
function aWatch({ open = [] as string[] } = {}) {
  const log = recordingLog();
  const state = { nowMs: 0, isAway: false };
  const asked: (readonly string[])[] = [];
  const saved: { readonly ids: string[]; readonly closed: readonly string[] }[] = [];
  const usage = createSavedUsage({
    findOpen: (ids) => {
      asked.push(ids);
      return state.isAway
        ? Promise.reject(new Error('connect ECONNREFUSED'))
        : Promise.resolve(ids.filter((id) => open.includes(id)));
    },
    save: ({ records }, closed) => {
      saved.push({ ids: records.map(({ id }) => id), closed });
      return Promise.resolve();
    },
    log,
    nowMs: () => state.nowMs,
  });
  const checkAt = async (ms: number): Promise<void> => {
    state.nowMs = ms;
    usage.check();
    await settled();
  };
  return { usage, log, state, asked, saved, checkAt };
}

const note = ({ usage }: ReturnType<typeof aWatch>, ...ids: string[]): void => {
  const records = ['short', ...ids].map((id) => aUsageRecord('acct_x', { id }));
  usage.note({ id: 'batch_x', records }, ids);
};

describe('text usage that was saved', () => {
  it('is looked for once, a minute later', async () => {
    const watch = aWatch();
    note(watch, 'a', 'b');

    await watch.checkAt(59_999);
    expect(watch.asked).toEqual([]);
    await watch.checkAt(60_000);
    await watch.checkAt(200_000);

    expect(watch.asked).toEqual([['a', 'b']]);
    expect(watch.saved).toEqual([]);
    expect(watch.log.lines).toEqual([]);
  });

  it('is saved again, and closes what ran, where the database has forgotten it', async () => {
    const watch = aWatch({ open: ['b'] });
    note(watch, 'a', 'b');

    await watch.checkAt(60_000);

    expect(watch.saved).toEqual([{ ids: ['b'], closed: ['b'] }]);
    expect(watch.log.lines).toMatchObject([
      { message: 'text usage that the database has forgotten saved again' },
    ]);
  });

  it('is looked for again while the database is away', async () => {
    const watch = aWatch({ open: ['a'] });
    note(watch, 'a');
    watch.state.isAway = true;
    await watch.checkAt(60_000);
    watch.state.isAway = false;

    await watch.checkAt(61_000);

    expect(watch.saved).toEqual([{ ids: ['a'], closed: ['a'] }]);
  });

  it('is asked for in parts, one after the other', async () => {
    const watch = aWatch();
    note(watch, ...Array.from({ length: 501 }, (_, number) => `usage-${number}`));
    watch.state.nowMs = 60_000;

    watch.usage.check();
    watch.usage.check();
    expect(watch.asked.map(({ length }) => length)).toEqual([500]);
    await settled();
    await watch.checkAt(61_000);

    expect(watch.asked.map(({ length }) => length)).toEqual([500, 1]);
  });

  it('is let go when there is too much of it, the oldest first', async () => {
    const watch = aWatch();
    note(watch, 'oldest');
    note(watch, ...Array.from({ length: 10_000 }, (_, number) => `usage-${number}`));

    await watch.checkAt(60_000);

    expect(watch.asked[0]?.[0]).toBe('usage-0');
  });
});
