import { describe, expect, it } from '@jest/globals';
import { createOpenItems, type Placed } from '@gateway/runtime';
import fc from 'fast-check';

interface Item extends Placed {
  readonly id: number;
}
const item = (id: number): Item => ({ id, place: -1 });

describe('the list of what is open', () => {
  it('holds what a Set would hold, whatever comes and goes', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.boolean(), fc.nat(20)), { maxLength: 200 }), (steps) => {
        const items = Array.from({ length: 21 }, (_, id) => item(id));
        const open = createOpenItems<Item>();
        const model = new Set<Item>();
        for (const [comes, id] of steps) {
          const one = items[id]!;
          if (comes && !model.has(one)) {
            open.add(one);
            model.add(one);
          } else if (!comes) {
            open.remove(one);
            model.delete(one);
          }
          expect(open.size).toBe(model.size);
          expect(new Set(open.all())).toEqual(model);
          for (const each of items) expect(open.has(each)).toBe(model.has(each));
        }
      }),
      { numRuns: 200 },
    );
  });

  it('may lose what is open while it is walked', () => {
    const open = createOpenItems<Item>();
    for (const id of [1, 2, 3]) open.add(item(id));

    const walked = open.all().map((one) => {
      open.remove(one);
      return one.id;
    });

    expect(walked).toEqual([1, 2, 3]);
    expect(open.size).toBe(0);
  });
});
