import { commonOptions, type Command, type Option } from './command.ts';

export const shells = ['bash', 'zsh', 'fish'] as const;
export type Shell = (typeof shells)[number];

/** A script for a shell that completes commands, options and the values that are known. */
export const completionScript = (shell: Shell, commands: readonly Command[]): string =>
  scripts[shell](commands);

const optionsOf = ({ options }: Command): [name: string, option: Option][] =>
  Object.entries({ ...options, ...commonOptions });

const groupsIn = (commands: readonly Command[]): Map<string, string[]> => {
  const groups = new Map<string, string[]>();
  for (const { name } of commands) {
    const [first = name, second] = name.split(' ');
    groups.set(first, [...(groups.get(first) ?? []), ...(second === undefined ? [] : [second])]);
  }
  return groups;
};

/** How a shell offers words, and names of files. */
interface Dialect {
  readonly words: (words: readonly string[]) => string;
  readonly files: string;
  /** What is typed of the word that is completed. */
  readonly current: string;
}

/** What comes next for each `command previous-word`, as branches of a `case`. */
function branchesOf(commands: readonly Command[], { words, files }: Dialect): string {
  const groups = [...groupsIn(commands)];
  const groupBranches = groups
    .filter(([, seconds]) => seconds.length > 0)
    .map(([first, seconds]) => `    "${first}@2") ${words(seconds)} ;;`);
  const valueBranches = commands.flatMap((command) =>
    optionsOf(command).flatMap(([name, { value, short, words: known }]) => {
      if (value === undefined) return [];
      const letter = short === undefined ? '' : `|"${command.name} -${short}"`;
      const offered = known === undefined ? ':' : known === 'files' ? files : words(known);
      return [`    "${command.name} --${name}"${letter}) ${offered} ;;`];
    }),
  );
  return [...groupBranches, ...valueBranches].join('\n');
}

function otherBranches(commands: readonly Command[], dialect: Dialect): string {
  const { words, files, current } = dialect;
  const branches = commands.map((command) => {
    const names = optionsOf(command).map(([name]) => `--${name}`);
    const known = command.argument?.words ?? [];
    const values = known === 'files' ? files : words(known);
    const offered =
      known.length === 0
        ? words(names)
        : `case "${current}" in -*) ${words(names)} ;; *) ${values} ;; esac`;
    return `    "${command.name}") ${offered} ;;`;
  });
  return [...branches, `    "help") ${words([...groupsIn(commands).keys()])} ;;`].join('\n');
}

const pairsOf = (commands: readonly Command[]): string =>
  commands
    .filter(({ name }) => name.includes(' '))
    .map(({ name }) => `"${name}"`)
    .join('|');

/** What bash and zsh have in common, given `first`, `second`, `previous` and `position`. */
const decision = (commands: readonly Command[], dialect: Dialect): string => `
  if [ "$position" -eq 1 ]; then
    ${dialect.words([...groupsIn(commands).keys(), 'help'])}
    return
  fi
  case "$first $second" in
    ${pairsOf(commands)}) command="$first $second" ;;
    *) command="$first" ;;
  esac
  if [ "$position" -eq 2 ]; then previous="$first@2"; else previous="$command $previous"; fi
  case "$previous" in
${branchesOf(commands, dialect)}
    *)
      case "$command" in
${otherBranches(commands, dialect).replace(/^/gm, '  ')}
      esac ;;
  esac
`;

const bash: Dialect = {
  words: (words) => `COMPREPLY=($(compgen -W "${words.join(' ')}" -- "$current"))`,
  files: 'compopt -o filenames 2>/dev/null; COMPREPLY=($(compgen -f -- "$current"))',
  current: '$current',
};
const zsh: Dialect = {
  words: (words) => `compadd -- ${words.join(' ')}`,
  files: '_files',
  current: '${words[CURRENT]}',
};

const fishCondition = ({ name }: Command): string =>
  name
    .split(' ')
    .map((word) => `__fish_seen_subcommand_from ${word}`)
    .join('; and ');

const fishText = (text: string): string => `'${text.replace(/[\\']/g, '\\$&')}'`;

function fishLines(command: Command): string[] {
  const [first = '', second] = command.name.split(' ');
  const when =
    second === undefined
      ? '__fish_use_subcommand'
      : `__fish_seen_subcommand_from ${first}; and not __fish_seen_subcommand_from ${second}`;
  const inside = `complete -c gw -n '${fishCondition(command)}'`;
  const argument = command.argument?.words;
  const options = optionsOf(command).map(([name, { short, value, words, help }]) =>
    [
      inside,
      `-l ${name}`,
      ...(short === undefined ? [] : [`-s ${short}`]),
      ...(value === undefined ? [] : [words === 'files' ? '-r -F' : '-x']),
      ...(words === undefined || words === 'files' ? [] : [`-a '${words.join(' ')}'`]),
      `-d ${fishText(help)}`,
    ].join(' '),
  );
  return [
    `complete -c gw -n '${when}' -a ${second ?? first} -d ${fishText(command.summary)}`,
    ...options,
    ...(argument === undefined
      ? []
      : [`${inside} ${argument === 'files' ? '-F' : `-a '${argument.join(' ')}'`}`]),
  ];
}

const scripts: Readonly<Record<Shell, (commands: readonly Command[]) => string>> = {
  bash: (commands) => `_gw() {
  local current="\${COMP_WORDS[COMP_CWORD]}" previous="\${COMP_WORDS[COMP_CWORD - 1]}"
  local first="\${COMP_WORDS[1]}" second="\${COMP_WORDS[2]}" position="$COMP_CWORD" command
  COMPREPLY=()
${decision(commands, bash)}}
complete -F _gw gw
`,
  zsh: (commands) => `#compdef gw
_gw() {
  local first="\${words[2]}" second="\${words[3]}" previous="\${words[CURRENT - 1]}"
  local position=$((CURRENT - 1)) command
${decision(commands, zsh)}}
compdef _gw gw
`,
  fish: (commands) => {
    const groups = [...groupsIn(commands)].filter(([, seconds]) => seconds.length > 0);
    return [
      'complete -c gw -f',
      ...groups.map(([first]) => `complete -c gw -n '__fish_use_subcommand' -a ${first}`),
      `complete -c gw -n '__fish_use_subcommand' -a help`,
      `complete -c gw -n '__fish_seen_subcommand_from help' -a '${[...groupsIn(commands).keys()].join(' ')}'`,
      ...commands.flatMap(fishLines),
      '',
    ].join('\n');
  },
};
