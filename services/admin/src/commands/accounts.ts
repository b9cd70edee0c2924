import { createAdministration } from '@gateway/store';
import { quotaOf, required, UsageError, type Command, type CommandPorts } from '../command.ts';

export const accountCreate: Command = {
  help: 'Create an account with its callback secret and initial quota',
  example: 'account create --name "Acme" --quota 100000',
  options: {
    name: { required: true, help: 'name of the account' },
    quota: { required: false, help: 'initial quota (default 0)' },
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
    account: { required: true, help: 'account id' },
    quota: { required: true, help: 'quota to add' },
    note: { required: false, help: 'stored with the ledger entry' },
    'idempotency-key': {
      required: false,
      help: 'a key of your choice; repeating the call with it adds nothing',
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
        `${outcome === 'added' ? `${quota} added` : 'nothing added: this key was used before'}: balance ${balanceQuota}, held ${heldQuota}, available ${availableQuota}`,
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
  help: 'Show what an account owns, holds and can spend',
  example: 'account balance --account acct_…',
  options: { account: { required: true, help: 'account id' } },
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

/** The id in --account, if that account exists. */
export async function knownAccount(
  values: Readonly<Record<string, string | undefined>>,
  accounts: CommandPorts['accounts'],
): Promise<string> {
  const accountId = required(values, 'account');
  if (!(await accounts.exists(accountId))) {
    throw new UsageError(`account ${accountId} does not exist`);
  }
  return accountId;
}
