import { GatewayError, isId, taskStatuses, type IdKind, type TaskStatus } from '@gateway/domain';

/** A query as text, by name; what stands twice or is not known is refused before. */
export type QueryTexts = Readonly<Record<string, string | undefined>>;

export interface AdminCursors {
  readonly limit: number;
  readonly after: string | undefined;
  readonly before: string | undefined;
}

export interface TaskFilters extends AdminCursors {
  readonly status: TaskStatus | undefined;
  readonly accountId: string | undefined;
  readonly model: string | undefined;
  readonly provider: string | undefined;
}

export const cursorNames = ['limit', 'after', 'before'] as const;
export const taskFilterNames = [...cursorNames, 'status', 'account', 'model', 'provider'] as const;

const defaultLimit = 20;
const mostOnOnePage = 100;
const defaultGraceSeconds = 60;
const longestGraceSeconds = 86_400;

const refuse = (param: string, mustBe: string, text: string): never => {
  throw new GatewayError('invalid_parameter', `${param} must be ${mustBe}; got ${JSON.stringify(text.slice(0, 80))}`, { param });
};

/** Limit and cursors of a page of things whose ids are of this kind. Throws invalid_parameter. */
export function readCursors(kind: IdKind, { limit = String(defaultLimit), after, before }: QueryTexts): AdminCursors {
  if (!/^[1-9]\d{0,2}$/.test(limit) || Number(limit) > mostOnOnePage) refuse('limit', `an integer between 1 and ${mostOnOnePage}`, limit);
  for (const [param, id] of Object.entries({ after, before })) {
    if (id !== undefined && !isId(kind, id)) refuse(param, `an id of this list`, id);
  }
  return { limit: Number(limit), after, before };
}

/** Throws invalid_parameter. A model or provider that there is not is a filter that fits nothing: tasks outlive both. */
export function readTaskFilters(query: QueryTexts): TaskFilters {
  const { status, account: accountId, model, provider } = query;
  if (status !== undefined && !isTaskStatus(status)) refuse('status', `one of ${taskStatuses.join(', ')}`, status);
  if (accountId !== undefined && !isId('account', accountId)) refuse('account', 'the id of an account, such as acct_01h455vb4pex5vsknk084sn02q', accountId);
  return { ...readCursors('task', query), status: status as TaskStatus | undefined, accountId, model, provider };
}

const isTaskStatus = (text: string): text is TaskStatus => (taskStatuses as readonly string[]).includes(text);

/** Seconds that work in flight is given before it counts as stuck. Throws invalid_parameter. */
export function readGraceSeconds({ grace = String(defaultGraceSeconds) }: QueryTexts): number {
  if (!/^\d{1,5}$/.test(grace) || Number(grace) > longestGraceSeconds) refuse('grace', `a whole number of seconds up to ${longestGraceSeconds}`, grace);
  return Number(grace);
}
