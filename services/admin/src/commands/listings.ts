import {
  listedExposureResource,
  readAdminTaskFilter,
  readExposureFilter,
  type ListedExposure,
} from '@gateway/contracts';
import { isEntryId, taskStatuses } from '@gateway/domain';
import {
  exposureKinds,
  type AccountOverview,
  type KeyOverview,
  type TaskOverview,
} from '@gateway/store';
import { required, UsageError, type Command } from '../command.ts';
import { readRequest } from '../requests.ts';
import { knownAccount } from './accounts.ts';
import { cursorsOf, listResult, ofKind, pageOptions } from './pages.ts';
import { standingOf } from './task.ts';

const timeOf = (at: Date | null): string => at?.toISOString() ?? 'never';

const accountLine = ({
  id,
  name,
  balanceQuota,
  heldQuota,
  activeVideos,
  activeKeys,
  suspendedAt,
  activeVideosLimit,
}: AccountOverview): string =>
  `${id}  balance ${balanceQuota}, held ${heldQuota}, ${activeVideos} active videos${activeVideosLimit === null ? '' : ` of ${activeVideosLimit}`}, ${activeKeys} keys  ${name}${suspendedAt === null ? '' : `, SUSPENDED ${suspendedAt.toISOString()}`}`;

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

const taskLine = (task: TaskOverview, now: Date): string =>
  [
    task.id,
    standingOf(task, now),
    task.accountId,
    `${task.model} at ${task.provider}, vendor task ${task.vendorTaskId ?? 'none'}`,
    task.createdAt.toISOString(),
    ...(task.failureCode === null ? [] : [`${task.failureCode}: ${task.failureMessage ?? ''}`]),
  ].join('  ');

export const taskList: Command = {
  help: 'List the video tasks of all accounts, newest first, with age, deadline and vendor task',
  example: 'tasks --stuck --provider ark',
  options: {
    id: { required: false, help: 'video id' },
    status: { required: false, help: `one of ${taskStatuses.join(', ')}` },
    account: { required: false, help: 'account id' },
    model: { required: false, help: 'model name' },
    provider: { required: false, help: 'provider name' },
    stuck: {
      required: false,
      flag: true,
      help: 'only unfinished ones past their deadline, that fail at their step, or whose submission is unresolved',
    },
    'older-than': {
      required: false,
      help: 'only those created longer ago: seconds, or 30m, 12h, 7d',
    },
    ...pageOptions,
  },
  async run({ 'older-than': older, ...values }, { tasks, now }) {
    const at = now();
    const filter = readRequest(() => readAdminTaskFilter({ ...values, older_than: older }, at));
    const question = { ...cursorsOf(values, ofKind('task')), ...filter };
    return listResult(await tasks.page(question), (task) => taskLine(task, at), 'no task matches');
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

const countedId = (text: string): boolean => /^[1-9]\d{0,14}$/.test(text);

const countedCursors = ({
  after,
  before,
}: {
  readonly after: string | undefined;
  readonly before: string | undefined;
}) => ({
  after: after === undefined ? undefined : Number(after),
  before: before === undefined ? undefined : Number(before),
});

export const exposureList: Command = {
  help: 'List vendor work that nobody is billed for, newest first',
  example: 'exposures --kind late_success --provider ark',
  options: {
    kind: { required: false, help: exposureKinds.join(', ') },
    provider: { required: false, help: 'provider name' },
    account: { required: false, help: 'account id' },
    task: { required: false, help: 'task id' },
    ...pageOptions,
  },
  async run(values, { exposures }) {
    const { limit, ...cursors } = cursorsOf(values, countedId);
    const filter = readRequest(() => readExposureFilter(values, exposureKinds));
    const page = await exposures.page({ limit, ...countedCursors(cursors), ...filter });
    const { lines } = listResult(page, exposureLine, 'there is no such exposure');
    const data = { data: page.items.map(listedExposureResource), has_more: page.hasMore };
    return { ok: true, lines, data };
  },
};

const exposureLine = ({
  id,
  createdAt,
  kind,
  taskId,
  accountId,
  provider,
  seconds,
  cost,
  currency,
  detail,
}: ListedExposure): string =>
  [
    id,
    createdAt.toISOString(),
    kind,
    taskId,
    accountId ?? 'account not known',
    provider,
    seconds === null ? 'length not known' : `${seconds} s`,
    cost === null ? 'cost not known' : `${cost} ${currency}`,
    detail,
  ].join('  ');

export const journalList: Command = {
  help: 'List what operators did to accounts, keys, tasks and callbacks, newest first',
  example: 'journal --account acct_…',
  options: { account: { required: false, help: 'account id' }, ...pageOptions },
  async run({ account: accountId, ...values }, { journal }) {
    const { limit, after, before } = cursorsOf(values, countedId);
    const page = await journal.page({ limit, ...countedCursors({ after, before }), accountId });
    return listResult(
      page,
      ({ id, at, via, action, subject, details }) =>
        `${id}  ${at.toISOString()}  ${via.padEnd(7)} ${action}  ${subject}  ${JSON.stringify(details)}`,
      'nothing was changed',
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
