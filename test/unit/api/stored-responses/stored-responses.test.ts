import { describe, expect, it } from '@jest/globals';
import { createMetrics } from '@gateway/runtime';
import type { NewStoredResponse } from '@gateway/store';
import { eventually, recordingLog } from '@gateway/testing';
import {
  createStoredResponses,
  type StoredResponsesOptions,
} from '../../../../services/api/src/adapters/stored-responses/stored-responses.ts';
import {
  writeResponse,
  type KeptResponse,
} from '../../../../services/api/src/adapters/stored-responses/write-response.ts';
import { aStoredResponse } from '../../../contracts/stored-response.ts';
import { createInMemoryResponses } from '../../../contracts/stored-responses-in-memory.ts';

/** A store that can be away, hang, refuse one response, and lose its reply. */
function aStore() {
  const memory = createInMemoryResponses();
  const state = {
    away: false,
    poison: '',
    losesReplies: 0,
    batches: [] as string[][],
    held: undefined as Promise<void> | undefined,
    trimmed: [] as (readonly string[])[],
    sweeps: [] as number[],
    /** Reads that reached the database. */
    asked: 0,
  };
  const asked = <Query, Found>(read: (query: Query) => Promise<Found>) => {
    return (query: Query): Promise<Found> => {
      state.asked += 1;
      return read(query);
    };
  };
  return {
    memory,
    keptIds: () => memory.rows().map(({ responseId }) => responseId),
    state,
    store: {
      async keep(responses: readonly NewStoredResponse[]) {
        state.batches.push(responses.map(({ responseId }) => responseId));
        await state.held;
        if (state.away) throw new Error('connect ECONNREFUSED');
        if (responses.some(({ responseId }) => responseId === state.poison)) {
          throw new Error('invalid byte sequence');
        }
        await memory.store.keep(responses);
        if (state.losesReplies > 0) {
          state.losesReplies -= 1;
          throw new Error('connection terminated');
        }
      },
      trim(accountIds: readonly string[], maxBytes: number) {
        state.trimmed.push(accountIds);
        return memory.store.trim(accountIds, maxBytes);
      },
      remove: memory.store.remove,
      async removeOlder(thanHours: number) {
        const removed = await memory.store.removeOlder(thanHours);
        state.sweeps.push(removed);
        return removed;
      },
    },
    reads: {
      conversation: asked(memory.reads.conversation),
      items: asked(memory.reads.items),
      find: asked(memory.reads.find),
      inputPage: memory.reads.inputPage,
    },
  };
}

function setUp(options: Partial<StoredResponsesOptions> = {}) {
  const fake = aStore();
  const log = recordingLog();
  const metrics = createMetrics('api');
  const built = createStoredResponses({
    store: fake.store,
    reads: fake.reads,
    retentionHours: 24,
    maxAccountBytes: 1e9,
    metrics,
    log,
    flushMs: 5,
    stopWithinMs: 300,
    ...options,
  });
  const counted = async (outcome: string): Promise<number> => {
    const text = await metrics.metrics();
    const line = text
      .split('\n')
      .find((each) => each.startsWith(`gateway_stored_responses_total{outcome="${outcome}"`));
    return Number(line?.split(' ').at(-1) ?? 0);
  };
  return { ...fake, ...built, keep: built.storedResponses.keep, log, metrics, counted };
}

const response = (responseId: string, change: object = {}) => ({
  accountId: 'acct_a',
  responseId,
  previousResponseId: null,
  input: [{ id: `in_${responseId}`, text: 'question' }],
  response: { id: responseId, output: [{ id: `out_${responseId}`, text: 'answer' }] },
  ...change,
});

