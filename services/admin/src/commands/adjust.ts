import type { AdminRequestReader } from '@gateway/contracts';
import { createAdministration } from '@gateway/store';
import { UsageError, type Command } from '../command.ts';
import { givenOf, numberIn, readRequest } from '../requests.ts';
import { dataOf, keyOf, knownAccount, lineOf } from './accounts.ts';

type Values = Readonly<Record<string, string | undefined>>;

export const adjust: Command = {
  help: 'Correct the balance of an account, with a reason',
  example:
    'adjust --account acct_… --credit 600 --note "shown at a wrong price" --task video_… --idempotency-key ticket-17 --dry-run',
  options: {
    account: { required: true, help: 'account id' },
    credit: { required: false, help: 'quota to give; either this or --debit' },
    debit: {
      required: false,
      help: 'quota to take; no more than is available, which excludes what is held',
    },
    note: { required: true, help: 'the reason, stored with the ledger entry' },
    task: { required: false, help: 'id of the task that it corrects, shown with the entry' },
    'idempotency-key': {
      required: true,
      help: 'a key of your choice; repeating the command with it changes nothing',
    },
    'dry-run': {
      required: false,
      flag: true,
      help: 'show the balance before and after, and change nothing',
    },
  },
  async run(values, ports) {
    const { quota, note, taskId, isDryRun } = adjustmentIn(values);
    const key = keyOf(values) ?? '';
    const accountId = await knownAccount(values, ports.accounts);
    const { outcome, before, after } = await createAdministration(ports).adjust(
      { accountId, key, quota, note, taskId },
      { isDryRun },
    );
    const isReused = outcome === 'reused';
    return {
      ok: true,
      lines: [
        isReused
          ? 'nothing adjusted: this key was used before, for the same'
          : `${Math.abs(quota)} ${isDryRun ? 'would be ' : ''}${quota > 0 ? 'given' : 'taken'}`,
        `  before  ${lineOf(before)}`,
        `  after   ${lineOf(after)}`,
        ...(isDryRun && !isReused ? ['this was a dry run: nothing was changed'] : []),
      ],
      data: {
        account_id: accountId,
        adjusted_quota: isReused ? 0 : quota,
        task_id: taskId,
        dry_run: isDryRun,
        before: dataOf(before),
        after: dataOf(after),
      },
    };
  },
};

/** What the options describe, by the rules of `POST /admin/v1/accounts/{id}/adjustments`. */
function adjustmentIn({
  credit,
  debit,
  note,
  task,
  'dry-run': dryRun,
}: Values): ReturnType<AdminRequestReader['adjustment']> {
  if ((credit === undefined) === (debit === undefined)) {
    throw new UsageError('either --credit or --debit is required');
  }
  const option = credit === undefined ? 'debit' : 'credit';
  const amount = numberIn(credit ?? debit);
  if (typeof amount === 'number' && amount < 0) {
    throw new UsageError(`--${option} must be above zero; got ${amount}`);
  }
  return readRequest(
    (reader) =>
      reader.adjustment(
        givenOf({
          quota: option === 'debit' && typeof amount === 'number' ? -amount : amount,
          note,
          task_id: task,
          dry_run: dryRun === 'true',
        }),
      ),
    { quota: option, task_id: 'task' },
  );
}
