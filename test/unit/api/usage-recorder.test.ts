import { afterEach, describe, expect, it, jest } from '@jest/globals';
import type { UsageBatch, UsageRecord } from '@gateway/contracts';
import { createMetrics } from '@gateway/runtime';
import { eventually, recordingLog } from '@gateway/testing';
import { aUsageRecord } from '../../integration/store/usage.ts';
import {
  createUsageRecorder,
  type UsageRecorderOptions,
} from '../../../services/api/src/adapters/usage-recorder.ts';

/** An outbox that can be away, and a response of it that can be lost after the row was written. */
function anOutbox() {
  const rows = new Map<string, readonly UsageRecord[]>();
  const state = { away: false, losesResponses: 0, tries: [] as string[] };
  const save = async ({ id, records }: UsageBatch): Promise<void> => {
    state.tries.push(id);
    await Promise.resolve();
    if (state.away) throw new Error('connect ECONNREFUSED');
    rows.set(id, rows.get(id) ?? records);
    if (state.losesResponses > 0) {
      state.losesResponses -= 1;
      throw new Error('connection terminated');
    }
  };
  return {
    state,
    save,
    batches: () => [...rows.values()],
    records: () => [...rows.values()].flat(),
    ids: () => [...rows.keys()],
  };
}

function aRecorder(options: Partial<UsageRecorderOptions> = {}) {
  const outbox = anOutbox();
  const log = recordingLog();
  const woken: string[] = [];
  const recorder = createUsageRecorder({
    save: outbox.save,
    wake: (id) => woken.push(id),
    log,
    flushMs: 20,
    ...options,
  });
  return { ...recorder, outbox, log, woken };
}

const some = (count: number): UsageRecord[] =>
  Array.from({ length: count }, () => aUsageRecord('acct_01h455vb4pex5vsknk084sn02q'));

afterEach(() => {
  jest.useRealTimers();
});