describe('keeping a response', () => {
  it('does not wait, and writes what came together as one batch', async () => {
    const { keep, state, keptIds, counted, part } = setUp();

    keep(response('r1'));
    keep(response('r2', { accountId: 'acct_b' }));
    expect(state.batches).toEqual([]);

    await eventually(() => {
      expect(keptIds()).toEqual(['r1', 'r2']);
    });
    await part.stop();
    expect(state.batches).toEqual([['r1', 'r2']]);
    expect(state.trimmed).toEqual([['acct_a', 'acct_b']]);
    expect(await counted('kept')).toBe(2);
  });

  it('goes on when the database is back, and keeps everything once', async () => {
    const { keep, state, keptIds, log, part } = setUp();
    state.away = true;
    keep(response('r1'));
    await eventually(() => {
      expect(state.batches.length).toBeGreaterThan(1);
    });
    keep(response('r2'));
    state.away = false;
    state.losesReplies = 1;

    await eventually(() => {
      expect(keptIds()).toEqual(['r1', 'r2']);
    });
    await part.stop();
    expect(log.lines.filter(({ level }) => level === 'error')).toEqual([]);
  });

  it('gives up the one that cannot be written, and no other', async () => {
    const { keep, state, keptIds, log, counted, part } = setUp({ stopWithinMs: 5_000 });
    state.poison = 'r2';
    for (const id of ['r1', 'r2', 'r3']) keep(response(id));
    await eventually(() => {
      expect(keptIds()).toEqual(['r1']);
    });

    // A stop hurries: it tries ten times within its time.
    await part.stop();

    expect(keptIds()).toEqual(['r1', 'r3']);
    expect(await counted('failed')).toBe(1);
    expect(log.lines).toContainEqual(
      expect.objectContaining({
        message: 'responses not kept',
        fields: expect.objectContaining({ responseIds: ['r2'] }),
      }),
    );
  });

  it('writes what is left at a stop, within its time', async () => {
    const { keep, keptIds, part } = setUp({ flushMs: 60_000 });
    keep(response('r1'));

    await part.stop();

    expect(keptIds()).toEqual(['r1']);
  });

  it('ends in time although the database says nothing, and says what is lost', async () => {
    const { keep, state, counted, log, part } = setUp();
    state.held = new Promise(() => undefined);
    keep(response('r1'));

    await part.stop();

    expect(await counted('failed')).toBe(1);
    expect(log.lines.some(({ level }) => level === 'error')).toBe(true);
  });

  it.each([
    ['too_large', {}, { maxAccountBytes: 700 }],
    ['too_large', { input: Array.from({ length: 10_000 }, () => 1) }, {}],
    ['failed', { input: [10n] }, {}],
    ['queue_full', {}, { bounds: { maxBytes: 1e9, maxResponses: 0, maxAccountBytes: 1e9 } }],
    ['queue_full', {}, { bounds: { maxBytes: 1e9, maxResponses: 9, maxAccountBytes: 0 } }],
  ] as const)('counts and logs one that is not kept: %s', async (outcome, change, options) => {
    const { keep, state, log, counted, part } = setUp(options);

    keep(response('r1', change));
    await part.stop();

    expect(await counted(outcome)).toBe(1);
    expect(state.batches).toEqual([]);
    expect(log.lines).toContainEqual(
      expect.objectContaining({
        message: 'response not kept',
        fields: expect.objectContaining({ reason: outcome, responseId: 'r1' }),
      }),
    );
  });

  it('is bounded for an account that stores without end, and not for the others', async () => {
    const { keep, state, storedResponses, counted, part } = setUp();
    state.held = new Promise(() => undefined);
    const large = { input: [{ id: 'x', image: 'i'.repeat(5_000_000) }] };

    for (let count = 0; count < 20; count += 1) keep(response(`r${count}`, large));
    keep(response('other', { accountId: 'acct_b' }));
    await storedResponses.conversation({ accountId: 'acct_a', responseId: 'r0' });
    keep(response('later'));
    await part.stop();

    // Four may be written at a time, and fill what one account may have waiting.
    expect(await counted('queue_full')).toBe(16);
    expect(await counted('account_rate')).toBe(1);
    expect(await counted('failed')).toBe(5);
  });

  it('keeps nothing where responses are kept for no time', async () => {
    const { keep, state, kept, memory, storedResponses, part } = setUp({ retentionHours: 0 });
    await memory.store.keep([aStoredResponse({ accountId: 'acct_a', responseId: 'r1' })]);

    keep(response('r2'));
    await part.stop();

    expect(state.batches).toEqual([]);
    const named = { accountId: 'acct_a', responseId: 'r1' };
    expect(await kept.find(named)).toBeUndefined();
    expect(await kept.inputPage({ ...named, limit: 1, order: 'asc', after: undefined })).toBe(
      undefined,
    );
    expect(await storedResponses.conversation(named)).toBeNull();
    expect(await storedResponses.items({ accountId: 'acct_a', itemIds: ['x'] })).toEqual(new Map());
  });
});

