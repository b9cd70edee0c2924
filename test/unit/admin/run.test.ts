import { describe, expect, it } from '@jest/globals';
import {
  UsageError,
  type CommandPorts,
  type CommandResult,
} from '../../../services/admin/src/command.ts';
import { overview, parse, type Run } from '../../../services/admin/src/run.ts';

const commands = [
  'account create',
  'account list',
  'account show',
  'account balance',
  'account suspend',
  'account resume',
  'top-up',
  'adjust',
  'key create',
  'key list',
  'key revoke',
  'key check',
  'billing verify',
  'billing statement',
  'ledger',
  'callbacks list',
  'callbacks log',
  'callbacks redeliver',
  'callback-secret rotate',
  'callback-secret seal',
  'storage adopt',
  'storage allow',
  'storage orphans',
  'storage verify',
  'tasks',
  'queues',
  'doctor',
];
const account = 'acct_01h455vb4pex5vsknk084sn02q';

const words = (line: string): string[] => (line === '' ? [] : line.split(' '));

/** The complaint about a command line; fails when there is none. */
function complaint(args: readonly string[]): string {
  try {
    parse(args);
  } catch (error) {
    if (error instanceof UsageError) return error.message;
    throw error;
  }
  throw new Error(`taken: ${args.join(' ')}`);
}

function commandIn(args: readonly string[]): Extract<Run, { kind: 'command' }> {
  const run = parse(args);
  if (run.kind !== 'command') throw new Error(`no command: ${args.join(' ')}`);
  return run;
}

describe('asking the admin command for help', () => {
  it.each(['', '--help', '-h', 'help', 'help --help', 'nonsense -h'])(
    'shows the overview for "%s"',
    (line) => {
      expect(parse(words(line))).toEqual({ kind: 'help', text: overview });
    },
  );

  it('shows the options of a command that is named behind "help"', () => {
    expect(parse(words('help key create'))).toEqual(parse(words('key create --help')));
  });

  it('shows its version', () => {
    expect(parse(['--version'])).toEqual({ kind: 'help', text: '0.1.0' });
  });

  it('shows every command and the exit codes in the overview', () => {
    expect(commands.filter((name) => !overview.includes(`npm run admin -- ${name}`))).toEqual([]);
    expect(overview).toMatch(/0 done, 1 .*, 2 /);
  });

  it.each(commands)('shows the options of "%s", whatever else is missing', (name) => {
    for (const flag of ['--help', '-h']) {
      const run = parse([...words(name), flag]);

      expect(run).toEqual({
        kind: 'help',
        text: expect.stringContaining(`npm run admin -- ${name}`),
      });
      expect(run).toEqual({ kind: 'help', text: expect.stringContaining('--json') });
    }
  });

  it('says which options are required', () => {
    const run = parse(['top-up', '--help']);
    const text = run.kind === 'help' ? run.text : '';

    expect(
      text
        .split('\n')
        .filter((line) => line.endsWith('(required)'))
        .map((line) => line.trim().split(' ')[0]),
    ).toEqual(['--account', '--quota']);
    expect(text).toContain('--note');
  });
});

describe('help about a group of commands', () => {
  it.each(['help key', 'key --help', 'key help'])('lists them: %s', (line) => {
    const run = parse(words(line));
    const lines = run.kind === 'help' ? run.text.split('\n') : [];

    expect(lines.length).toBeGreaterThan(3);
    expect(lines.filter((each) => !each.startsWith('  npm run admin -- key '))).toEqual([]);
  });
});