describe('the recorder of text usage', () => {
  it('saves what came together as one batch, and wakes billing for it', async () => {
    const { record, outbox, woken, log } = aRecorder();
    const records = some(3);

    for (const each of records) record(each);

    expect(outbox.state.tries).toEqual([]);
    await eventually(() => {
      expect(outbox.batches()).toEqual([records]);
    });
    await eventually(() => {
      expect(woken).toEqual(outbox.ids());
    });
    expect(outbox.ids()[0]).toMatch(/^batch_/);
    expect(log.lines).toEqual([]);
  });

  it('does not wait when a batch is full, and saves the rest after it', async () => {
    const { record, outbox, part } = aRecorder({ flushMs: 60_000, maxRecords: 4 });
    const records = some(10);

    for (const each of records) record(each);

    await eventually(() => {
      expect(outbox.batches().map((batch) => batch.length)).toEqual([4, 4]);
    });
    await part.stop();
    expect(outbox.records()).toEqual(records);
  });

  it('saves the next batch only when the one before is safe, in order', async () => {
    const started: string[] = [];
    const gates: (() => void)[] = [];
    const { record, part, woken } = aRecorder({
      maxRecords: 1,
      save: ({ id }) => {
        started.push(id);
        return new Promise((resolve) => {
          gates.push(resolve);
        });
      },
    });
    for (const each of some(2)) record(each);
    await eventually(() => {
      expect(started).toHaveLength(1);
    });
    expect(woken).toEqual([]);

    gates.shift()?.();
    await eventually(() => {
      expect(started).toHaveLength(2);
    });
    expect(woken).toEqual([started[0]]);
    gates.shift()?.();
    await part.stop();

    expect(woken).toEqual(started);
  });

  it('keeps everything while the database is away, and saves it once it is back', async () => {
    const { record, outbox, log, woken } = aRecorder({ maxRecords: 5 });
    const records = some(12);
    outbox.state.away = true;
    for (const each of records.slice(0, 7)) record(each);
    await eventually(() => {
      expect(outbox.state.tries.length).toBeGreaterThan(1);
    });
    for (const each of records.slice(7)) record(each);

    outbox.state.away = false;

    await eventually(() => {
      expect(outbox.records()).toEqual(records);
    });
    expect(new Set(outbox.state.tries).size).toBe(outbox.ids().length);
    await eventually(() => {
      expect(woken).toEqual(outbox.ids());
    });
    expect(log.lines[0]).toEqual({
      level: 'warn',
      message: 'text usage not saved, will be retried',
      fields: {
        batchId: outbox.state.tries[0],
        waiting: expect.any(Number),
        failures: 1,
        reason: 'connect ECONNREFUSED',
      },
    });
  });

  it('tries less and less often while the database is away, however much comes', async () => {
    const { record, outbox } = aRecorder({ maxRecords: 1, flushMs: 1 });
    outbox.state.away = true;

    for (const each of some(200)) record(each);
    await eventually(() => {
      expect(outbox.state.tries.length).toBeGreaterThanOrEqual(2);
    });
    for (const each of some(200)) record(each);

    expect(outbox.state.tries.length).toBeLessThan(4);
    outbox.state.away = false;
    await eventually(() => {
      expect(outbox.records()).toHaveLength(400);
    });
  });

  it('saves a batch again as the same one when the response was lost', async () => {
    const { record, outbox, woken } = aRecorder();
    const records = some(2);
    outbox.state.losesResponses = 1;

    for (const each of records) record(each);

    await eventually(() => {
      expect(woken).toHaveLength(1);
    });
    expect(outbox.state.tries).toEqual([outbox.ids()[0], outbox.ids()[0]]);
    expect(outbox.records()).toEqual(records);
  });

  it('saves everything before it has stopped, also what was under way and what failed before', async () => {
    const { record, outbox, part, woken } = aRecorder({ flushMs: 60_000, maxRecords: 5 });
    const records = some(13);
    outbox.state.away = true;
    for (const each of records) record(each);
    await eventually(() => {
      expect(outbox.state.tries).toHaveLength(1);
    });

    const stopped = part.stop();
    outbox.state.away = false;
    await stopped;

    expect(outbox.records()).toEqual(records);
    expect(woken).toEqual(outbox.ids());
  });

  it('stops in time also without the database, and says what was lost', async () => {
    const { record, outbox, part, log } = aRecorder({ stopWithinMs: 250 });
    const records = some(3);
    outbox.state.away = true;
    for (const each of records) record(each);

    const start = Date.now();
    await part.stop();

    expect(Date.now() - start).toBeLessThan(2_000);
    expect(log.lines.at(-1)).toEqual({
      level: 'error',
      message: 'text usage lost',
      fields: {
        count: 3,
        reason: 'the service stopped while the database was unavailable',
        usageIds: records.map(({ id }) => id),
      },
    });
  });

  it('leaves to the spool what it could not save, under way or not, and loses nothing', async () => {
    const kept: UsageBatch[] = [];
    const spool = { keep: (batch: UsageBatch) => Promise.resolve(void kept.push(batch)) };
    const metrics = createMetrics('test');
    const { record, outbox, part } = aRecorder({
      stopWithinMs: 250,
      maxRecords: 3,
      spool,
      metrics,
    });
    const records = some(8);
    outbox.state.away = true;
    for (const each of records) record(each);

    await part.stop();

    expect(kept.map((batch) => batch.records.length)).toEqual([3, 3, 2]);
    expect(kept.flatMap((batch) => batch.records)).toEqual(records);
    // It may have been saved, with its response lost: only under this id is it known again.
    expect(kept[0]?.id).toBe(outbox.state.tries.at(-1));
    expect(await metrics.metrics()).toMatch(/gateway_text_usage_lost_records_total\{[^}]*\} 0\n/);
  });

  it.each(['does not answer', 'refuses'])(
    'moves to the spool what a database that %s does not take soon, all of it',
    async (how) => {
      const kept: UsageBatch[] = [];
      const spool = { keep: (batch: UsageBatch) => Promise.resolve(void kept.push(batch)) };
      const tries: string[] = [];
      const save = ({ id }: UsageBatch): Promise<void> => {
        tries.push(id);
        return new Promise((_resolve, reject) => {
          if (how === 'refuses') reject(new Error('ECONNREFUSED'));
        });
      };
      const { record, part } = aRecorder({
        spool,
        save,
        spoolAfterMs: 150,
        maxRecords: 3,
        stopWithinMs: 100,
      });
      const records = some(8);

      for (const each of records) record(each);

      await eventually(() => {
        expect(kept.flatMap((batch) => batch.records)).toEqual(records);
      });
      // It may be saved yet: only under this id is it known again.
      expect(kept[0]?.id).toBe(tries[0]);
      const [later] = some(1);
      record(later!);
      await eventually(() => {
        expect(kept.at(-1)?.records).toEqual([later]);
      });
      await part.stop();
      expect(kept.flatMap((batch) => batch.records)).toHaveLength(9);
    },
  );

  it.each([
    ['slowly', []],
    // It came in the pause before the second attempt.
    ['at the second attempt, slowly', [new Error('ECONNRESET')]],
  ])(
    'moves to the spool in time what came while another batch was saved %s',
    async (_how, failures) => {
      jest.useFakeTimers();
      const kept: UsageBatch[] = [];
      const spool = { keep: (batch: UsageBatch) => Promise.resolve(void kept.push(batch)) };
      const toFail = [...failures];
      const saved: (() => void)[] = [];
      const save = (): Promise<void> => {
        const failure = toFail.shift();
        if (failure !== undefined) return Promise.reject(failure);
        return new Promise((resolve) => {
          saved.push(resolve);
        });
      };
      const { record } = aRecorder({ save, spool, flushMs: 100, spoolAfterMs: 1_000 });
      const [first, second] = some(2);

      record(first!);
      await jest.advanceTimersByTimeAsync(100);
      record(second!);
      await jest.advanceTimersByTimeAsync(850);
      saved[0]!();
      // Its own batch is under way by then, and never ends.
      await jest.advanceTimersByTimeAsync(151);

      expect(saved).toHaveLength(2);
      expect(kept.flatMap((batch) => batch.records)).toEqual([second]);
    },
  );

  it('leaves nothing to the spool while the database takes what comes', async () => {
    const kept: UsageBatch[] = [];
    const spool = { keep: (batch: UsageBatch) => Promise.resolve(void kept.push(batch)) };
    const { record, outbox, part } = aRecorder({ spool, spoolAfterMs: 60, flushMs: 5 });
    const records = some(60);

    for (const each of records) {
      record(each);
      await eventually(
        () => {
          expect(outbox.records()).toContain(each);
        },
        { everyMs: 1 },
      );
    }
    await part.stop();

    expect(kept).toEqual([]);
  });

  it('keeps in memory what the disk does not take, and saves it once the database is back', async () => {
    const spool = { keep: () => Promise.reject(new Error('ENOSPC')) };
    const { record, outbox, log, part } = aRecorder({ spool, spoolAfterMs: 20 });
    const records = some(3);
    outbox.state.away = true;
    for (const each of records) record(each);
    await eventually(() => {
      expect(log.lines.map(({ message }) => message)).toContain('text usage not spooled');
    });

    outbox.state.away = false;

    await eventually(() => {
      expect(new Set(outbox.records())).toEqual(new Set(records));
    });
    await part.stop();
  });

  it('leaves to the spool what is recorded after it has stopped, and asks no database any more', async () => {
    const kept: UsageBatch[] = [];
    const spool = { keep: (batch: UsageBatch) => Promise.resolve(void kept.push(batch)) };
    const { record, outbox, part } = aRecorder({ spool, flushMs: 1 });
    await part.stop();
    const records = some(2);

    for (const each of records) record(each);

    await eventually(() => {
      expect(kept.flatMap((batch) => batch.records)).toEqual(records);
    });
    expect(outbox.state.tries).toEqual([]);
  });

  it('says what was lost when the spool fails too', async () => {
    const spool = { keep: () => Promise.reject(new Error('ENOSPC')) };
    const { record, outbox, part, log } = aRecorder({ stopWithinMs: 250, spool });
    const records = some(2);
    outbox.state.away = true;
    for (const each of records) record(each);

    await part.stop();

    expect(log.lines.slice(-2)).toEqual([
      expect.objectContaining({ level: 'error', message: 'text usage not spooled' }),
      expect.objectContaining({
        message: 'text usage lost',
        fields: expect.objectContaining({ count: 2, usageIds: records.map(({ id }) => id) }),
      }),
    ]);
  });

  it('keeps no more than it may, and says each record that is lost, whole', async () => {
    const metrics = createMetrics('test');
    const { record, outbox, part, log } = aRecorder({
      maxWaiting: 4,
      maxRecords: 2,
      stopWithinMs: 5_000,
      metrics,
    });
    const records = some(6);
    outbox.state.away = true;

    for (const each of records) record(each);

    expect(
      log.lines
        .filter((line) => line.message === 'text usage lost')
        .map((line) => line.fields['usage']),
    ).toEqual(records.slice(4));
    expect(await metrics.metrics()).toMatch(/gateway_text_usage_lost_records_total\{[^}]*\} 2\n/);
    expect(await metrics.metrics()).toMatch(/gateway_text_usage_waiting_records\{[^}]*\} 4\n/);
    outbox.state.away = false;
    await part.stop();
    expect(outbox.records()).toEqual(records.slice(0, 4));
    expect(await metrics.metrics()).toMatch(/gateway_text_usage_waiting_records\{[^}]*\} 0\n/);
  });

  it('has nothing to do at a stop when nothing came', async () => {
    const { part, outbox } = aRecorder();

    await part.stop();

    expect(outbox.state.tries).toEqual([]);
  });
});
