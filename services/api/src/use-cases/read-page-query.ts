import { readField, type QueryField } from './query-field.ts';

/** A query as text, by name. */
export type QueryTexts = Readonly<Record<string, string | undefined>>;

export interface PageQuery<Id> {
  readonly limit: number;
  readonly after: Id | undefined;
  readonly before: Id | undefined;
}

/** Of every list that is read page by page. */
export const pageNames = ['limit', 'after', 'before'] as const;
export const defaultLimit = 20;
const mostOnOnePage = 100;

/** How many things a page may have. */
export const limitField = (most: number = mostOnOnePage): QueryField<number> => ({
  read: (text) => (/^[1-9]\d{0,3}$/.test(text) && Number(text) <= most ? Number(text) : undefined),
  mustBe: `an integer between 1 and ${most}`,
});

/** Limit and cursors of a page; the cursors are ids of the list. Throws invalid_parameter. */
export const readPageQuery = <Id>(
  { limit, after, before }: QueryTexts,
  ids: QueryField<Id>,
): PageQuery<Id> => ({
  limit: readField('limit', limit, limitField()) ?? defaultLimit,
  after: readField('after', after, ids),
  before: readField('before', before, ids),
});