describe('a command line that is wrong', () => {
  it.each([
    ['nonsense', 'nonsense'],
    ['account', 'account'],
    ['account delete', 'account delete'],
    ['accounts create', 'accounts create'],
    ['create account', 'create account'],
    ['Account Create', 'Account Create'],
  ])('names a command that there is not: %s', (line, named) => {
    expect(complaint(words(line))).toContain(`unknown command "${named}"`);
    expect(complaint(words(line))).toContain('npm run admin -- help lists');
  });

  it.each([
    ['acount create', 'did you mean "account create"?'],
    ['keys revoke', 'did you mean "key revoke"?'],
    ['key delete', 'did you mean "key create" or "key list" or "key revoke"?'],
    ['verify', 'did you mean "billing verify" or "storage verify"?'],
    ['task', 'did you mean "tasks"?'],
    ['task shwo video_1', 'did you mean "tasks" or "task show"?'],
    ['account lits --json', 'did you mean "account list"?'],
    ['blurb', 'unknown command "blurb"; npm run admin -- help lists them'],
  ])('suggests what may have been meant by "%s"', (line, suggestion) => {
    expect(complaint(words(line))).toContain(suggestion);
  });

  it.each([
    ['account create', ['--name']],
    ['account balance', ['--account']],
    ['top-up', ['--account', '--quota']],
    [`top-up --account ${account}`, ['--quota']],
    [`adjust --account ${account} --credit 5`, ['--note', '--idempotency-key']],
    ['top-up --quota 5 --note x', ['--account']],
    ['key create --scopes text', ['--account', '--name']],
    ['key revoke', ['--id']],
    ['key check --json', ['--key']],
  ])('names the options that are missing: %s', (line, missing) => {
    const [first = ''] = complaint(words(line)).split('\n');

    expect(first.match(/--[a-z-]+/g)).toEqual(missing);
    expect(complaint(words(line))).toContain('npm run admin -- ');
  });

  it.each([
    ['account create --name x --colour red', '--colour'],
    ['billing verify --accounts', '--accounts'],
    ['account create --name x -q 5', '-q'],
    ['account create --name x extra', 'extra'],
    ['account create --name', '--name'],
    ['account create --name --quota 5', '--name'],
    ['account create --name x --json=yes', '--json'],
  ])('names the option that is wrong: %s', (line, named) => {
    expect(complaint(words(line))).toContain(named);
  });
});

describe('a command line that is right', () => {
  it.each([
    ['account create --name Acme', false],
    ['account create --name Acme --quota 100 --json', true],
    ['top-up --json --quota 5 --account a', true],
    ['billing verify', false],
    ['billing statement --account a --csv', false],
    ['billing statement --account a --from 2026-11-01 --to 2026-11-30 --json', true],
    ['key create --account a --name b --scopes text --models m --expires-at 2030-01-01', false],
  ])('is understood: %s', (line, json) => {
    expect(parse(words(line))).toEqual({ kind: 'command', json, run: expect.any(Function) });
  });
});

/** Ports of which a command may ask whether there is an account, and what time it is. */
const ports = (known: boolean): CommandPorts =>
  ({
    accounts: { exists: () => Promise.resolve(known) },
    now: () => new Date(),
  }) as unknown as CommandPorts;

