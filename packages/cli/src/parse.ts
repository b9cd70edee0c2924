import { parseArgs, type ParseArgsConfig } from 'node:util';
import { closestTo } from './closest.ts';
import {
  commonOptions,
  Given,
  type Argument,
  type Command,
  type Option,
  type Values,
} from './command.ts';
import { commands } from './commands/index.ts';
import { UsageError } from './exit-codes.ts';
import { helpOf, overview, overviewOf } from './help.ts';

/** What a command line asks for. */
export type Parsed =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'command'; readonly command: Command; readonly given: Given };

/** Finds the command in the arguments; throws a `UsageError` that says what would be right. */
export function parse(args: readonly string[], version: string): Parsed {
  const [first] = args;
  if (first === '--version') return { kind: 'text', text: version };
  if (first === 'help') return parse([...args.slice(1), '--help'], version);
  const command = commandIn(args);
  if (command === undefined) return withoutCommand(args);
  const given = read(command, args.slice(command.name.split(' ').length));
  if (given.flag('help')) return { kind: 'text', text: helpOf(command) };
  const missing = missingOf(command, given);
  if (missing !== undefined) {
    throw new UsageError(`${missing.name} is missing: ${command.examples[0] ?? command.name}`);
  }
  return { kind: 'command', command, given };
}

const missingOf = (
  { argument, second }: Command,
  { argument: first, hasSecond }: Given,
): Argument | undefined => {
  if (argument?.required === true && first === undefined) return argument;
  return second?.required === true && !hasSecond ? second : undefined;
};

const commandIn = (args: readonly string[]): Command | undefined =>
  commands.find(({ name }) => args.slice(0, name.split(' ').length).join(' ') === name);

function withoutCommand(args: readonly string[]): Parsed {
  const [first, second] = args.filter((arg) => !arg.startsWith('-'));
  if (first === undefined) return { kind: 'text', text: overview() };
  const inGroup = commands.filter(({ name }) => name.startsWith(`${first} `));
  if (inGroup.length > 0 && second === undefined) {
    return { kind: 'text', text: overviewOf(first, inGroup) };
  }
  const typed = inGroup.length > 0 && second !== undefined ? `${first} ${second}` : first;
  const meant = closestTo(typed, namesLike(typed, first));
  const hint = meant === undefined ? '' : ` Did you mean "gw ${meant}"?`;
  throw new UsageError(`There is no "gw ${typed}".${hint} "gw help" lists what there is.`);
}

/** Commands, and groups where only one word was typed. */
const namesLike = (typed: string, first: string): string[] =>
  commands.map(({ name }) => (typed === first ? (name.split(' ')[0] ?? name) : name));

function read({ name, argument, second, options }: Command, args: readonly string[]): Given {
  const all = { ...options, ...commonOptions };
  const parsed = understood(args, all);
  const [only, ...others] = parsed.positionals;
  const [next, ...more] = second === undefined ? [undefined, ...others] : others;
  if (only !== undefined && argument === undefined) {
    throw new UsageError(`"gw ${name}" takes no "${only}".`);
  }
  if (more.length > 0) {
    const quoted = `"${parsed.positionals.join(' ')}"`;
    throw new UsageError(
      `"gw ${name}" takes one ${argument?.name ?? 'argument'}: if these words are one, put them in quotes: ${quoted}.`,
    );
  }
  checkWords(parsed.values, all);
  return new Given(parsed.values, only === '' ? undefined : only, next);
}

function understood(
  args: readonly string[],
  options: Readonly<Record<string, Option>>,
): { readonly values: Values; readonly positionals: readonly string[] } {
  const config: NonNullable<ParseArgsConfig['options']> = Object.fromEntries(
    Object.entries(options).map(([name, { value, short, multiple = false }]) => [
      name,
      {
        type: value === undefined ? ('boolean' as const) : ('string' as const),
        multiple,
        ...(short !== undefined && { short }),
      },
    ]),
  );
  try {
    const joined = withNegativeNumbers(args, options);
    return parseArgs({ args: joined, options: config, allowPositionals: true });
  } catch (error) {
    throw new UsageError(explained(error, options), { cause: error });
  }
}

/** `--duration -1` as `--duration=-1`: no option begins with a digit. */
function withNegativeNumbers(
  args: readonly string[],
  options: Readonly<Record<string, Option>>,
): string[] {
  const takesValue = new Set(
    Object.entries(options)
      .filter(([, { value }]) => value !== undefined)
      .flatMap(([name, { short }]) => [`--${name}`, `-${short ?? name}`]),
  );
  const joined: string[] = [];
  for (const arg of args) {
    const before = joined.at(-1) ?? '';
    if (!/^-\d/.test(arg) || !takesValue.has(before)) joined.push(arg);
    else joined.splice(-1, 1, `${before}${before.startsWith('--') ? '=' : ''}${arg}`);
  }
  return joined;
}

function explained(error: unknown, options: Readonly<Record<string, Option>>): string {
  const { code, message } = error as NodeJS.ErrnoException;
  const [, typed = ''] = /'(-[^']+)'/.exec(message) ?? [];
  if (code === 'ERR_PARSE_ARGS_UNKNOWN_OPTION') return unknownOption(typed, Object.keys(options));
  const named = Object.entries(options).find(
    ([name, { short }]) =>
      typed === `-${short ?? ''}` || typed.split(/[ ,]+/).includes(`--${name}`),
  );
  if (named === undefined) return message;
  const [name, { value }] = named;
  return value === undefined ? `--${name} takes no value.` : `--${name} needs a value: ${value}.`;
}

function unknownOption(typed: string, names: readonly string[]): string {
  const meant = closestTo(
    typed,
    names.map((name) => `--${name}`),
  );
  return `There is no option ${typed}.${meant === undefined ? '' : ` Did you mean ${meant}?`}`;
}

/** The gateway knows best which values it takes; these are ours alone. */
const ownWords: readonly string[] = ['dialect', 'kind'];

function checkWords(values: Values, options: Readonly<Record<string, Option>>): void {
  for (const name of ownWords) {
    const value = values[name];
    const words = options[name]?.words;
    if (typeof value !== 'string' || words === undefined || words === 'files') continue;
    if (!words.includes(value)) {
      throw new UsageError(`--${name} takes ${words.join(' or ')}, not "${value}".`);
    }
  }
}
