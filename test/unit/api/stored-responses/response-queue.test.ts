import { describe, expect, it } from '@jest/globals';
import { aStoredResponse } from '../../../contracts/stored-response.ts';
import {
  ResponseQueue,
  type QueueBounds,
} from '../../../../services/api/src/adapters/stored-responses/response-queue.ts';

const wide: QueueBounds = { maxBytes: 1e9, maxResponses: 1e9, maxAccountBytes: 1e9 };
const all = { most: 1e9, mostBytes: 1e9 };
const of = (accountId: string, responseId: string, sizeBytes = 100) => ({
  ...aStoredResponse({ accountId, responseId }),
  sizeBytes,
});
const ids = (responses: readonly { readonly responseId: string }[]): string[] =>
  responses.map(({ responseId }) => responseId);

function aQueue(bounds: Partial<QueueBounds> = {}, ...responses: ReturnType<typeof of>[]) {
  const queue = new ResponseQueue({ ...wide, ...bounds });
  for (const response of responses) queue.add(response);
  return queue;
}

describe('the queue of responses', () => {
  it('gives accounts their turns, each its oldest first', () => {
    const queue = aQueue({}, of('a', 'a1'), of('a', 'a2'), of('a', 'a3'), of('b', 'b1'));

    expect(ids(queue.take({ ...all, most: 2 }))).toEqual(['a1', 'b1']);
    queue.settle();
    expect(ids(queue.take(all))).toEqual(['a2', 'a3']);
  });

  it('takes no more bytes than asked for, but one response at least', () => {
    const queue = aQueue(
      {},
      of('a', 'a1', 500),
      of('a', 'a2', 60),
      of('a', 'a3', 40),
      of('a', 'a4'),
    );
    const upTo = { most: 10, mostBytes: 100 };

    expect(ids(queue.take(upTo))).toEqual(['a1']);
    queue.settle();
    expect(ids(queue.take(upTo))).toEqual(['a2', 'a3']);
  });

  it('knows what waits and what is being written, and forgets what has been', () => {
    const queue = aQueue({}, of('a', 'a1'), of('a', 'a2'));
    queue.take({ ...all, most: 1 });

    expect(queue.find('a', 'a1')).toMatchObject({ responseId: 'a1' });
    expect(queue.find('a', 'a2')).toMatchObject({ responseId: 'a2' });
    expect(queue.find('b', 'a1')).toBeUndefined();
    expect(ids(queue.ofAccount('a'))).toEqual(['a2', 'a1']);
    expect(queue.ofAccount('b')).toEqual([]);

    queue.settle();
    expect(queue.find('a', 'a1')).toBeUndefined();
    expect([queue.size, queue.bytes]).toEqual([1, 100]);
  });

  it('keeps the order of an account when a write failed, and gives up what fails too often', () => {
    const queue = aQueue({}, of('a', 'a1'), of('a', 'a2'), of('a', 'a3'));
    queue.take({ ...all, most: 2 });

    expect(queue.putBack(2)).toEqual([]);
    expect(ids(queue.take(all))).toEqual(['a1', 'a2', 'a3']);
    expect(ids(queue.putBack(2))).toEqual(['a2', 'a1']);
    expect(queue.find('a', 'a1')).toBeUndefined();
    expect([queue.size, queue.bytes]).toEqual([1, 100]);
    expect(ids(queue.take(all))).toEqual(['a3']);
  });

  it('is full by its bytes, by its responses, and for one account', () => {
    expect(aQueue({ maxBytes: 100 }, of('a', 'a1')).isFull('b')).toBe(true);
    expect(aQueue({ maxBytes: 101 }, of('a', 'a1')).isFull('b')).toBe(false);
    expect(aQueue({ maxResponses: 1 }, of('a', 'a1')).isFull('b')).toBe(true);
    const hogged = aQueue({ maxAccountBytes: 100 }, of('a', 'a1'));
    expect([hogged.isFull('a'), hogged.isFull('b')]).toEqual([true, false]);
    hogged.take(all);
    expect(hogged.isFull('a')).toBe(true);
    hogged.settle();
    expect(hogged.isFull('a')).toBe(false);
  });

  it('has a response once', () => {
    const queue = aQueue({}, of('a', 'a1'));

    expect(queue.add(of('a', 'a1'))).toBe(false);
    expect(queue.add(of('b', 'a1'))).toBe(true);
    expect(queue.size).toBe(2);
  });

  it('lets go of what waits, not of what is being written', () => {
    const queue = aQueue({}, of('a', 'a1'), of('a', 'a2'));
    queue.take({ ...all, most: 1 });

    expect(queue.remove('a', 'a1')).toBe('under way');
    expect(queue.remove('b', 'a2')).toBeUndefined();
    expect(queue.remove('a', 'a2')).toBe('removed');
    expect(queue.remove('a', 'a2')).toBeUndefined();
    queue.settle();
    expect([queue.size, queue.bytes]).toEqual([0, 0]);
    expect(queue.take(all)).toEqual([]);
  });
});
