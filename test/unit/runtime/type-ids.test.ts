import { describe, expect, it } from '@jest/globals';
import { newTypeId } from '@gateway/runtime';
import { TypeID } from 'typeid-js';

describe('a TypeID', () => {
  it.each([0, 1, 0xffff_ffff, 0x1_0000_0000, 1_763_740_800_123, 2 ** 48 - 1])(
    'made at %i ms is one as the library reads it: a UUIDv7 of that moment',
    (now) => {
      const id = TypeID.fromString(newTypeId('req', now));
      const uuid = id.toUUID();

      expect(id.getType()).toBe('req');
      expect(uuid).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
      expect(Number.parseInt(uuid.replaceAll('-', '').slice(0, 12), 16)).toBe(now);
    },
  );

  it('is never given twice, also within one millisecond, and sorts by time', () => {
    const atOnce = Array.from({ length: 20_000 }, () => newTypeId('x', 1_763_740_700_000));
    const inTurn = Array.from({ length: 20_000 }, (_, index) =>
      newTypeId('x', 1_763_740_800_000 + index),
    );

    expect(new Set(atOnce).size).toBe(20_000);
    expect(atOnce.toSorted()).toEqual(atOnce);
    expect(inTurn.toSorted()).toEqual(inTurn);
  });
});