describe('what waits to be written', () => {
  it('is read as if it had been, and deleted', async () => {
    const { keep, kept, storedResponses, state, keptIds, part } = setUp({ flushMs: 60_000 });
    keep(response('r1', { input: ['a', 'b', 'c'].map((id) => ({ id })) }));
    keep(response('r2', { previousResponseId: 'r1' }));
    const named = (responseId: string) => ({ accountId: 'acct_a', responseId });

    const conversation = await storedResponses.conversation(named('r2'));
    expect(conversation?.map((item) => JSON.parse(item) as unknown)).toEqual([
      { id: 'a' },
      { id: 'b' },
      { id: 'c' },
      { id: 'out_r1', text: 'answer' },
      { id: 'in_r2', text: 'question' },
      { id: 'out_r2', text: 'answer' },
    ]);
    expect(await storedResponses.conversation({ ...named('r2'), accountId: 'acct_b' })).toBeNull();
    expect(
      await storedResponses.items({ accountId: 'acct_a', itemIds: ['out_r1', 'b', 'none'] }),
    ).toEqual(
      new Map([
        ['out_r1', JSON.stringify({ id: 'out_r1', text: 'answer' })],
        ['b', JSON.stringify({ id: 'b' })],
      ] as const),
    );
    expect(JSON.parse((await kept.find(named('r1')))!)).toEqual(response('r1').response);
    const page = async (order: 'asc' | 'desc', after?: string) => {
      const found = await kept.inputPage({ ...named('r1'), limit: 2, order, after });
      return typeof found === 'object'
        ? [found.items.map(({ itemId }) => itemId), found.hasMore]
        : found;
    };
    expect(await page('asc')).toEqual([['a', 'b'], true]);
    expect(await page('asc', 'b')).toEqual([['c'], false]);
    expect(await page('desc')).toEqual([['c', 'b'], true]);
    expect(await page('desc', 'b')).toEqual([['a'], false]);
    expect(await page('desc', 'out_r1')).toBe('unknown_cursor');
    expect(state.batches).toEqual([]);

    expect(await kept.remove({ ...named('r1'), accountId: 'acct_b' })).toBe(false);
    expect(await kept.remove(named('r1'))).toBe(true);
    expect(await kept.find(named('r1'))).toBeUndefined();
    expect(await storedResponses.conversation(named('r2'))).toBeNull();
    await part.stop();
    expect(keptIds()).toEqual(['r2']);
  });

  it('is deleted although it is being written at that moment', async () => {
    const { keep, kept, state, keptIds, part } = setUp();
    let go = (): void => undefined;
    state.held = new Promise((resolve) => {
      go = resolve;
    });
    keep(response('r1'));
    await eventually(() => {
      expect(state.batches).toEqual([['r1']]);
    });

    const removed = kept.remove({ accountId: 'acct_a', responseId: 'r1' });
    go();

    expect(await removed).toBe(true);
    expect(keptIds()).toHaveLength(0);
    await part.stop();
  });
});

/** Two megabytes in many items. */
const large = {
  input: Array.from({ length: 20 }, (_, n) => ({ id: `l${n}`, text: 'x'.repeat(1e5) })),
};

describe('a large response', () => {
  it('is written in the turns of others, and read and deleted as if it had been', async () => {
    const { keep, kept, storedResponses, state, keptIds, part } = setUp({ flushMs: 60_000 });
    const named = { accountId: 'acct_a', responseId: 'r1' };
    const startedMs = performance.now();
    keep(response('r1', large));
    const firstMs = performance.now() - startedMs;
    keep(response('r2', { ...large, previousResponseId: 'r1' }));

    expect(await storedResponses.conversation({ ...named, responseId: 'r2' })).toHaveLength(42);
    expect(await storedResponses.items({ accountId: 'acct_a', itemIds: ['l3'] })).toEqual(
      new Map([['l3', JSON.stringify(large.input[3])]]),
    );
    keep(response('r3', large));
    expect(await kept.remove({ ...named, responseId: 'r3' })).toBe(true);
    keep(response('r4', large));
    expect(await kept.find({ ...named, responseId: 'r4' })).toBeDefined();
    keep(response('r5', { input: [...large.input, { id: 'r5' }] }));
    expect(await storedResponses.items({ accountId: 'acct_a', itemIds: ['r5'] })).toHaveProperty(
      'size',
      1,
    );
    // All of it was waited for.
    expect(state.asked).toBe(0);
    await part.stop();

    expect(keptIds().sort()).toEqual(['r1', 'r2', 'r4', 'r5']);
    expect(firstMs).toBeLessThan(1_000);
  });

  it('is kept when the service stops in the middle of it', async () => {
    const { keep, keptIds, part } = setUp();
    keep(response('r1', large));

    await part.stop();

    expect(keptIds()).toEqual(['r1']);
  });

  it('is refused where it cannot be written, or where too many are being written', async () => {
    const { keep, counted, keptIds, part } = setUp();
    keep(response('r1', { input: [...large.input, 10n] }));
    for (let count = 0; count < 8; count += 1) keep(response(`more${count}`, large));
    await part.stop();

    expect([await counted('failed'), await counted('queue_full')]).toEqual([1, 5]);
    expect(keptIds()).toHaveLength(3);
  });
});

