import { LocalStackError } from './local-stack-error.ts';
import { startCommand, startUsage } from './start-command.ts';
import { testCommand } from './test-command.ts';

/**
 * `start`, or `test` followed by arguments for jest. Gives the exit code. A failure that a person
 * can mend is told in its own words, anything else with its stack.
 */
export async function runLocalStack(
  [command, ...args]: readonly string[],
  environment: NodeJS.ProcessEnv,
): Promise<number> {
  try {
    if (command === 'test') return await testCommand(args, environment);
    if (command !== 'start') return usage(2);
    if (args.some((argument) => argument === '--help' || argument === '-h')) return usage(0);
    return args.length > 0 ? usage(2) : await startCommand(environment);
  } catch (error) {
    console.error(LocalStackError.is(error) ? `\n${error.message}` : error);
    return 1;
  }
}

function usage(exitCode: number): number {
  if (exitCode === 0) console.log(startUsage);
  else console.error(startUsage);
  return exitCode;
}
