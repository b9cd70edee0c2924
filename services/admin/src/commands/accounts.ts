import { createAdministration } from '@gateway/store';
import { quotaOf, required, UsageError, type Command, type CommandPorts } from '../command.ts';

export const accountCreate: Command = {
  help: 'Create an account with a callback secret, and give it quota',
  example: 'account create --name "Acme" --quota 100000',
  options: {
    name: { required: true, help: 'what the account is called' },
    quota: { required: false, help: 'quota to start with (default 0)' },
  },
  async run(values, ports) {
    const name = required(values, 'name');
    const quota = quotaOf(values['quota'] ?? '0', 'quota');
    const { id, callbackSecret } = await createAdministration(ports).openAccount({ name, quota });
    return {
      ok: true,
      lines: [
        `account ${id} created with ${quota} quota`,
        `callback secret (signs pushes): ${callbackSecret}`,
      ],
      data: { id, name, quota, callback_secret: callbackSecret },
    };
  },
};

export const topUp: Command = {
  help: 'Add quota to an account',
  example: 'top-up --account acct_… --quota 50000 --note "invoice 17"',
  options: {
    account: { required: true, help: 'id of the account' },
    quota: { required: true, help: 'how much to add' },
    note: { required: false, help: 'kept with the ledger entry' },
    'idempotency-key': {
      required: false,
      help: 'of your choice; the same call under the same key adds nothing again',
    },
  },
  async run(values, ports) {
    const quota = quotaOf(required(values, 'quota'), 'quota');
    if (quota === 0) throw new UsageError('--quota must be at least 1');
    const { note = 'top-up', 'idempotency-key': key } = values;
    if (key !== undefined && (key === '' || key.length > keyLimit)) {
      throw new UsageError(
        `--idempotency-key must have 1 to ${keyLimit} characters; got ${key.length}`,
      );
    }
    const accountId = await knownAccount(values, ports.accounts);
    const {
      outcome,
      balance: { balanceQuota, heldQuota, availableQuota },
    } = await createAdministration(ports).topUp({ accountId, quota, note, key });
    return {
      ok: true,
      lines: [
        `${outcome === 'added' ? `${quota} added` : 'nothing added, this key was used before'}: balance ${balanceQuota}, held ${heldQuota}, available ${availableQuota}`,
      ],
      data: {
        account_id: accountId,
        added_quota: outcome === 'added' ? quota : 0,
        balance_quota: balanceQuota,
        held_quota: heldQuota,
        available_quota: availableQuota,
      },
    };
  },
};

const keyLimit = 255;

export const accountBalance: Command = {
  help: 'Show what an account has, holds and can spend',
  example: 'account balance --account acct_…',
  options: { account: { required: true, help: 'id of the account' } },
  async run(values, { accounts, ledger }) {
    const accountId = await knownAccount(values, accounts);
    const { balanceQuota, heldQuota, availableQuota } = await ledger.balanceOf(accountId);
    return {
      ok: true,
      lines: [`balance ${balanceQuota}, held ${heldQuota}, available ${availableQuota}`],
      data: {
        account_id: accountId,
        balance_quota: balanceQuota,
        held_quota: heldQuota,
        available_quota: availableQuota,
      },
    };
  },
};

/** The id in --account, when there is such an account. */
export async function knownAccount(
  values: Readonly<Record<string, string | undefined>>,
  accounts: CommandPorts['accounts'],
): Promise<string> {
  const accountId = required(values, 'account');
  if (!(await accounts.exists(accountId))) throw new UsageError(`there is no account ${accountId}`);
  return accountId;
}
