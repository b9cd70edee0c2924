import { GatewayError } from '@gateway/domain';

/** What a customer asks for, as text; all of it may be left out. */
export interface LedgerQuery {
  readonly limit?: string | undefined;
  readonly after?: string | undefined;
  readonly before?: string | undefined;
}

export interface LedgerCursors {
  readonly limit: number;
  readonly after: number | undefined;
  readonly before: number | undefined;
}

const entryPrefix = 'entry_';
const defaultLimit = 20;
const mostOnOnePage = 100;

/** An entry's id for customers. */
export const entryId = (number: number): string => `${entryPrefix}${number}`;

/** Limit and cursors of a page of the ledger. Throws invalid_parameter. */
export function readLedgerQuery({ limit = String(defaultLimit), after, before }: LedgerQuery): LedgerCursors {
  if (!/^[1-9]\d{0,2}$/.test(limit) || Number(limit) > mostOnOnePage) {
    throw new GatewayError('invalid_parameter', `limit must be an integer between 1 and ${mostOnOnePage}; got ${JSON.stringify(limit.slice(0, 80))}`, { param: 'limit' });
  }
  return { limit: Number(limit), after: readCursor('after', after), before: readCursor('before', before) };
}

function readCursor(param: string, id: string | undefined): number | undefined {
  if (id === undefined) return undefined;
  const digits = /^entry_([1-9]\d{0,14})$/.exec(id)?.[1];
  if (digits === undefined) throw new GatewayError('invalid_parameter', `${param} must be the id of an entry, such as ${entryPrefix}17; got ${JSON.stringify(id.slice(0, 80))}`, { param });
  return Number(digits);
}
