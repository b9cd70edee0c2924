import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { newId } from '@gateway/runtime';
import type { NewStoredResponse, StoredResponseReads, StoredResponses } from '@gateway/store';
import { aStoredResponse } from './stored-response.ts';

export interface StoredResponsesUnderTest {
  readonly store: StoredResponses;
  readonly reads: StoredResponseReads;
  /** As if it had been kept so many hours ago. */
  age(response: NewStoredResponse, hours: number): Promise<void>;
  /** What the account's responses count together. */
  bytesOf(accountId: string): Promise<number>;
  close(): Promise<void>;
}

let subject: StoredResponsesUnderTest;
let store: StoredResponses;
let reads: StoredResponseReads;

const maxAgeHours = 24;
const bounds = { maxAgeHours, maxResponses: 100, maxBytes: 1_000_000 };
const anId = () => newId('account');

const texts = (found: unknown): unknown =>
  Array.isArray(found)
    ? found.map((body) => (JSON.parse(body as string) as { text: string }).text)
    : found;

const conversation = (
  response: Pick<NewStoredResponse, 'accountId' | 'responseId'>,
  change: Partial<typeof bounds> = {},
) =>
  reads
    .conversation({
      accountId: response.accountId,
      responseId: response.responseId,
      ...bounds,
      ...change,
    })
    .then(texts);

/** One response after the other, each about the previous one. */
async function aChain(accountId: string, length: number): Promise<NewStoredResponse[]> {
  const chain: NewStoredResponse[] = [];
  for (let turn = 1; turn <= length; turn += 1) {
    chain.push(
      aStoredResponse({
        accountId,
        previousId: chain.at(-1)?.responseId ?? null,
        input: [`question ${turn}`],
        output: [`answer ${turn}`],
      }),
    );
  }
  await store.keep(chain);
  return chain;
}

