import { isEntryId } from '@gateway/domain';
import type { QueryField } from './query-field.ts';

/** The id of an entry as a cursor. */
export const entryField: QueryField<string> = {
  read: (id) => (isEntryId(id) ? id : undefined),
  mustBe: 'the id of an entry',
};
