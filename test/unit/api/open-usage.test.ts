import { afterEach, describe, expect, it } from '@jest/globals';
import type { UsageBatch, UsageRecord } from '@gateway/contracts';
import { eventually, recordingLog } from '@gateway/testing';
import { aUsageRecord } from '../../integration/store/usage.ts';
import {
  createOpenUsage,
  type OpenUsageOptions,
} from '../../../services/api/src/adapters/open-usage.ts';

/** What one statement of the outbox was asked for; the test responds. */
interface Asked {
  readonly what: readonly string[];
  respond(): void;
  fail(): void;
}

/** What a test leaves open is finished behind it: the keeper's time limits end with it. */
const unfinished: (() => void)[] = [];
afterEach(() => {
  for (const respond of unfinished.splice(0)) respond();
});

function aKeeper(options: Partial<OpenUsageOptions> = {}) {
  const log = recordingLog();
  const state = { writes: [] as Asked[], saves: [] as Asked[] };
  const asked = (list: Asked[], what: readonly string[]): Promise<void> =>
    new Promise((resolve, reject) => {
      unfinished.push(resolve);
      list.push({
        what,
        respond: resolve,
        fail: () => {
          reject(new Error('connect ECONNREFUSED'));
        },
      });
    });
  const usage = createOpenUsage({
    keepOpen: (records) =>
      asked(
        state.writes,
        records.map(({ id, output_tokens: output }) => `${id} ${output}`),
      ),
    save: (_batch, closed = []) => asked(state.saves, closed),
    findOpen: () => Promise.resolve([]),
    log,
    ...options,
  });
  return { ...state, usage, log };
}

const record = (id: string, output = 1): UsageRecord =>
  aUsageRecord('acct_x', { id, output_tokens: output });
const batch = (...ids: string[]): UsageBatch => ({
  id: 'batch_x',
  records: ids.map((id) => record(id)),
});
/** Until all promises that can settle have. */
const settled = (): Promise<void> =>
  new Promise((resolve) => {
    setImmediate(resolve);
  });

