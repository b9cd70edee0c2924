import { describe, expect, it } from '@jest/globals';
import {
  given,
  readPage,
  type PageCursors,
  type PageRead,
} from '../../../packages/store/src/database/page.ts';

/** What a page asks of a table that has these rows, and what becomes of them. */
async function reading(cursors: PageCursors<number>, rows: number[]) {
  const asked: PageRead<number>[] = [];
  const page = await readPage(cursors, (read) => {
    asked.push(read);
    return Promise.resolve(rows);
  });
  return { asked, page };
}

describe('the statement that reads a page', () => {
  it('has no condition that was not asked for', async () => {
    expect(given({ status: undefined, model: undefined })).toEqual({});
    expect(Object.keys(given({ status: undefined, model: 'm' }))).toEqual(['model']);

    const { asked } = await reading({ limit: 20, after: undefined }, []);
    expect(asked).toEqual([{ ids: {}, order: 'desc', take: 21 }]);
    expect(Object.keys(asked[0]!.ids)).toEqual([]);
  });

  it('has both cursors when both are asked for, and reads downwards then', async () => {
    const { asked, page } = await reading({ limit: 5, after: 9, before: 1 }, [8, 7]);

    expect(asked).toEqual([{ ids: { lt: 9, gt: 1 }, order: 'desc', take: 6 }]);
    expect(page).toEqual({ items: [8, 7], hasMore: false });
  });

  it('reads upwards from `before`, and returns the newest first', async () => {
    const { asked, page } = await reading({ limit: 2, before: 17 }, [18, 19, 20]);

    expect(asked).toEqual([{ ids: { gt: 17 }, order: 'asc', take: 3 }]);
    expect(page).toEqual({ items: [19, 18], hasMore: true });
  });
});
