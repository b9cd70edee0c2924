import { devUsage, readDevRequest } from './dev-request.ts';
import { LocalStackError } from './local-stack-error.ts';
import { startCommand, startUsage, type StartOptions } from './start-command.ts';
import { testCommand } from './test-command.ts';

/**
 * `start`, `dev` followed by a service, or `test` followed by arguments for jest. Gives the exit code.
 * A failure that a person can mend is told in its own words, anything else with its stack.
 */
export async function runLocalStack(
  [command, ...args]: readonly string[],
  environment: NodeJS.ProcessEnv,
  startOptions: StartOptions = {},
): Promise<number> {
  try {
    if (command === 'test') return await testCommand(args, environment);
    if (command === 'dev') return await devCommand(args, environment);
    if (command !== 'start') return usage(2);
    return await plainStart(args, environment, startOptions);
  } catch (error) {
    const isExplained = LocalStackError.is(error);
    console.error(isExplained ? `\n${error.message}` : error);
    return isExplained && error.code === 'wrong_usage' ? 2 : 1;
  }
}

async function plainStart(
  args: readonly string[],
  environment: NodeJS.ProcessEnv,
  options: StartOptions,
): Promise<number> {
  if (args.some((argument) => argument === '--help' || argument === '-h')) return usage(0);
  return args.length > 0 ? usage(2) : startCommand(environment, options);
}

async function devCommand(
  args: readonly string[],
  environment: NodeJS.ProcessEnv,
): Promise<number> {
  const request = readDevRequest(args);
  if (request !== undefined) return startCommand(environment, { dev: request });
  console.log(devUsage);
  return 0;
}

function usage(exitCode: number): number {
  if (exitCode === 0) console.log(startUsage);
  else console.error(startUsage);
  return exitCode;
}