describe('what is kept of running text requests', () => {
  it('is written at once, with one statement for all that changed', () => {
    const { usage, writes } = aKeeper();

    usage.keep([record('a'), record('b')]);

    expect(writes.map(({ what }) => what)).toEqual([['a 1', 'b 1']]);
  });

  it('is written a thousand records at a time, one write after the other', async () => {
    const { usage, writes } = aKeeper();
    const many = Array.from({ length: 1_200 }, (_, index) => record(`u${index}`));

    usage.keep(many);

    expect(writes.map(({ what }) => what.length)).toEqual([1_000]);
    writes[0]?.respond();
    await settled();
    expect(writes.map(({ what }) => what.length)).toEqual([1_000, 200]);
    expect(new Set(writes.flatMap(({ what }) => what)).size).toBe(1_200);
  });

  it('is written in turn when writes fail: what waits comes before what failed', async () => {
    const { usage, writes } = aKeeper();
    usage.keep(Array.from({ length: 1_200 }, (_, index) => record(`u${index}`)));

    writes[0]?.fail();
    await settled();
    usage.keep([]);

    expect(writes[1]?.what).toHaveLength(1_000);
    expect(writes[1]?.what.slice(0, 201)).toEqual([
      ...Array.from({ length: 200 }, (_, index) => `u${1_000 + index} 1`),
      'u0 1',
    ]);
  });

  it('is not written while nothing runs, nor while nothing changes', async () => {
    const { usage, writes } = aKeeper();
    usage.keep([]);
    expect(writes).toHaveLength(0);
    usage.keep([record('a')]);
    writes[0]!.respond();
    await settled();

    usage.keep([]);

    expect(writes).toHaveLength(1);
  });

  it('has its lease renewed although nothing changes, until the last request is saved', async () => {
    const { usage, writes, saves } = aKeeper({ renewMs: 0 });
    usage.keep([record('a')]);
    writes[0]!.respond();
    await settled();
    usage.keep([]);
    expect(writes[1]?.what).toEqual([]);
    writes[1]!.respond();
    await settled();
    usage.end('a');
    void usage.save(batch('a'));
    await settled();
    saves[0]!.respond();
    await settled();

    usage.keep([]);

    expect(writes).toHaveLength(2);
  });

  it('waits for the write before it; the newest word on each request counts', async () => {
    const { usage, writes } = aKeeper();
    usage.keep([record('a')]);
    usage.keep([record('a', 2), record('b')]);
    usage.keep([record('a', 3)]);
    expect(writes).toHaveLength(1);
    writes[0]!.respond();
    await settled();

    expect(writes.map(({ what }) => what)).toEqual([['a 1'], ['a 3', 'b 1']]);
  });

  it('is written later when the database is away, without what ended meanwhile, and said once', async () => {
    const { usage, writes, log } = aKeeper();
    usage.keep([record('a'), record('b'), record('c')]);
    usage.keep([record('b', 2)]);
    usage.end('c');
    writes[0]!.fail();
    await settled();
    usage.keep([]);
    expect(writes[1]?.what).toEqual(['b 2', 'a 1']);
    writes[1]!.fail();
    await settled();

    usage.keep([]);

    expect(writes[2]?.what).toEqual(['b 2', 'a 1']);
    expect(log.lines).toEqual([
      {
        level: 'warn',
        message: 'usage of running text requests not saved, will be retried',
        fields: { waiting: 2, reason: 'connect ECONNREFUSED' },
      },
    ]);
  });

  it('is not written for a request that ended before its turn', async () => {
    const { usage, writes } = aKeeper();
    usage.keep([record('a')]);
    usage.keep([record('b')]);
    usage.end('b');
    writes[0]!.respond();
    await settled();

    usage.keep([]);

    expect(writes).toHaveLength(1);
  });

  it('is written again when no response comes in time', async () => {
    const { usage, writes } = aKeeper({ respondWithinMs: 20 });
    usage.keep([record('a')]);

    await eventually(() => {
      usage.keep([]);
      expect(writes[1]?.what).toEqual(['a 1']);
    });
  });
});

describe('saving the final records of text requests', () => {
  it('names those that were written as open, and no others', async () => {
    const { usage, writes, saves } = aKeeper();
    usage.keep([record('a'), record('b')]);
    writes[0]!.respond();
    await settled();

    void usage.save(batch('short', 'a'));
    await settled();

    expect(saves.map(({ what }) => what)).toEqual([['a']]);
  });

  it('names all that it is told to, whoever wrote them', async () => {
    const { usage, saves } = aKeeper();

    void usage.save(batch('a', 'b'), ['a', 'b']);
    await settled();

    expect(saves.map(({ what }) => what)).toEqual([['a', 'b']]);
  });

  it('waits for a write under way only when it may hold one of them', async () => {
    const { usage, writes, saves } = aKeeper();
    usage.keep([record('a')]);

    void usage.save(batch('short'));
    void usage.save(batch('a'));
    await settled();
    expect(saves.map(({ what }) => what)).toEqual([[]]);
    writes[0]!.respond();
    await settled();

    expect(saves.map(({ what }) => what)).toEqual([[], ['a']]);
  });

  it('names them again when it failed, also those whose write did: its response may have been lost', async () => {
    const { usage, writes, saves } = aKeeper();
    usage.keep([record('a')]);
    writes[0]!.fail();
    await settled();
    usage.end('a');
    const saved = usage.save(batch('a'));
    await settled();
    saves[0]!.fail();
    await expect(saved).rejects.toThrow('ECONNREFUSED');

    void usage.save(batch('a'));
    await settled();
    expect(saves[1]?.what).toEqual(['a']);
    saves[1]!.respond();
    await settled();
    void usage.save(batch('a'));
    await settled();

    expect(saves[2]?.what).toEqual([]);
  });
});
