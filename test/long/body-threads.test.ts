/** @workers 3: it promises no times. */
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { eventually } from '@gateway/testing';
import { createThreadPool, type ThreadPool } from '../../services/api/src/bodies/pool.ts';
import { freeMemory, isHandedOver, LargeMemory } from '../../services/api/src/bodies/memory.ts';
import { createPreparation } from '../../services/api/src/bodies/preparation.ts';
import { RequestBody } from '../../services/api/src/bodies/text-body.ts';
import type { Work } from '../../services/api/src/bodies/work.ts';

// A thread cannot load TypeScript on Node 20.
const entry = new URL('../../services/api/dist/bodies/thread.js', import.meta.url);
const inspect: Work = { kind: 'inspect', dialect: 'messages', operation: 'create', media: false };
const video: Work = { kind: 'video', wantsHash: false };

let pool: ThreadPool;
beforeEach(() => {
  pool = createThreadPool({ entry, threads: 2, heapMegabytes: 96 });
});
afterEach(async () => {
  await pool.stop();
});

/** In memory that is handed over. */
function large(text: string): Buffer {
  const bytes = Buffer.from(text);
  const memory = new LargeMemory(bytes.length);
  memory.add(bytes);
  return memory.whole();
}

const messages = (x: string): string =>
  `{"model":"m","max_tokens":5,"messages":[{"role":"user","content":"hi"}],"x":${x}}`;
/** Many small values: what takes longest to read. */
const dense = (values: number): string => messages(`{"y":[${'{"a":[]},'.repeat(values / 3)}0]}`);