/** Every store of responses must pass this suite. */
export function itKeepsTheStoredResponsesContract(
  name: string,
  open: () => Promise<StoredResponsesUnderTest>,
): void {
  describe(`${name} as a store of responses`, () => {
    beforeAll(async () => {
      subject = await open();
      ({ store, reads } = subject);
    });
    afterAll(() => subject.close());

    describe('a stored response', () => {
      it('is found whole, as it was', async () => {
        const response = aStoredResponse({
          accountId: anId(),
          response: { odd: '\u0000 \ud800 “ü”' },
        });

        await store.keep([response]);

        const found = await reads.find({ ...response, maxAgeHours });
        expect(found).toBe(response.response.toString());
        expect(JSON.parse(found!)).toMatchObject({ odd: '\u0000 \ud800 “ü”' });
      });

      it('stays as it is when one with its id comes again', async () => {
        const response = aStoredResponse({ accountId: anId() });
        await store.keep([response]);

        await store.keep([
          {
            ...aStoredResponse({ accountId: response.accountId }),
            responseId: response.responseId,
          },
          response,
        ]);

        expect(await reads.find({ ...response, maxAgeHours })).toBe(response.response.toString());
        expect(await subject.bytesOf(response.accountId)).toBe(response.sizeBytes);
      });

      it('is nobody’s but its account’s', async () => {
        const [own, other] = [anId(), anId()];
        const [first, last] = await aChain(own, 2);
        const foreign = { accountId: other, responseId: last!.responseId };
        const itemId = last!.items[0]!.itemId!;

        expect(await reads.find({ ...foreign, maxAgeHours })).toBeUndefined();
        expect(await conversation(foreign)).toBe('gone');
        expect(
          await reads.inputPage({ ...foreign, maxAgeHours, limit: 10, order: 'asc' }),
        ).toBeUndefined();
        expect(
          await reads.items({ accountId: other, itemIds: [itemId], maxAgeHours, maxBytes: 1_000 }),
        ).toEqual(new Map());
        expect(await store.remove({ ...foreign, maxAgeHours })).toBe(false);
        expect(await conversation(last!)).toHaveLength(4);

        // The same ids elsewhere are other things, also as a predecessor.
        await store.keep([
          aStoredResponse({
            accountId: other,
            previousId: first!.responseId,
            responseId: 'resp_mine',
          }),
        ]);
        expect(await conversation({ accountId: other, responseId: 'resp_mine' })).toBe('gone');
      });

      it('can have the id of another account’s', async () => {
        const [one, other] = ['one', 'other'].map((text) =>
          aStoredResponse({
            accountId: anId(),
            responseId: 'resp_same',
            input: [text],
            output: [],
          }),
        );

        await store.keep([one!, other!]);

        for (const response of [one!, other!]) {
          const { accountId, responseId, items } = response;
          const [item] = items;
          expect(texts([item!.body.toString()])).toEqual(await conversation(response));
          expect(await reads.find({ accountId, responseId, maxAgeHours })).toBe(
            response.response.toString(),
          );
          const page = { accountId, responseId, maxAgeHours, limit: 10, order: 'asc' } as const;
          expect(await reads.inputPage(page)).toEqual({
            items: [{ itemId: item!.itemId, body: item!.body.toString() }],
            hasMore: false,
          });
          // A cursor is an item of this response, not of the other account's.
          const foreign = response === one ? other! : one!;
          expect(await reads.inputPage({ ...page, after: foreign.items[0]!.itemId! })).toBe(
            'unknown_cursor',
          );
        }
        await store.remove({ ...one!, maxAgeHours });
        expect(await conversation(other!)).toEqual(['other']);
      });

      it('is deleted with its items', async () => {
        const response = aStoredResponse({ accountId: anId() });
        await store.keep([response]);

        expect(await store.remove({ ...response, maxAgeHours })).toBe(true);
        expect(await store.remove({ ...response, maxAgeHours })).toBe(false);

        expect(await reads.find({ ...response, maxAgeHours })).toBeUndefined();
        const itemIds = response.items.map(({ itemId }) => itemId!);
        expect(
          await reads.items({ ...response, itemIds, maxAgeHours, maxBytes: 1_000_000 }),
        ).toEqual(new Map());
        expect(await subject.bytesOf(response.accountId)).toBe(0);
      });
    });

    describe('a conversation', () => {
      it('has the items of every response, oldest first: input, then output', async () => {
        const chain = await aChain(anId(), 3);

        expect(await conversation(chain[2]!)).toEqual([
          'question 1',
          'answer 1',
          'question 2',
          'answer 2',
          'question 3',
          'answer 3',
        ]);
        expect(await conversation(chain[0]!)).toEqual(['question 1', 'answer 1']);
      });

      it('may have no items at all', async () => {
        const response = aStoredResponse({ accountId: anId(), input: [], output: [] });
        await store.keep([response]);

        expect(await conversation(response)).toEqual([]);
      });

      it('can branch', async () => {
        const accountId = anId();
        const [first, second] = await aChain(accountId, 2);
        const branch = aStoredResponse({
          accountId,
          previousId: first!.responseId,
          input: ['another question'],
          output: [],
        });
        await store.keep([branch]);

        expect(await conversation(branch)).toEqual(['question 1', 'answer 1', 'another question']);
        expect(await conversation(second!)).toHaveLength(4);
      });

      it('is gone when one of its responses was deleted or has expired', async () => {
        const [deleted, expired] = [await aChain(anId(), 3), await aChain(anId(), 3)];
        await store.remove({ ...deleted[0]!, maxAgeHours });
        await subject.age(expired[1]!, 25);

        expect(await conversation(deleted[2]!)).toBe('gone');
        expect(await conversation(expired[2]!)).toBe('gone');
        expect(await conversation(expired[0]!)).toHaveLength(2);
      });

      it('is too long beyond its bounds, and not at them', async () => {
        const chain = await aChain(anId(), 4);
        const bytes = chain.reduce((sum, { itemBytes }) => sum + itemBytes, 0);
        const last = chain[3]!;

        expect(await conversation(last, { maxResponses: 4, maxBytes: bytes })).toHaveLength(8);
        expect(await conversation(last, { maxResponses: 3 })).toBe('too_long');
        expect(await conversation(last, { maxBytes: bytes - 1 })).toBe('too_long');
      });

      it('ends although its responses name each other', async () => {
        const accountId = anId();
        const [one, other] = ['resp_one', 'resp_other'];
        await store.keep([
          aStoredResponse({ accountId, responseId: one, previousId: other }),
          aStoredResponse({ accountId, responseId: other, previousId: one }),
        ]);

        expect(await conversation({ accountId, responseId: one })).toBe('too_long');
      });
    });

    describe('items by their ids', () => {
      it('are those of inputs and outputs; of several with one id the newest', async () => {
        const accountId = anId();
        const early = aStoredResponse({ accountId, input: ['early'], output: [] });
        const itemId = early.items[0]!.itemId!;
        const late = aStoredResponse({ accountId, output: ['late'] });
        const again = { ...late.items[1]!, itemId, isOutput: false };
        await store.keep([early]);
        await subject.age(early, 1);
        await store.keep([{ ...late, items: [again, late.items[1]!] }]);
        const outputId = late.items[1]!.itemId!;

        const found = await reads.items({
          accountId,
          itemIds: [itemId, outputId, outputId, 'missing'],
          maxAgeHours,
          maxBytes: 1_000_000,
        });

        expect([...(found as Map<string, string>)].sort()).toEqual(
          [
            [itemId, again.body.toString()],
            [outputId, late.items[1]!.body.toString()],
          ].sort(),
        );
      });

      it('are too long together beyond the bound, and not at it', async () => {
        const response = aStoredResponse({ accountId: anId() });
        await store.keep([response]);
        const query = {
          ...response,
          itemIds: response.items.map(({ itemId }) => itemId!),
          maxAgeHours,
        };

        const atTheBound = await reads.items({ ...query, maxBytes: response.itemBytes });
        expect(atTheBound).toHaveProperty('size', 2);
        expect(await reads.items({ ...query, maxBytes: response.itemBytes - 1 })).toBe('too_long');
      });
    });

    describe('the input of a response', () => {
      it('comes in pages in either order, without the output', async () => {
        const input = ['1', '2', '3', '4', '5'];
        const response = aStoredResponse({ accountId: anId(), input, output: ['answer'] });
        await store.keep([response]);
        const page = async (order: 'asc' | 'desc', after?: number) => {
          const found = await reads.inputPage({
            ...response,
            maxAgeHours,
            limit: 2,
            order,
            after: after === undefined ? undefined : response.items[after]!.itemId!,
          });
          if (found === undefined || found === 'unknown_cursor') return found;
          return [texts(found.items.map(({ body }) => body)), found.hasMore];
        };

        expect(await page('asc')).toEqual([['1', '2'], true]);
        expect(await page('asc', 1)).toEqual([['3', '4'], true]);
        expect(await page('asc', 3)).toEqual([['5'], false]);
        expect(await page('desc')).toEqual([['5', '4'], true]);
        expect(await page('desc', 1)).toEqual([['1'], false]);
        expect(await page('desc', 0)).toEqual([[], false]);
        expect(await page('asc', 5)).toBe('unknown_cursor');
      });

      it('is empty where there was none', async () => {
        const response = aStoredResponse({ accountId: anId(), input: [] });
        await store.keep([response]);

        expect(await reads.inputPage({ ...response, maxAgeHours, limit: 2, order: 'asc' })).toEqual(
          {
            items: [],
            hasMore: false,
          },
        );
      });
    });

    describe('what has expired', () => {
      it('is shown to nobody, before it is removed', async () => {
        const response = aStoredResponse({ accountId: anId() });
        await store.keep([response]);
        await subject.age(response, 24);

        expect(await reads.find({ ...response, maxAgeHours })).toBeUndefined();
        expect(await conversation(response)).toBe('gone');
        expect(
          await reads.inputPage({ ...response, maxAgeHours, limit: 2, order: 'asc' }),
        ).toBeUndefined();
        expect(
          await reads.items({
            ...response,
            itemIds: [response.items[0]!.itemId!],
            maxAgeHours,
            maxBytes: 1_000,
          }),
        ).toEqual(new Map());
        expect(await store.remove({ ...response, maxAgeHours })).toBe(false);
        expect(await conversation(response, { maxAgeHours: 25 })).toHaveLength(2);
      });

      it('is removed, and nothing else, in statements that are bounded', async () => {
        const accountId = anId();
        const old = Array.from({ length: 501 }, () =>
          aStoredResponse({ accountId, input: [], output: [] }),
        );
        const young = aStoredResponse({ accountId });
        await store.keep([...old, young]);
        for (const response of old) await subject.age(response, 48);

        expect(await store.removeOlder(24)).toBe(500);
        expect(await store.removeOlder(24)).toBeGreaterThanOrEqual(1);
        expect(await store.removeOlder(24)).toBe(0);
        expect(await subject.bytesOf(accountId)).toBe(young.sizeBytes);
      });
    });

    describe('the limit of an account', () => {
      it('removes its oldest responses until the others are within it, and nobody else’s', async () => {
        const [accountId, other] = [anId(), anId()];
        const [first, second, third] = [3, 2, 1].map((hours) => ({
          hours,
          response: aStoredResponse({ accountId }),
        }));
        const foreign = aStoredResponse({ accountId: other });
        for (const { hours, response } of [first!, second!, third!]) {
          await store.keep([response]);
          await subject.age(response, hours);
        }
        await store.keep([foreign]);
        const { sizeBytes } = second!.response;

        expect(await store.trim([accountId, other], await subject.bytesOf(accountId))).toBe(0);
        expect(await store.trim([accountId, other], 2 * sizeBytes)).toBe(1);

        expect(await reads.find({ ...first!.response, maxAgeHours })).toBeUndefined();
        expect(await reads.find({ ...second!.response, maxAgeHours })).toBeDefined();
        expect(await subject.bytesOf(accountId)).toBe(2 * sizeBytes);
        expect(await store.trim([accountId], 2 * sizeBytes - 1)).toBe(1);
        expect(await reads.find({ ...third!.response, maxAgeHours })).toBeDefined();
        expect(await subject.bytesOf(other)).toBe(foreign.sizeBytes);
      });
    });
  });
}
