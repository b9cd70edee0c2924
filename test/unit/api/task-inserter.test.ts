import { describe, expect, it } from '@jest/globals';
import type { NewTask } from '@gateway/contracts';
import type { BatchBounds } from '@gateway/runtime';
import type { InsertedTask } from '@gateway/store';
import { aNewTask, wideBounds } from '@gateway/testing';
import { createTaskInserter } from '../../../services/api/src/adapters/task-inserter.ts';

const isGone = Object.assign(new Error('value out of range'), { code: '22003' });

/**
 * A store that says which tasks went together, holds each statement up until it is let go, and
 * refuses a request named `broken`.
 */
function stage(bounds: Partial<BatchBounds> = {}) {
  const statements: {
    ids: string[];
    maxActive: number;
    letGo: (error?: Error) => Promise<void>;
  }[] = [];
  const insert = (tasks: readonly NewTask[], maxActive = NaN): Promise<InsertedTask[]> =>
    new Promise((resolve, reject) => {
      statements.push({
        ids: tasks.map(({ id }) => id),
        maxActive,
        async letGo(error) {
          if (error !== undefined) reject(error);
          else if (tasks.some(({ requestId }) => requestId === 'broken')) reject(isGone);
          else resolve(tasks.map(({ id }) => (id.startsWith('full') ? 'full' : undefined)));
          await new Promise(setImmediate);
        },
      });
    });
  const inserter = createTaskInserter(
    {
      insertTask: async (task, _claim, maxActive) => (await insert([task], maxActive))[0],
      insertTasks: (_accountId, tasks, maxActive) => insert(tasks, maxActive),
    },
    { ...wideBounds, mostWaiting: 200, ...bounds },
  );
  /** Asks for a task of this id, and remembers how that ended. */
  const ask = (
    id: string,
    {
      accountId = 'a',
      overrides = {},
      claim,
      maxActive = 9,
    }: {
      accountId?: string;
      overrides?: Partial<NewTask>;
      claim?: Parameters<typeof inserter>[1];
      maxActive?: number;
    } = {},
  ) => {
    const asked: { outcome?: unknown } = {};
    inserter(aNewTask(accountId, { id, ...overrides }), claim, maxActive).then(
      (response) => {
        asked.outcome = response ?? 'nothing';
      },
      (error: unknown) => {
        asked.outcome = error;
      },
    );
    return asked;
  };
  return { statements, ask };
}

describe('the inserter of tasks', () => {
  it('inserts the first at once, and together what comes meanwhile, each with its own result', async () => {
    const { statements, ask } = stage();
    const [one, two, full] = [ask('one'), ask('two'), ask('full')];
    expect(statements.map(({ ids }) => ids)).toEqual([['one']]);

    await statements[0]?.letGo();
    expect(statements.map(({ ids }) => ids)).toEqual([['one'], ['two', 'full']]);
    await statements[1]?.letGo();

    expect([one, two, full]).toEqual([
      { outcome: 'nothing' },
      { outcome: 'nothing' },
      { outcome: 'full' },
    ]);
  });

  it('inserts together what comes in one turn of the event loop, where it is gathered', async () => {
    const { statements, ask } = stage({ gather: () => new Promise(setImmediate) });
    const asked = [ask('one'), ask('two'), ask('full')];
    expect(statements).toEqual([]);
    await new Promise(setImmediate);
    asked.push(ask('three'));
    expect(statements.map(({ ids }) => ids)).toEqual([['one', 'two', 'full']]);

    for (const at of [0, 1]) await statements[at]?.letGo();
    expect(asked.map(({ outcome }) => outcome)).toEqual(['nothing', 'nothing', 'full', 'nothing']);
  });

  it('gathers at most as many as go together, the first among them', async () => {
    const { statements, ask } = stage({ gather: () => new Promise(setImmediate) });
    for (let at = 0; at < 101; at += 1) ask(`task ${at}`);
    await new Promise(setImmediate);
    await statements[0]?.letGo();
    expect(statements.map(({ ids }) => [ids[0], ids.length])).toEqual([
      ['task 0', 100],
      ['task 100', 1],
    ]);
  });

  it('keeps accounts apart, and tasks with a key or an asset by themselves', () => {
    const { statements, ask } = stage();
    ask('one');
    ask('two', { accountId: 'b' });
    ask('three', { claim: { accountId: 'a', key: 'k', bodyHash: new Uint8Array(32) } });
    const asset = {
      type: 'asset',
      assetId: 'asset_1',
      key: 'assets/1',
      mediaType: 'image/png',
      sizeBytes: 5,
      sha256: 'b'.repeat(64),
    } as const;
    ask('four', {
      overrides: {
        request: {
          ...aNewTask('a').request,
          references: [{ kind: 'image', role: 'reference_image', source: asset }],
        },
      },
    });

    expect(statements.map(({ ids }) => ids)).toEqual([['one'], ['two'], ['three'], ['four']]);
  });

  it('holds a batch to the limit of the newest configuration', async () => {
    const { statements, ask } = stage();
    ask('one');
    ask('two', { maxActive: 50 });
    ask('three', { maxActive: 5 });
    await statements[0]?.letGo();

    expect(statements.map(({ maxActive }) => maxActive)).toEqual([9, 5]);
  });

  it('inserts each by itself when the database refuses a value of one of them', async () => {
    const { statements, ask } = stage();
    ask('one');
    const [good, bad, other] = [
      ask('good'),
      ask('bad', { overrides: { requestId: 'broken' } }),
      ask('other'),
    ];
    for (let at = 0; at < 5; at += 1) await statements[at]?.letGo();

    expect(statements.map(({ ids }) => ids)).toEqual([
      ['one'],
      ['good', 'bad', 'other'],
      ['good'],
      ['bad'],
      ['other'],
    ]);
    expect([good, bad, other]).toEqual([
      { outcome: 'nothing' },
      { outcome: isGone },
      { outcome: 'nothing' },
    ]);
  });

  it('tells all of a batch that the database is away, and serves who comes after', async () => {
    const { statements, ask } = stage();
    ask('one');
    const lost = [ask('two'), ask('three')];
    await statements[0]?.letGo();
    const later = ask('later');
    const away = new Error('connection terminated');
    await statements[1]?.letGo(away);
    await statements[2]?.letGo();

    expect(lost).toEqual([{ outcome: away }, { outcome: away }]);
    expect(later).toEqual({ outcome: 'nothing' });
    expect(statements).toHaveLength(3);
  });
});
