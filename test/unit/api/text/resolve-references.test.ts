import { describe, expect, it } from '@jest/globals';
import type { References } from '@gateway/text-dialects';
import { createPreparation } from '../../../../services/api/src/bodies/preparation.ts';
import { RequestBody } from '../../../../services/api/src/bodies/text-body.ts';
import {
  resolveReferences,
  type ReferencePorts,
} from '../../../../services/api/src/text/arrive/resolve-references.ts';

type Store = ReferencePorts['stored'];
const before = { role: 'user', content: 'before' };
const thoughts = { id: 'rs_1', type: 'reasoning', summary: [] };

/** Knows one response and one item; `asked` for anything else, it finds nothing. */
function aStore(asked: unknown[] = [], isOn = true): Store {
  return {
    isOn,
    conversation(query) {
      asked.push(query);
      return Promise.resolve(query.responseId === 'resp_1' ? [JSON.stringify(before)] : null);
    },
    items(query) {
      asked.push(query);
      return Promise.resolve(
        new Map(query.itemIds.includes('rs_1') ? [['rs_1', JSON.stringify(thoughts)]] : []),
      );
    },
    keep: () => undefined,
  };
}

const resolve = (
  { previousResponseId, itemIds = [] }: Partial<References>,
  stored: Store = aStore(),
  limitBytes = 1_000,
) =>
  resolveReferences(
    { stored, preparation: createPreparation(undefined) },
    {
      accountId: 'acct_1',
      limitBytes,
      references: { previousResponseId, itemIds },
      body: new RequestBody(
        Buffer.from(
          JSON.stringify({ model: 'm', input: [{ type: 'item_reference', id: 'rs_1' }] }),
        ),
      ),
    },
  );
const long = 'x'.repeat(129);

describe('what a request of the responses format refers to', () => {
  it('is put into its input', async () => {
    const { body, items } = await resolve({ previousResponseId: 'resp_1', itemIds: ['rs_1'] });

    expect(JSON.parse(body.bytes.toString())).toEqual({ model: 'm', input: [before, thoughts] });
    expect([...items]).toEqual([['rs_1', JSON.stringify(thoughts)]]);
  });

  it.each<[string, Partial<References>, string, string]>([
    [
      'a response',
      { previousResponseId: 'resp_2' },
      'previous_response_not_found',
      "Previous response with id 'resp_2' not found.",
    ],
    ['an item', { itemIds: ['rs_1', 'rs_2'] }, 'item_not_found', "Item with id 'rs_2' not found."],
  ])(
    'is refused in the vendor’s words where it is not kept: %s',
    async (_what, wanted, code, message) => {
      await expect(resolve(wanted)).rejects.toMatchObject({ code, message });
      await expect(resolve(wanted, aStore([], false))).rejects.toMatchObject({
        code,
        message: `${message} This gateway keeps no responses: send the whole conversation as input.`,
      });
    },
  );

  it.each<[string, Partial<References>]>([
    ['a response', { previousResponseId: long }],
    ['an item', { itemIds: ['rs_1', long] }],
  ])('is not looked for under an id that none can have: %s', async (_what, wanted) => {
    const asked: unknown[] = [];

    await expect(resolve(wanted, aStore(asked))).rejects.toMatchObject({
      message: expect.stringContaining('x'.repeat(128)),
    });
    expect(asked).toEqual([]);
  });

  it('does not outgrow the route', async () => {
    await expect(resolve({ itemIds: ['rs_1'] }, aStore(), 40)).rejects.toMatchObject({
      code: 'payload_too_large',
    });
  });
});
