import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { UsageError, type Command, type CommandPorts, type CommandResult } from './command.ts';
import {
  accountBalance,
  accountChange,
  accountCreate,
  accountResume,
  accountSuspend,
  topUp,
} from './commands/accounts.ts';
import { adjust } from './commands/adjust.ts';
import { callbackList } from './commands/callback-list.ts';
import { callbackLog, callbackRedeliver, secretRotate, secretSeal } from './commands/callbacks.ts';
import { billingVerify } from './commands/billing.ts';
import { billingStatement } from './commands/statement.ts';
import { doctor } from './commands/doctor.ts';
import { events } from './commands/events.ts';
import {
  accountList,
  accountShow,
  exposureList,
  journalList,
  keyList,
  ledgerList,
  queueList,
  taskList,
} from './commands/listings.ts';
import {
  storageAdopt,
  storageAllowSweep,
  storageOrphans,
  storageVerify,
} from './commands/storage.ts';
import { margin } from './commands/margin.ts';
import { audit } from './commands/audit.ts';
import { taskCancel, taskShow } from './commands/task.ts';
import { usage } from './commands/usage.ts';
import { dataStatus } from './commands/data.ts';
import { routesGone, routesRetry } from './commands/routes.ts';
import { status } from './commands/status.ts';
import { taskTries } from './commands/tries.ts';
import { vendorCheck } from './commands/vendor-check.ts';
import { keyChange, keyCheck, keyCreate, keyRevoke } from './commands/keys.ts';
import { closestTo } from './closest.ts';

const commands: Readonly<Record<string, Command>> = {
  'account create': accountCreate,
  'account list': accountList,
  'account show': accountShow,
  'account balance': accountBalance,
  'account change': accountChange,
  'account suspend': accountSuspend,
  'account resume': accountResume,
  'top-up': topUp,
  adjust,
  'key create': keyCreate,
  'key list': keyList,
  'key revoke': keyRevoke,
  'key check': keyCheck,
  'key change': keyChange,
  'billing verify': billingVerify,
  'billing statement': billingStatement,
  'data status': dataStatus,
  ledger: ledgerList,
  margin,
  exposures: exposureList,
  'callbacks list': callbackList,
  'callbacks log': callbackLog,
  'callbacks redeliver': callbackRedeliver,
  'callback-secret rotate': secretRotate,
  'callback-secret seal': secretSeal,
  'storage adopt': storageAdopt,
  'storage allow': storageAllowSweep,
  'storage orphans': storageOrphans,
  'storage verify': storageVerify,
  tasks: taskList,
  'task show': taskShow,
  'task cancel': taskCancel,
  events,
  journal: journalList,
  usage,
  tries: taskTries,
  status,
  queues: queueList,
  'routes gone': routesGone,
  'routes retry': routesRetry,
  'vendor check': vendorCheck,
  audit,
  doctor,
};

const linesOf = (group = ''): readonly string[] =>
  Object.entries(commands)
    .filter(([name]) => name.startsWith(group))
    .map(([name, { help }]) => `  npm run admin -- ${name.padEnd(22)} ${help}`);

export const overview = [
  'Manages accounts, API keys, quota, callbacks and tasks, and diagnoses the environment.',
  '',
  ...linesOf(),
  '',
  'Add --help to a command to see its options, --json to get output for scripts. --version shows the version.',
  'Exit codes: 0 done, 1 failure or a failed check, 2 wrong usage.',
].join('\n');

/** Of this checkout. */
const { version } = JSON.parse(
  readFileSync(new URL('../package.json', import.meta.url), 'utf8'),
) as { readonly version: string };

export type Run =
  | { readonly kind: 'help'; readonly text: string }
  | {
      readonly kind: 'command';
      readonly json: boolean;
      readonly run: (ports: CommandPorts) => Promise<CommandResult>;
    };

/**
 * Finds the command in the arguments and checks its options. Throws a UsageError with what is
 * wrong.
 */
