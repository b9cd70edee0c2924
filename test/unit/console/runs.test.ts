import { describe, expect, it } from '@jest/globals';
import type { Video } from '@gateway/client';
import { inColumns, newRun, placeOf } from '../../../services/console/src/gateway/runs.ts';

const madeAt = Date.parse('2026-05-01T12:00:00Z');

describe('a run', () => {
  it('is looked for between the click and the last attempt of its creations', () => {
    const run = newRun(madeAt + 999, 3);

    expect(placeOf(run)).toEqual({
      filter: {
        metadata: { console_run: run },
        created_after: '2026-05-01T11:59:00.000Z',
        created_before: '2026-05-01T12:16:00.000Z',
      },
      columns: 3,
      mostPages: 20,
    });
  });

  it('has a name of its own, however many begin at one moment', () => {
    const names = Array.from({ length: 1_000 }, () => newRun(madeAt, 1));

    expect(new Set(names).size).toBe(1_000);
  });

  it.each(['', 'sdk-123', 'zzzz', '0123456789ab', '-1-', 'zzzzzzzzzzzz-1-x'])(
    'that is called %p is looked for in one page',
    (run) => {
      expect(placeOf(run)).toEqual({
        filter: { metadata: { console_run: run } },
        columns: 1,
        mostPages: 1,
      });
    },
  );

  it('is shown in the order of its columns', () => {
    const videos = ['2', '0', undefined, '1'].map(
      (column) => ({ metadata: column === undefined ? {} : { console_column: column } }) as Video,
    );

    expect(inColumns(videos).map(({ metadata }) => metadata['console_column'])).toEqual([
      '0',
      undefined,
      '1',
      '2',
    ]);
  });
});
