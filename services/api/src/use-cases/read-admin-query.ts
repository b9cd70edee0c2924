import type { IdKind } from '@gateway/domain';
import { idField, readField, type QueryField } from './query-field.ts';
import type { QueryTexts } from './read-page-query.ts';

const defaultGraceSeconds = 60;
const longestGraceSeconds = 86_400;

const graceField: QueryField<number> = {
  read: (text) =>
    /^\d{1,5}$/.test(text) && Number(text) <= longestGraceSeconds ? Number(text) : undefined,
  mustBe: `a whole number of seconds up to ${longestGraceSeconds}`,
};

/** The number of an entry in the journal, or of an exposure. */
export const countedIds: QueryField<number> = {
  read: (text) => (/^[1-9]\d{0,14}$/.test(text) ? Number(text) : undefined),
  mustBe: 'an id of this list',
};

/** Whose entries are asked for; undefined: everybody's. Throws invalid_parameter. */
export const readAccount = ({ account }: QueryTexts): string | undefined =>
  readField(
    'account',
    account,
    idField('account', 'the id of an account, such as acct_01h455vb4pex5vsknk084sn02q'),
  );

/** The cursors of a list of the operator's. */
export const listedIds = (kind: IdKind): QueryField<string> => idField(kind, 'an id of this list');

/** Seconds after which work in flight counts as stuck. Throws invalid_parameter. */
export const readGraceSeconds = ({ grace }: QueryTexts): number =>
  readField('grace', grace, graceField) ?? defaultGraceSeconds;