describe('the threads that read large bodies', () => {
  it('read a body, and give its memory back', async () => {
    const text = messages(`"${'x'.repeat(9_000_000)}"`);
    const bytes = large(text);
    const { value, bytes: back } = await pool.run('a', bytes, inspect);
    expect(value).toMatchObject({
      head: { model: 'm', stream: false, maxTokens: 5 },
      promptTokens: expect.any(Number),
    });
    expect(bytes).toHaveLength(0);
    expect(back.equals(Buffer.from(text))).toBe(true);
    freeMemory(back);
    expect(back).toHaveLength(0);
  });

  it('give back memory that the next body gets', async () => {
    const text = messages(`"${'x'.repeat(300_000)}"`);
    const { bytes: back } = await pool.run('a', large(text), inspect);
    expect(back.equals(Buffer.from(text))).toBe(true);

    freeMemory(back);
    const next = large(text);
    expect(next.buffer).toBe(back.buffer);
    freeMemory(next);
  });

  it('copy a body that lies in memory of others', async () => {
    const bytes = Buffer.from(messages('0'));
    const { bytes: back } = await pool.run('a', bytes, inspect);
    expect(back).toBe(bytes);
    expect(back.toString()).toBe(messages('0'));
  });

  it('pass on a body without a copy of what does not change in it', async () => {
    const text = messages(`"${'x'.repeat(9_000_000)}"`).replace('"m"', '"ours"');
    const bytes = large(text);
    const body = new RequestBody(bytes, 'a');
    const upstream = {
      dialect: 'messages',
      vendor: 'generic',
      model: 'theirs',
      overrides: {},
    } as const;

    const rendered = await createPreparation(pool).render(body, {
      kind: 'render',
      dialect: 'messages',
      upstream,
      addUsage: false,
      isExpanded: false,
      keepsResponses: false,
    });

    const whole = Buffer.concat(rendered.body).toString();
    expect(whole === text.replace('"ours"', '"theirs"')).toBe(true);
    expect(rendered.body.map(({ buffer }) => buffer === body.bytes.buffer)).toEqual([false, true]);
    body.free();
  });

  it('decode the data URLs of a video request into memory that is freed at once', async () => {
    const content = Buffer.concat([Buffer.from('89504e470d0a1a0a', 'hex'), Buffer.alloc(200_000)]);
    const url = `data:image/png;base64,${content.toString('base64')}`;
    const body = JSON.stringify({ model: 'm', references: [{ type: 'image', url }] });
    const { value } = await pool.run('a', large(body), video);
    const { held } = value as { held: { bytes: Uint8Array; mediaType: string }[] };
    expect(held).toMatchObject([{ mediaType: 'image/png' }]);
    expect(Buffer.from(held[0]?.bytes ?? []).equals(content)).toBe(true);
    expect(held.every(({ bytes }) => isHandedOver(bytes))).toBe(true);
  });

  it('put what a request refers to into it, and give its items to be kept', async () => {
    const long = 'x'.repeat(300_000);
    const reference = { type: 'item_reference', id: 'rs_1' };
    const thoughts = { id: 'rs_1', type: 'reasoning', summary: [] };
    const items = new Map([['rs_1', JSON.stringify(thoughts)]]);
    const body = JSON.stringify({
      model: 'm',
      input: [reference, { role: 'user', content: long }],
    });
    const before = { role: 'user', content: 'before' };
    const conversation = [JSON.stringify(before)];

    const expanded = await pool.run('a', large(body), { kind: 'expand', conversation, items });
    const kept = await pool.run('a', expanded.bytes, { kind: 'items', items });

    const { expanded: bytes } = expanded.value as { expanded: Uint8Array };
    expect(JSON.parse(Buffer.from(bytes).toString())).toEqual({
      model: 'm',
      input: [before, thoughts, { role: 'user', content: long }],
    });
    expect(kept.value).toEqual([
      thoughts,
      { type: 'message', role: 'user', content: long, id: expect.stringMatching(/^msg_/) },
    ]);
    freeMemory(kept.bytes);
  });

  it('refuse a body in the words of who reads it, and free its memory', async () => {
    const bytes = large('{"model":"a","model":"b"}');
    await expect(pool.run('a', bytes, inspect)).rejects.toMatchObject({
      code: 'invalid_json',
      param: 'model',
    });
    expect(bytes).toHaveLength(0);
  });

  it('are never all of one account: another is served while the large ones of the first wait', async () => {
    const hostile = Array.from({ length: 4 }, () => pool.run('a', large(dense(300_000)), inspect));
    await pool.run('b', large(messages(`"${'x'.repeat(300_000)}"`)), inspect);
    expect(pool.waiting).toBeGreaterThanOrEqual(2);
    expect(await Promise.all(hostile)).toHaveLength(4);
    expect(pool.waiting).toBe(0);
  });

  it('start when there is work for them, and end when there is none', async () => {
    await pool.stop();
    pool = createThreadPool({ entry, threads: 2, heapMegabytes: 96, idleMs: 50 });
    expect(pool.threads).toBe(0);

    await pool.run('a', large(messages('0')), inspect);
    expect(pool.threads).toBe(1);

    await eventually(() => {
      expect(pool.threads).toBe(0);
    });
    const again = await pool.run('a', large(messages('0')), inspect);
    expect(again.value).toMatchObject({ head: { model: 'm' } });
  });

  it('die of a body that takes too much memory with this body alone', async () => {
    await pool.stop();
    pool = createThreadPool({ entry, threads: 2, heapMegabytes: 28 });
    const text = messages(`{"y":[${'{"abc":[{}]},'.repeat(240_000)}0]}`);
    const [death, other] = await Promise.allSettled([
      pool.run('a', large(text), inspect),
      pool.run('b', large(messages('0')), inspect),
    ]);
    expect(death).toMatchObject({
      status: 'rejected',
      reason: {
        code: 'payload_too_large',
        message: expect.stringContaining('takes more memory than one body may have'),
      },
    });
    expect(other.status).toBe('fulfilled');
    const next = await pool.run('a', large(messages('0')), inspect);
    expect(next.value).toMatchObject({ head: { model: 'm' } });
  });
});
