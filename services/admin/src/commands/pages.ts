import { isId, type IdKind } from '@gateway/domain';
import type { Page } from '@gateway/store';
import { UsageError, type CommandResult, type Option } from '../command.ts';

type Values = Readonly<Record<string, string | undefined>>;

const defaultLimit = 20;
const maxLimit = 100;

/** Options of every command that lists something. */
export const pageOptions: Readonly<Record<string, Option>> = {
  limit: {
    required: false,
    help: `number of entries (default ${defaultLimit}, at most ${maxLimit})`,
  },
  after: { required: false, help: 'only entries older than this id' },
  before: { required: false, help: 'only entries newer than this id' },
};

/** Throws a UsageError for cursors that are no ids of the list. */
export function cursorsOf(
  values: Values,
  isCursor: (text: string) => boolean,
): { limit: number; after: string | undefined; before: string | undefined } {
  const { limit = String(defaultLimit), after, before } = values;
  if (!/^[1-9]\d{0,2}$/.test(limit) || Number(limit) > maxLimit) {
    throw new UsageError(
      `--limit must be a whole number between 1 and ${maxLimit}; got ${JSON.stringify(limit)}`,
    );
  }
  for (const [option, id] of Object.entries({ after, before })) {
    if (id !== undefined && !isCursor(id)) {
      throw new UsageError(
        `--${option} must be an id of this list; got ${JSON.stringify(id.slice(0, 80))}`,
      );
    }
  }
  return { limit: Number(limit), after, before };
}

export const ofKind =
  (kind: IdKind) =>
  (text: string): boolean =>
    isId(kind, text);

/** What a command that lists something prints. */
export function listResult<Row>(
  { items, hasMore }: Page<Row>,
  lineOf: (row: Row) => string,
  none: string,
): CommandResult {
  return {
    ok: true,
    lines:
      items.length === 0
        ? [none]
        : [
            ...items.map(lineOf),
            ...(hasMore
              ? ['there are more: continue with the last id in --after (or --before)']
              : []),
          ],
    data: { data: items, has_more: hasMore },
  };
}
