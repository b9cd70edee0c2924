import { createAdministration, type AccountBalance } from '@gateway/store';
import { required, UsageError, type Command, type CommandPorts } from '../command.ts';
import { givenOf, numberIn, readRequest } from '../requests.ts';

export const accountCreate: Command = {
  help: 'Create an account with its callback secret and initial quota',
  example: 'account create --name "Acme" --quota 100000',
  options: {
    name: { required: true, help: 'name of the account' },
    quota: { required: false, help: 'initial quota (default 0)' },
  },
  async run(values, ports) {
    const { name, quota } = readRequest((reader) =>
      reader.account(givenOf({ name: values['name'], quota: numberIn(values['quota']) })),
    );
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

const suspension = (
  verb: 'suspend' | 'resume',
  { help, done }: { readonly help: string; readonly done: string },
): Command => ({
  help,
  example: `account ${verb} --account acct_…`,
  options: { account: { required: true, help: 'account id' } },
  async run(values, { actions }) {
    const id = required(values, 'account');
    const suspended = verb === 'suspend';
    if (!(await actions.changeAccount(id, { suspended }))) {
      throw new UsageError(`account ${id} does not exist`);
    }
    return { ok: true, lines: [`account ${id} ${done}`], data: { id, suspended } };
  },
});

export const accountSuspend = suspension('suspend', {
  help: 'Refuse new work of an account within five seconds; running videos finish',
  done: 'is suspended',
});
export const accountResume = suspension('resume', {
  help: 'Let a suspended account work again',
  done: 'may work again',
});

export const accountChange: Command = {
  help: 'Change the name of an account, or how many unfinished videos it may have',
  example: 'account change --account acct_… --active-videos-limit 500',
  options: {
    account: { required: true, help: 'account id' },
    name: { required: false, help: 'its new name' },
    'active-videos-limit': {
      required: false,
      help: 'unfinished videos that it may have, or default for limits.default_account',
    },
  },
  async run({ 'active-videos-limit': limit, ...values }, { actions }) {
    const changes = readRequest((reader) =>
      reader.accountPatch(
        givenOf({
          name: values['name'],
          active_videos_limit: limit === 'default' ? null : numberIn(limit),
        }),
      ),
    );
    const id = required(values, 'account');
    if (!(await actions.changeAccount(id, changes))) {
      throw new UsageError(`account ${id} does not exist`);
    }
    return { ok: true, lines: [`account ${id} is changed`], data: { id, ...changes } };
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
    const { quota, note } = readRequest((reader) =>
      reader.topUp(givenOf({ quota: numberIn(values['quota']), note: values['note'] })),
    );
    const key = keyOf(values);
    const accountId = await knownAccount(values, ports.accounts);
    const { outcome, balance } = await createAdministration(ports).topUp({
      accountId,
      quota,
      note,
      key,
    });
    return {
      ok: true,
      lines: [
        `${outcome === 'added' ? `${quota} added` : 'nothing added: this key was used before'}: ${lineOf(balance)}`,
      ],
      data: {
        account_id: accountId,
        added_quota: outcome === 'added' ? quota : 0,
        ...dataOf(balance),
      },
    };
  },
};

const keyLimit = 255;

/** The key in --idempotency-key; undefined when there is none. */
export function keyOf(values: Readonly<Record<string, string | undefined>>): string | undefined {
  const key = values['idempotency-key'];
  if (key === undefined || (key !== '' && key.length <= keyLimit)) return key;
  throw new UsageError(
    `--idempotency-key must have 1 to ${keyLimit} characters; got ${key.length}`,
  );
}

export const accountBalance: Command = {
  help: 'Show what an account owns, holds and can spend',
  example: 'account balance --account acct_…',
  options: { account: { required: true, help: 'account id' } },
  async run(values, { accounts, ledger }) {
    const accountId = await knownAccount(values, accounts);
    const balance = await ledger.balanceOf(accountId);
    return {
      ok: true,
      lines: [lineOf(balance)],
      data: { account_id: accountId, ...dataOf(balance) },
    };
  },
};

/** A debt is named where there is one. */
export const lineOf = ({
  balanceQuota,
  heldQuota,
  availableQuota,
  debtQuota,
}: AccountBalance): string =>
  `balance ${balanceQuota}, held ${heldQuota}, available ${availableQuota}${debtQuota === 0 ? '' : `, debt ${debtQuota}`}`;

export const dataOf = (balance: AccountBalance): Record<string, number> => ({
  balance_quota: balance.balanceQuota,
  held_quota: balance.heldQuota,
  available_quota: balance.availableQuota,
  debt_quota: balance.debtQuota,
});

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
