import { describe, expect, it } from '@jest/globals';
import { pageSql } from '../../../packages/store/src/database/page.ts';

const list = { select: 'SELECT * FROM task', idColumn: 'id' };

describe('the statement that reads a page', () => {
  it('has no condition that was not asked for', () => {
    expect(
      pageSql({
        ...list,
        where: { 'status =': undefined, 'model =': undefined },
        cursors: { limit: 20 },
      }),
    ).toEqual({ text: 'SELECT * FROM task ORDER BY id DESC LIMIT $1', values: [21] });
    expect(
      pageSql({
        ...list,
        where: { 'status =': undefined, 'model =': 'm' },
        cursors: { limit: 20, after: undefined },
      }),
    ).toEqual({
      text: 'SELECT * FROM task WHERE model = $1 ORDER BY id DESC LIMIT $2',
      values: ['m', 21],
    });
  });

  it('always has the condition of the list, and the cursors beside the filters', () => {
    const { text, values } = pageSql({
      ...list,
      always: 'deleted_at IS NULL',
      where: { 'account_id =': 'acct_1', 'id >=': 'video_0' },
      cursors: { limit: 5, after: 'video_9', before: 'video_1' },
    });

    expect(text).toBe(
      'SELECT * FROM task WHERE deleted_at IS NULL AND account_id = $1 AND id >= $2 AND id < $3 AND id > $4 ORDER BY id DESC LIMIT $5',
    );
    expect(values).toEqual(['acct_1', 'video_0', 'video_9', 'video_1', 6]);
  });

  it('reads upwards from `before`, by the column as it is collated', () => {
    expect(
      pageSql({
        select: 'SELECT 1 FROM a',
        idColumn: 'a.id COLLATE "C"',
        cursors: { limit: 1, before: 17 },
      }),
    ).toEqual({
      text: 'SELECT 1 FROM a WHERE a.id COLLATE "C" > $1 ORDER BY a.id COLLATE "C" ASC LIMIT $2',
      values: [17, 2],
    });
  });
});
