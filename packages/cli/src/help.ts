import { commonOptions, type Command } from './command.ts';
import { commands } from './commands/index.ts';

const indented = (rows: readonly (readonly [string, string])[]): string => {
  const width = Math.max(...rows.map(([name]) => name.length));
  return rows.map(([name, help]) => `  ${name.padEnd(width)}  ${help}\n`).join('');
};

/** All that there is. */
export function overview(): string {
  const rows = commands.map(({ name, summary }) => [`gw ${name}`, summary] as const);
  return `Makes videos and texts with the gateway.

${indented(rows)}
"gw help COMMAND" tells more about one. --json prints what programs read; --version says which gw this is.
Exit codes: 0 done, 1 failed, 2 wrong usage, 3 no key or one that may not do this, 4 not enough quota,
5 no connection, 6 a video that did not succeed, 130 interrupted.`;
}

/** The commands of a group. */
export const overviewOf = (group: string, inGroup: readonly Command[]): string =>
  `${indented(inGroup.map(({ name, summary }) => [`gw ${name}`, summary]))}
"gw help ${group} …" tells more about one.`;

/** What a command does, with examples. */
export function helpOf({ name, summary, argument, second, options, examples }: Command): string {
  const all = [argument ?? [], second ?? []].flat();
  const shownArguments = all
    .map((each) => (each.required ? ` ${each.name}` : ` [${each.name}]`))
    .join('');
  const rows = Object.entries({ ...options, ...commonOptions }).map(
    ([option, { value, short, help, words, multiple = false }]) => {
      const letter = short === undefined ? '    ' : `-${short}, `;
      const offered = words === undefined || words === 'files' ? '' : ` (${words.join(', ')})`;
      return [
        `${letter}--${option}${value === undefined ? '' : ` ${value}`}`,
        `${help}${offered}${multiple ? '; may be repeated' : ''}`,
      ] as const;
    },
  );
  const explained =
    all.length === 0 ? '' : `\n${indented(all.map((each) => [each.name, each.help]))}`;
  return `gw ${name}${shownArguments} [OPTIONS]: ${summary}.
${explained}
${indented(rows)}
${examples.map((example) => `  ${example}\n`).join('')}`.trimEnd();
}
