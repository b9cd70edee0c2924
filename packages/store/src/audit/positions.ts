/** The last number of each table in the order of writing; of media the time of a purge, in ms. */
export type Positions = Readonly<Record<(typeof counted)[number], number>>;

const counted = [
  'ledger_entry',
  'task_event',
  'callback_attempt',
  'usage_record',
  'usage_uncollected',
  'exposure',
  'deleted_task',
  'media',
] as const;

/** Before everything. */
const noPositions: Positions = Object.fromEntries(counted.map((table) => [table, -1])) as Positions;

const combine = (
  one: Positions,
  other: Partial<Positions>,
  choose: (one: number, other: number) => number,
): Positions =>
  Object.fromEntries(
    counted.map((table) => [table, choose(one[table], other[table] ?? one[table])]),
  ) as Positions;

export const laterOf = (one: Positions, other: Positions): Positions =>
  combine(one, other, Math.max);
export const earlierOf = (one: Positions, other: Positions): Positions =>
  combine(one, other, Math.min);

/** What was stored; a table that it does not name yet stands at its beginning. */
export const positionsOf = (stored: Partial<Positions>): Positions => ({
  ...noPositions,
  ...stored,
});

export const isUnopened = (stored: Partial<Positions>): boolean => Object.keys(stored).length === 0;
