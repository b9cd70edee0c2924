import type { QueryField } from './query-field.ts';

const entryPrefix = 'entry_';

/** An entry's id for customers. */
export const entryId = (number: number): string => `${entryPrefix}${number}`;

/** The id of an entry as a cursor: its number. */
export const entryField: QueryField<number> = {
  read(id) {
    const digits = /^entry_([1-9]\d{0,14})$/.exec(id)?.[1];
    return digits === undefined ? undefined : Number(digits);
  },
  mustBe: `the id of an entry, such as ${entryPrefix}17`,
};
