import { describe, expect, it } from '@jest/globals';
import { appendFile, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  createFileJournal,
  noJournal,
} from '../../../services/sandbox-vendor/src/tasks/journal.ts';
import { readListQuery } from '../../../services/sandbox-vendor/src/ark/list-query.ts';
import {
  createLifecycle,
  type LifecycleOptions,
} from '../../../services/sandbox-vendor/src/tasks/lifecycle.ts';
import { plannedOutcome } from '../../../services/sandbox-vendor/src/tasks/outcome.ts';
import type { Task, TaskStatus } from '../../../services/sandbox-vendor/src/tasks/task.ts';
import { createTaskStore } from '../../../services/sandbox-vendor/src/tasks/task-store.ts';
import { videoTokens } from '../../../services/sandbox-vendor/src/ark/usage.ts';

const dayMs = 86_400_000;

function aTask(id: string, fields: Partial<Task> = {}): Task {
  const parameters: Task['parameters'] = {
    resolution: '720p',
    ratio: '16:9',
    seconds: 5,
    seed: 1,
    watermark: false,
    returnLastFrame: false,
    serviceTier: 'default',
    expiresAfterSeconds: 172_800,
    priority: 0,
    echo: {},
  };
  return {
    id,
    format: 'ark',
    model: 'm',
    requestedModel: 'm',
    prompt: '',
    directives: {},
    parameters,
    createdAtMs: 0,
    updatedAtMs: 0,
    status: 'queued',
    ...fields,
  };
}

function aStore({ maxTasks = 100, nowMs = 0 } = {}) {
  const clock = { ms: nowMs };
  return { clock, store: createTaskStore({ journal: noJournal, maxTasks, now: () => clock.ms }) };
}

describe('tokens of a video', () => {
  it.each([
    { resolution: '720p', ratio: '16:9', seconds: 5, tokens: 108_900 },
    { resolution: '720p', ratio: '9:16', seconds: 5, tokens: 108_900 },
    { resolution: '480p', ratio: '16:9', seconds: 4, tokens: 40_594 },
    { resolution: '480p', ratio: '21:9', seconds: 4, tokens: 40_594 },
    { resolution: '720p', ratio: '4:3', seconds: 5, tokens: 109_586 },
    { resolution: '1080p', ratio: '1:1', seconds: 10, tokens: 488_025 },
    { resolution: '4k', ratio: '21:9', seconds: 15, tokens: 2_924_180 },
  ] as const)('are $tokens for $seconds s of $resolution at $ratio', ({ tokens, ...video }) => {
    expect(videoTokens(video)).toBe(tokens);
  });
});

describe('the planned end of a task', () => {
  it.each([
    [{}, { kind: 'succeeded', renderedSeconds: 5, reportedSeconds: 5, hasVideo: true }],
    [
      { actual: 7.5 },
      { kind: 'succeeded', renderedSeconds: 7.5, reportedSeconds: 7, hasVideo: true },
    ],
    [
      { actual: 3, claim: 9 },
      { kind: 'succeeded', renderedSeconds: 3, reportedSeconds: 9, hasVideo: true },
    ],
    [
      { 'no-output': 1 },
      { kind: 'succeeded', renderedSeconds: 5, reportedSeconds: 5, hasVideo: false },
    ],
    [{ expire: 1, fail: 1 }, { kind: 'expired' }],
    [{ stall: 1, expire: 1 }, { kind: 'never' }],
  ])('is by %j %j', (directives, outcome) => {
    expect(plannedOutcome(aTask('a', { directives }))).toEqual(outcome);
  });
});

describe('the query of a list', () => {
  it('has defaults, and takes ids once or again and again', () => {
    expect(readListQuery({})).toEqual({ page: 1, pageSize: 10 });
    expect(
      readListQuery({
        page_num: '3',
        page_size: '500',
        'filter.status': 'expired',
        'filter.task_ids': 'a',
        'filter.model': 'm',
        'filter.service_tier': 'flex',
      }),
    ).toEqual({
      page: 3,
      pageSize: 500,
      status: 'expired',
      taskIds: ['a'],
      model: 'm',
      serviceTier: 'flex',
    });
    expect(readListQuery({ 'filter.task_ids': ['a', 'b'] }).taskIds).toEqual(['a', 'b']);
  });

  it.each([
    ['page_num', '0'],
    ['page_num', '501'],
    ['page_size', 'x'],
    ['page_size', ['1', '2']],
    ['filter.status', 'done'],
  ])('refuses %s=%j', (param, value) => {
    expect(() => readListQuery({ [param]: value })).toThrow(
      expect.objectContaining({ code: 'InvalidParameter', param }),
    );
  });
});

