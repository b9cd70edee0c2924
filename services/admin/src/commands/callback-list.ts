import { deliveryStateNames } from '@gateway/contracts';
import { isId } from '@gateway/domain';
import type { TaskCallback } from '@gateway/store';
import { UsageError, type Command } from '../command.ts';
import { cursorsOf, ofKind, pageOptions } from './pages.ts';

export const callbackList: Command = {
  help: 'List where the callbacks of all accounts stand, newest task first',
  example: 'callbacks list --state failing',
  options: {
    state: { required: false, help: `one of ${deliveryStateNames.join(', ')}` },
    account: { required: false, help: 'account id' },
    ...pageOptions,
  },
  async run(values, { taskCallbacks }) {
    const { state: asked, account: accountId } = values;
    const state = deliveryStateNames.find((each) => each === asked);
    if (asked !== undefined && state === undefined) {
      throw new UsageError(`--state must be one of ${deliveryStateNames.join(', ')}`);
    }
    if (accountId !== undefined && !isId('account', accountId)) {
      throw new UsageError('--account must be the id of an account, such as acct_…');
    }
    const cursors = cursorsOf(values, ofKind('task'));
    const page = await taskCallbacks.pageOfAll({ accountId, state, ...cursors });
    const { items, hasMore, lastId } = page;
    return {
      ok: true,
      lines: [
        ...(items.length === 0 ? ['no callback matches'] : items.map(lineOf)),
        // A page looks through so many tasks: there may be more behind an empty one.
        ...(hasMore
          ? [`looked through as far as ${lastId ?? ''}: continue with it in --after`]
          : []),
      ],
      data: { data: items, last_id: lastId, has_more: hasMore },
    };
  },
};

const lineOf = (callback: TaskCallback): string => {
  const { taskId, accountId, url, state, stopReason, failures, pendingPushes } = callback;
  const { lastAttemptAt, lastClass, lastHttpStatus } = callback;
  return [
    taskId,
    accountId,
    stopReason === null ? state : `${state} (${stopReason})`,
    `${failures} failures in a row, ${pendingPushes} pushes pending`,
    URL.canParse(url) ? new URL(url).origin : 'no address',
    lastAttemptAt === null
      ? 'never attempted'
      : `last ${lastAttemptAt.toISOString()} ${lastClass ?? ''} ${lastHttpStatus ?? ''}`.trimEnd(),
  ].join('  ');
};
