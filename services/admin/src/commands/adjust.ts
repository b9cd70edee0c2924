import { isId } from '@gateway/domain';
import { createAdministration } from '@gateway/store';
import { quotaOf, required, UsageError, type Command } from '../command.ts';
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
    const quota = signedQuotaOf(values);
    const note = noteOf(values);
    const taskId = taskOf(values);
    const key = keyOf(values) ?? '';
    const accountId = await knownAccount(values, ports.accounts);
    const isDryRun = values['dry-run'] === 'true';
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

/** Below zero for a debit. */
function signedQuotaOf({ credit, debit }: Values): number {
  if ((credit === undefined) === (debit === undefined)) {
    throw new UsageError('either --credit or --debit is required');
  }
  const option = credit === undefined ? 'debit' : 'credit';
  const quota = quotaOf(credit ?? debit, option);
  if (quota === 0) throw new UsageError(`--${option} must be at least 1`);
  return credit === undefined ? -quota : quota;
}

const noteLimit = 500;

function noteOf(values: Values): string {
  const note = required(values, 'note').trim();
  if (note !== '' && note.length <= noteLimit) return note;
  throw new UsageError(`--note must say why, in 1 to ${noteLimit} characters; got ${note.length}`);
}

function taskOf({ task }: Values): string | null {
  if (task === undefined) return null;
  if (isId('task', task)) return task;
  throw new UsageError(`--task must be the id of a task; got ${JSON.stringify(task)}`);
}