describe('a value that was mistyped', () => {
  const outcome = async (line: string): Promise<CommandResult | string> =>
    commandIn(words(line))
      .run(ports(true))
      .catch((error: unknown) =>
        error instanceof UsageError ? error.message : Promise.reject(error as Error),
      );

  it.each([
    ['account create --name Acme --quota ten', '--quota'],
    ['account create --name Acme --quota 1.5', '--quota'],
    ['account create --name Acme --quota 1e3', '--quota'],
    ['account create --name Acme --quota=-5', '--quota'],
    ['account create --name Acme --quota=', '--quota'],
    ['account create --name Acme --quota 1234567890123456', '--quota'],
    ['account create --name=', '--name'],
    [`top-up --account ${account} --quota 0`, '--quota'],
    [`top-up --account ${account} --quota x`, '--quota'],
    [`top-up --account ${account} --quota 5 --idempotency-key=`, '--idempotency-key'],
    [
      `top-up --account ${account} --quota 5 --idempotency-key ${'k'.repeat(256)}`,
      '--idempotency-key',
    ],
    [`adjust --account ${account} --note n --idempotency-key k`, '--credit'],
    [`adjust --account ${account} --note n --idempotency-key k --credit 1 --debit 1`, '--credit'],
    [`adjust --account ${account} --note n --idempotency-key k --debit 0`, '--debit'],
    [`adjust --account ${account} --note n --idempotency-key k --credit=-5`, '--credit'],
    [`adjust --account ${account} --note= --idempotency-key k --credit 5`, '--note'],
    [`adjust --account ${account} --note n --idempotency-key= --credit 5`, '--idempotency-key'],
    [`adjust --account ${account} --note n --idempotency-key k --credit 5 --task x`, '--task'],
    [`key create --account ${account} --name=`, '--name'],
    [`key create --account ${account} --name a --scopes text,admin`, '--scopes'],
    [`key create --account ${account} --name a --scopes=`, '--scopes'],
    [`key create --account ${account} --name a --expires-at tomorrow`, '--expires-at'],
    [`key create --account ${account} --name a --expires-at 2020-01-01`, 'in the future'],
    [`key create --account ${account} --name a --expires-at 2099-02-31`, '--expires-at'],
    [`key create --account ${account} --name a --scopes text,text`, '--scopes'],
    [`key create --account ${account} --name ${'n'.repeat(201)}`, '--name'],
    [`account create --name ${'n'.repeat(201)}`, '--name'],
    [`top-up --account ${account} --quota 5 --note ${'n'.repeat(501)}`, '--note'],
    ['key revoke --id=', '--id'],
    ['key check --key=', '--key'],
    ['account list --limit 0', '--limit'],
    ['account list --after x', '--after'],
    ['tasks --status done', '--status'],
    ['tasks --limit 101', '--limit'],
    ['tasks --older-than soon', '--older-than'],
    [`ledger --account ${account} --before 17`, '--before'],
    [`key list --account ${account} --after key_1`, '--after'],
    [`key create --account ${account} --name a --requests-per-minute 0`, '--requests-per-minute'],
    ['billing verify --grace soon', '--grace'],
    ['billing verify --grace=-1', '--grace'],
    ['billing verify --grace 1.5', '--grace'],
    [`billing statement --account ${account} --from 2026-11`, '--from'],
    [`billing statement --account ${account} --to 2026-02-30`, '--to'],
    [`billing statement --account ${account} --from 2026-11-02 --to 2026-11-01`, '--from'],
    [`billing statement --account ${account} --csv --json`, '--csv'],
  ])('is refused before anything is done: %s', async (line, option) => {
    expect(await outcome(line)).toContain(option);
  });

  it.each([
    `account balance --account ${account}`,
    `top-up --account ${account} --quota 5`,
    `adjust --account ${account} --debit 5 --note n --idempotency-key k`,
    `key create --account ${account} --name a`,
  ])('is refused when there is no such account: %s', async (line) => {
    await expect(commandIn(words(line)).run(ports(false))).rejects.toMatchObject({
      name: 'UsageError',
      message: expect.stringContaining(account),
    });
  });
});

describe('a top-up under an idempotency key', () => {
  const used = {
    outcome: 'reused' as const,
    quota: 5,
    balance: { balanceQuota: 5, heldQuota: 0, availableQuota: 5, debtQuota: 0 },
  };
  const withKey = (quota: number): Promise<CommandResult> =>
    commandIn(words(`top-up --account ${account} --quota ${quota} --idempotency-key k`)).run({
      ...ports(true),
      ledger: { topUpOnce: () => Promise.resolve(used) },
    } as unknown as CommandPorts);

  it('that was used before says that nothing was added, and what there is', async () => {
    expect(await withKey(5)).toMatchObject({
      ok: true,
      lines: [expect.stringContaining('nothing added')],
      data: { added_quota: 0, balance_quota: 5 },
    });
  });

  it('that was used for another quota is refused', async () => {
    await expect(withKey(6)).rejects.toThrow(/used for a top-up of 5/);
  });
});