describe('the tasks a vendor remembers', () => {
  const ids = (tasks: readonly Task[]): string[] => tasks.map(({ id }) => id);

  it('are listed newest first and narrowed by every filter', () => {
    const { store } = aStore();
    store.put(aTask('a', { status: 'failed' }));
    store.put(aTask('b', { requestedModel: 'ep-1' }));
    store.put(
      aTask('c', {
        status: 'failed',
        parameters: { ...aTask('').parameters, serviceTier: 'flex' },
      }),
    );
    const listed = (filter: object): [number, string[]] => {
      const { total, tasks } = store.list({ page: 1, pageSize: 10, ...filter });
      return [total, ids(tasks)];
    };

    expect(listed({})).toEqual([3, ['c', 'b', 'a']]);
    expect(listed({ page: 2, pageSize: 2 })).toEqual([3, ['a']]);
    expect(listed({ status: 'failed' })).toEqual([2, ['c', 'a']]);
    expect(listed({ status: 'failed', taskIds: ['a', 'b'] })).toEqual([1, ['a']]);
    expect(listed({ taskIds: ['a', 'c', 'a', 'unknown'] })).toEqual([2, ['c', 'a']]);
    expect(listed({ taskIds: [] })).toEqual([0, []]);
    expect(listed({ model: 'ep-1' })).toEqual([1, ['b']]);
    expect(listed({ serviceTier: 'flex' })).toEqual([1, ['c']]);
  });

  it.each<[TaskStatus, number]>([
    ['succeeded', 7],
    ['queued', 7],
    ['cancelled', 1],
  ])('are forgotten when %s after %i days', (status, days) => {
    const { store, clock } = aStore();
    store.put(aTask('a', { status }));

    clock.ms = days * dayMs;
    expect([store.get('a')?.id, store.all().length]).toEqual(['a', 1]);
    clock.ms += 1;

    expect([
      store.all().length,
      store.list({ page: 1, pageSize: 1 }).total,
      store.get('a'),
    ]).toEqual([0, 0, undefined]);
  });

  it('are no more than fit: the oldest finished ones go first, unfinished ones stay', () => {
    const { store } = aStore({ maxTasks: 2 });
    store.put(aTask('a'));
    store.put(aTask('b', { status: 'succeeded' }));
    store.put(aTask('c', { status: 'failed' }));
    store.put(aTask('d'));

    expect(ids(store.all())).toEqual(['a', 'd']);
    store.put(aTask('e'));
    expect(ids(store.all())).toEqual(['a', 'd', 'e']);
  });
});

describe('the file that keeps tasks', () => {
  it('brings back the last state of every task that was not removed, also after a half written line', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'sandbox-journal-'));
    const journal = createFileJournal(folder);
    journal.save(aTask('a'));
    journal.save(aTask('b'));
    journal.save(aTask('a', { status: 'running' }));
    journal.save(aTask('c'));
    journal.remove('b');
    await appendFile(join(folder, 'tasks.jsonl'), '{"task":{"id":"d"');

    const again = createFileJournal(folder);

    expect(again.load()).toEqual([aTask('a', { status: 'running' }), aTask('c')]);
    expect((await readFile(join(folder, 'tasks.jsonl'), 'utf8')).trim().split('\n')).toHaveLength(
      2,
    );
    again.clear();
    expect(createFileJournal(folder).load()).toEqual([]);
    await rm(folder, { recursive: true });
  });

  it('reads tasks from before formats were written as Ark’s', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'sandbox-journal-'));
    const written = { ...aTask('a'), format: undefined };
    await appendFile(join(folder, 'tasks.jsonl'), `${JSON.stringify({ task: written })}\n`);

    expect(createFileJournal(folder).load()).toEqual([aTask('a', { format: 'ark' })]);
    await rm(folder, { recursive: true });
  });

  it('does not grow without end', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'sandbox-journal-'));
    const journal = createFileJournal(folder);
    for (let change = 0; change < 10_050; change += 1) {
      journal.save(aTask('a', { updatedAtMs: change }));
    }

    const lines = (await readFile(join(folder, 'tasks.jsonl'), 'utf8')).trim().split('\n');

    expect(lines.length).toBeLessThan(100);
    expect(createFileJournal(folder).load()).toEqual([aTask('a', { updatedAtMs: 10_049 })]);
    await rm(folder, { recursive: true });
  });
});

describe('a vendor that stops', () => {
  it('leaves what is created meanwhile for its next start, instead of failing it without its renderer', () => {
    const followed: string[] = [];
    const lifecycle = createLifecycle({
      store: aStore().store,
      slots: { take: () => new Promise(() => undefined) },
      callbacks: { send: ({ id }: Task) => followed.push(id) },
      timing: { queueMs: 0, runningMs: 0 },
      now: () => 0,
    } as unknown as LifecycleOptions);

    lifecycle.follow(aTask('before'));
    lifecycle.stop();
    lifecycle.follow(aTask('meanwhile'));

    expect(followed).toEqual(['before']);
  });
});
