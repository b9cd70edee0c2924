import { isEntryId, isId, taskStatuses, type IdKind, type TaskStatus } from '@gateway/domain';
import type { AccountOverview, KeyOverview, Page, TaskOverview } from '@gateway/store';
import { required, UsageError, type Command, type CommandResult, type Option } from '../command.ts';
import { knownAccount } from './accounts.ts';

type Values = Readonly<Record<string, string | undefined>>;

const defaultLimit = 20;
const maxLimit = 100;

/** Options of every command that lists something. */
const pageOptions: Readonly<Record<string, Option>> = {
  limit: {
    required: false,
    help: `number of entries (default ${defaultLimit}, at most ${maxLimit})`,
  },
  after: { required: false, help: 'only entries older than this id' },
  before: { required: false, help: 'only entries newer than this id' },
};

function cursorsOf(
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

const ofKind =
  (kind: IdKind) =>
  (text: string): boolean =>
    isId(kind, text);

function listResult<Row>(
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

const timeOf = (at: Date | null): string => at?.toISOString() ?? 'never';

const accountLine = ({
  id,
  name,
  balanceQuota,
  heldQuota,
  activeVideos,
  activeKeys,
  suspendedAt,
}: AccountOverview): string =>
  `${id}  balance ${balanceQuota}, held ${heldQuota}, ${activeVideos} active videos, ${activeKeys} keys  ${name}${suspendedAt === null ? '' : `, SUSPENDED ${suspendedAt.toISOString()}`}`;

export const accountList: Command = {
  help: 'List accounts, newest first',
  example: 'account list --limit 50',
  options: pageOptions,
  async run(values, { accountReads }) {
    const cursors = cursorsOf(values, ofKind('account'));
    return listResult(await accountReads.page(cursors), accountLine, 'there are no accounts');
  },
};

export const accountShow: Command = {
  help: 'Show one account',
  example: 'account show --account acct_…',
  options: { account: { required: true, help: 'account id' } },
  async run(values, { accountReads }) {
    const id = required(values, 'account');
    const account = await accountReads.find(id);
    if (account === undefined) throw new UsageError(`account ${id} does not exist`);
    return {
      ok: true,
      lines: [accountLine(account), `created ${account.createdAt.toISOString()}`],
      data: account,
    };
  },
};

const keyLine = ({
  id,
  prefix,
  name,
  scopes,
  models,
  expiresAt,
  revokedAt,
  lastUsedAt,
}: KeyOverview): string =>
  `${id}  ${prefix}…  ${name}  ${scopes.join(',')}  models ${models.length === 0 ? 'all' : models.join(',')}, expires ${timeOf(expiresAt)}, last used ${timeOf(lastUsedAt)}${revokedAt === null ? '' : `, REVOKED ${revokedAt.toISOString()}`}`;

export const keyList: Command = {
  help: 'List the API keys of an account (never the keys themselves)',
  example: 'key list --account acct_…',
  options: { account: { required: true, help: 'account id' }, ...pageOptions },
  async run(values, { accounts, accountReads }) {
    const cursors = cursorsOf(values, ofKind('key'));
    const accountId = await knownAccount(values, accounts);
    return listResult(
      await accountReads.keys({ accountId, ...cursors }),
      keyLine,
      'the account has no keys',
    );
  },
};

const taskLine = (task: TaskOverview): string =>
  `${task.id}  ${task.status.padEnd(9)} ${task.step.padEnd(10)} ${task.accountId}  ${task.model} at ${task.provider}, ${task.createdAt.toISOString()}${task.failureCode === null ? '' : `  ${task.failureCode}: ${task.failureMessage ?? ''}`}`;

export const taskList: Command = {
  help: 'List the video tasks of all accounts, newest first',
  example: 'tasks --status running --provider ark',
  options: {
    status: { required: false, help: `one of ${taskStatuses.join(', ')}` },
    account: { required: false, help: 'account id' },
    model: { required: false, help: 'model name' },
    provider: { required: false, help: 'provider name' },
    ...pageOptions,
  },
  async run(values, { tasks }) {
    const { status, account: accountId, model, provider } = values;
    if (status !== undefined && !(taskStatuses as readonly string[]).includes(status)) {
      throw new UsageError(
        `--status must be one of ${taskStatuses.join(', ')}; got ${JSON.stringify(status)}`,
      );
    }
    const question = {
      ...cursorsOf(values, ofKind('task')),
      status: status as TaskStatus | undefined,
      accountId,
      model,
      provider,
    };
    return listResult(await tasks.page(question), taskLine, 'no task matches');
  },
};

export const ledgerList: Command = {
  help: 'List the ledger of an account, newest first',
  example: 'ledger --account acct_… --limit 50',
  options: { account: { required: true, help: 'account id' }, ...pageOptions },
  async run(values, { accounts, ledgerReads }) {
    const cursors = cursorsOf(values, isEntryId);
    const accountId = await knownAccount(values, accounts);
    return listResult(
      await ledgerReads.page({ accountId, ...cursors }),
      (entry) =>
        `${entry.id}  ${entry.createdAt.toISOString()}  ${entry.kind} ${entry.quota}: balance ${entry.balanceAfter}, held ${entry.heldAfter}${entry.taskId === null ? '' : `  ${entry.taskId}`}`,
      'the ledger is empty',
    );
  },
};

export const queueList: Command = {
  help: 'Show the number of jobs in every queue',
  example: 'queues --json',
  options: {},
  async run(_values, { queueCounts }) {
    const data = await queueCounts();
    return {
      ok: true,
      lines: data.map(
        ({ name, waiting, active, delayed, failed }) =>
          `${name.padEnd(10)} waiting ${waiting}, active ${active}, delayed ${delayed}, failed ${failed}`,
      ),
      data: { data },
    };
  },
};