export function parse(args: readonly string[]): Run {
  if (args[0] === '--version') return { kind: 'help', text: version };
  if (args[0] === 'help') return parse([...args.slice(1), '--help']);
  const found = Object.keys(commands).find(
    (name) => args.slice(0, name.split(' ').length).join(' ') === name,
  );
  const command = found === undefined ? undefined : commands[found];
  if (found === undefined || command === undefined) return withoutCommand(args);
  const values = valuesOf(args.slice(found.split(' ').length), command);
  if (values['help'] === true) return { kind: 'help', text: helpOf(command) };
  const missing = missingIn(values, command);
  if (missing.length > 0) {
    throw new UsageError(
      `${missing.join(' and ')} ${missing.length === 1 ? 'is' : 'are'} missing\n\n${helpOf(command)}`,
    );
  }
  const texts = Object.fromEntries(
    Object.entries(values).map(([name, value]) => [
      name,
      value === undefined ? undefined : String(value),
    ]),
  );
  return {
    kind: 'command',
    json: values['json'] === true,
    run: (ports) => command.run(texts, ports),
  };
}

/** The help that was asked for; throws what comes closest to a command that there is not. */
function withoutCommand(args: readonly string[]): Run {
  if (args.length === 0 || ['--help', '-h', 'help'].some((word) => args.includes(word))) {
    const group = linesOf(`${args[0] ?? ''} `);
    return { kind: 'help', text: group.length === 0 ? overview : group.join('\n') };
  }
  const words = wordsOf(args).join(' ');
  const close = closestTo(words, Object.keys(commands));
  throw new UsageError(
    close.length === 0
      ? `unknown command "${words}"; npm run admin -- help lists them`
      : `unknown command "${words}"; did you mean ${close.map((name) => `"${name}"`).join(' or ')}? npm run admin -- help lists all`,
  );
}

function missingIn(
  values: Readonly<Record<string, unknown>>,
  { options, argument }: Command,
): string[] {
  const named = Object.entries(options)
    .filter(([name, option]) => option.required && values[name] === undefined)
    .map(([name]) => `--${name}`);
  return argument === undefined || values[argument.name] !== undefined
    ? named
    : [`the ${argument.help}`, ...named];
}

/** The words before the first option: what follows may be a key. */
function wordsOf(args: readonly string[]): readonly string[] {
  const firstOption = args.findIndex((arg) => arg.startsWith('-'));
  return firstOption === -1 ? args : args.slice(0, firstOption);
}

function valuesOf(
  args: readonly string[],
  { options, argument }: Command,
): Record<string, string | boolean | undefined> {
  const strings = Object.fromEntries(
    Object.entries(options).map(([name, { flag = false }]) => [
      name,
      { type: flag ? ('boolean' as const) : ('string' as const) },
    ]),
  );
  try {
    const { values, positionals } = parseArgs({
      args: [...args],
      options: { ...strings, json: { type: 'boolean' }, help: { type: 'boolean', short: 'h' } },
      allowPositionals: argument !== undefined,
    });
    if (positionals.length > 1) {
      throw new Error(`expected one ${argument?.help ?? 'argument'}; got ${positionals.length}`);
    }
    return argument === undefined ? values : { ...values, [argument.name]: positionals[0] };
  } catch (error) {
    throw new UsageError((error as Error).message);
  }
}

function helpOf({ help, example, options }: Command): string {
  const width = Math.max(12, ...Object.keys(options).map((option) => option.length));
  const lines = Object.entries(options).map(
    ([option, spec]) =>
      `  --${option.padEnd(width)} ${spec.help}${spec.required ? ' (required)' : ''}`,
  );
  return [
    `${help}.`,
    '',
    `  npm run admin -- ${example}`,
    '',
    ...lines,
    `  --${'json'.padEnd(width)} output for scripts`,
  ].join('\n');
}