describe('an account that names more than it may', () => {
  it('hears what to do instead', async () => {
    const { storedResponses, part } = setUp();
    const itemIds = Array.from({ length: 10_001 }, (_, place) => `i${place}`);

    await expect(storedResponses.items({ accountId: 'acct_a', itemIds })).rejects.toMatchObject({
      code: 'context_length_exceeded',
      param: 'input',
    });
    await part.stop();
  });

  it('is told to wait', async () => {
    const { keep, storedResponses, part } = setUp({ flushMs: 60_000 });
    keep(response('r1', { input: [{ id: 'x', image: 'i'.repeat(9_000_000) }] }));
    keep(response('r2', { accountId: 'acct_b' }));
    const read = (accountId: string, responseId: string) =>
      storedResponses.conversation({ accountId, responseId });

    const outcomes = await Promise.allSettled(
      Array.from({ length: 12 }, () => read('acct_a', 'r1')),
    );

    const refused = outcomes.flatMap((outcome) =>
      outcome.status === 'rejected' ? [outcome.reason as { readonly code: string }] : [],
    );
    expect(refused.length).toBeGreaterThan(0);
    expect(refused.length).toBeLessThan(9);
    expect(new Set(refused.map(({ code }) => code))).toEqual(new Set(['rate_limit_exceeded']));
    expect(await read('acct_b', 'r2')).toHaveLength(2);
    await part.stop();
  });
});

describe('what is not there', () => {
  it('is looked for again, for another replica may be writing it', async () => {
    const { kept, memory, part } = setUp();

    const found = kept.find({ accountId: 'acct_a', responseId: 'r1' });
    await Promise.resolve();
    const late = aStoredResponse({ accountId: 'acct_a', responseId: 'r1' });
    void memory.store.keep([late]);

    expect(await found).toBe(late.response.toString());
    await part.stop();
  });
});

describe('the sweep', () => {
  it('removes what has expired until nothing is left, and counts it', async () => {
    const { memory, state, metrics, part } = setUp();
    const old = Array.from({ length: 502 }, () => aStoredResponse({ accountId: 'acct_a' }));
    await memory.store.keep(old);
    for (const each of old) memory.age(each, 25);

    await part.start!();
    await eventually(async () => {
      expect(await metrics.metrics()).toContain(
        'gateway_stored_responses_removed_total{reason="expired",service="api"} 502',
      );
    });

    await part.stop();
    expect(state.sweeps).toEqual([500, 2, 0]);
  });
});

/** Written to its end, and in how many slices. */
function written(kept: KeptResponse, maxBytes = 1e9) {
  const writing = writeResponse(kept, maxBytes);
  for (let slices = 1; ; slices += 1) {
    const next = writing.next();
    if (next.done === true) return { slices, rows: next.value };
  }
}

describe('a response as its rows', () => {
  it('has its input, then its output, and names only what can be one', () => {
    const { rows } = written({
      ...response('r1'),
      input: [{ id: 'in' }, { id: 'nul\u0000' }, { id: 'l'.repeat(257) }, { id: 7 }, null],
    });

    expect(rows).toMatchObject({
      items: [
        { itemId: 'in', isOutput: false, body: Buffer.from('{"id":"in"}') },
        ...[0, 1, 2, 3].map(() => ({ itemId: null, isOutput: false })),
        { itemId: 'out_r1', isOutput: true },
      ],
    });
  });

  it('weighs what it has in bytes of UTF-8, and something for each row', () => {
    const kept = { ...response('r1'), input: [{ id: 'ü' }], response: {} };
    const itemBytes = 256 + Buffer.byteLength('{"id":"ü"}');
    const sizeBytes = 512 + itemBytes + 2;

    expect(written(kept).rows).toMatchObject({ itemBytes, sizeBytes });
    expect(written(kept, sizeBytes).rows).toMatchObject({ sizeBytes });
    expect(written(kept, sizeBytes - 1).rows).toBe('too_large');
  });

  it('is written in slices when it is large', () => {
    const input = Array.from({ length: 20 }, (_, place) => ({
      id: `i${place}`,
      text: 'x'.repeat(1e5),
    }));

    expect(written(response('r1')).slices).toBe(1);
    expect(written({ ...response('r1'), input }).slices).toBe(7);
  });
});
