import process from 'node:process';
import { parseArgs } from 'node:util';
import { SetupFailure } from './failure.mjs';

/**
 * The arguments of a script. `--help` prints `help` and ends the process; what the script does not
 * know is refused before it does anything, with the help below.
 *
 * @param {string} help
 * @param {import('node:util').ParseArgsConfig} config
 * @returns {{ values: Record<string, any>, positionals: string[] }}
 */
export function readArguments(help, config) {
  const parsed = parse(help, config);
  if (parsed.values.help === true) {
    process.stdout.write(help);
    process.exit(0);
  }
  return parsed;
}

function parse(help, config) {
  try {
    return parseArgs({
      ...config,
      options: { ...config.options, help: { type: 'boolean', short: 'h' } },
    });
  } catch (error) {
    throw new SetupFailure(`${error.message}\n\n${help.trimEnd()}`);
  }
}
