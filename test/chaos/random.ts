/** Dice that fall the same way for the same seed. */
export interface Dice {
  /** Uniform in [0, 1). */
  roll(): number;
  /** A whole number, both ends included. */
  between(least: number, most: number): number;
  chance(share: number): boolean;
  pick<Item>(items: readonly Item[]): Item;
  shuffle<Item>(items: readonly Item[]): Item[];
}

/** Mulberry32: small, fast, and good enough to choose what goes wrong next. */
export function createDice(seed: number): Dice {
  let state = seed >>> 0;
  const roll = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
  const between = (least: number, most: number): number =>
    least + Math.floor(roll() * (most - least + 1));
  return {
    roll,
    between,
    chance: (share) => roll() < share,
    pick(items) {
      const item = items[between(0, items.length - 1)];
      if (item === undefined) throw new Error('there is nothing to pick from');
      return item;
    },
    shuffle(items) {
      const left = [...items];
      return items.flatMap(() => left.splice(between(0, left.length - 1), 1));
    },
  };
}
