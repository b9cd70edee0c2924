import { describe, expect, it } from '@jest/globals';
import {
  createKeepData,
  type KeepDataOptions,
} from '../../../services/billing/src/use-cases/keep-data.ts';

/** What was done, in its order; `fails` names steps that throw. */
function worked(options: Partial<KeepDataOptions> & { readonly fails?: readonly string[] } = {}) {
  const done: string[] = [];
  const backlog = {
    archiveTasks: 2,
    archiveDeletedTasks: 1,
    rollUpUsage: 2,
    sumUpUncollected: 1,
    dropArchive: 1,
    dropLedger: 1,
    rollUpExposures: 1,
    closeLedger: 1,
  };
  const step = (name: string): void => {
    done.push(name);
    if (options.fails?.includes(name) === true) throw new Error(`${name} failed`);
  };
  const one = (name: keyof typeof backlog): Promise<string | undefined> => {
    step(name);
    backlog[name] -= 1;
    return Promise.resolve(backlog[name] < 0 ? undefined : `${name} ${backlog[name]}`);
  };
  const batches =
    (name: keyof typeof backlog) =>
    async ({ days, limit }: { readonly days: number; readonly limit: number }): Promise<number> =>
      (await one(name)) === undefined ? 0 : days + limit;
  const work = createKeepData({
    makePartitions: async (months) => {
      step('makePartitions');
      return Promise.resolve(months);
    },
    archiveTasks: batches('archiveTasks'),
    archiveDeletedTasks: batches('archiveDeletedTasks'),
    rollUpExposures: batches('rollUpExposures'),
    sumUpUncollected: batches('sumUpUncollected'),
    rollUpUsage: async () => one('rollUpUsage'),
    dropArchive: async () => one('dropArchive'),
    dropLedger: async () => one('dropLedger'),
    closeLedger: async () => one('closeLedger'),
    partitions: async () => {
      step('partitions');
      return Promise.resolve([]);
    },
    sizes: () => Promise.resolve([]),
    onArchived: (tasks) => done.push(`archived ${tasks}`),
    onDropped: (partition) => done.push(`dropped ${partition}`),
    onClosed: (month) => done.push(`closed ${month}`),
    onState: () => done.push('told'),
    ...options,
  });
  return { work, done };
}

describe('keeping the data', () => {
  it('prepares months and closes them, and does nothing else that it was not told to', async () => {
    const { work, done } = worked();
    await work();

    expect(done).toEqual([
      'makePartitions',
      'closeLedger',
      'closed closeLedger 0',
      'closeLedger',
      'partitions',
      'told',
    ]);
  });

  it('does what it was told until nothing is left', async () => {
    const { work, done } = worked({
      archiveAfterDays: 60,
      usageDetailDays: 90,
      archiveKeepDays: 365,
      ledgerKeepDays: 800,
    });
    await work();

    expect(done.filter((line) => line.startsWith('archived'))).toEqual([
      'archived 260',
      'archived 260',
      'archived 260',
    ]);
    expect(done.filter((line) => /^(?:archive|drop|roll|sum)[A-Z]/.test(line))).toEqual([
      ...['archiveTasks', 'archiveTasks', 'archiveTasks'],
      ...['archiveDeletedTasks', 'archiveDeletedTasks'],
      ...['rollUpUsage', 'rollUpUsage', 'rollUpUsage', 'sumUpUncollected', 'sumUpUncollected'],
      // Exposures go after the tasks that they are of.
      ...['dropArchive', 'dropArchive', 'dropLedger', 'dropLedger'],
      ...['rollUpExposures', 'rollUpExposures'],
    ]);
    expect(done.filter((line) => line.startsWith('dropped'))).toEqual([
      'dropped rollUpUsage 1',
      'dropped rollUpUsage 0',
      'dropped dropArchive 0',
      'dropped dropLedger 0',
    ]);
  });

  it.each([
    ...['makePartitions', 'closeLedger', 'archiveTasks', 'archiveDeletedTasks'],
    ...['rollUpUsage', 'sumUpUncollected', 'dropArchive', 'dropLedger', 'rollUpExposures'],
  ])('goes on after %s failed, and says that it did', async (name) => {
    const { work, done } = worked({
      archiveAfterDays: 60,
      usageDetailDays: 90,
      archiveKeepDays: 365,
      ledgerKeepDays: 800,
      fails: [name],
    });

    await expect(work()).rejects.toThrow('1 steps of keeping the data failed');
    expect(done).toEqual(
      expect.arrayContaining([
        'makePartitions',
        'closeLedger',
        'archiveTasks',
        'rollUpUsage',
        'dropArchive',
        'told',
      ]),
    );
  });
});
