import type { IdKind, TaskStatus } from '@gateway/domain';
import { idField, readField, statusField, type QueryField } from './query-field.ts';
import { pageNames, readPageQuery, type PageQuery, type QueryTexts } from './read-page-query.ts';

export interface TaskFilters extends PageQuery<string> {
  readonly status: TaskStatus | undefined;
  readonly accountId: string | undefined;
  readonly model: string | undefined;
  readonly provider: string | undefined;
}

export const taskFilterNames = [...pageNames, 'status', 'account', 'model', 'provider'] as const;

const defaultGraceSeconds = 60;
const longestGraceSeconds = 86_400;

const accountField = idField(
  'account',
  'the id of an account, such as acct_01h455vb4pex5vsknk084sn02q',
);
const graceField: QueryField<number> = {
  read: (text) =>
    /^\d{1,5}$/.test(text) && Number(text) <= longestGraceSeconds ? Number(text) : undefined,
  mustBe: `a whole number of seconds up to ${longestGraceSeconds}`,
};

/** The cursors of a list of the operator's. */
export const listedIds = (kind: IdKind): QueryField<string> => idField(kind, 'an id of this list');

/**
 * Throws invalid_parameter. A model or provider that there is not is a filter that fits nothing:
 * tasks outlive both.
 */
export function readTaskFilters(query: QueryTexts): TaskFilters {
  const status = readField('status', query['status'], statusField);
  const accountId = readField('account', query['account'], accountField);
  return {
    ...readPageQuery(query, listedIds('task')),
    status,
    accountId,
    model: query['model'],
    provider: query['provider'],
  };
}

/** Seconds after which work in flight counts as stuck. Throws invalid_parameter. */
export const readGraceSeconds = ({ grace }: QueryTexts): number =>
  readField('grace', grace, graceField) ?? defaultGraceSeconds;
