import { createRequire } from 'node:module';
import { commands } from './commands/index.ts';
import { report } from './exit-codes.ts';
import { parse } from './parse.ts';
import type { Terminal } from './terminal.ts';

const { version } = createRequire(import.meta.url)('../package.json') as {
  readonly version: string;
};

/** Does what the arguments say; returns the exit code. */
export async function run(args: readonly string[], terminal: Terminal): Promise<number> {
  try {
    const parsed = parse(args, version);
    if (parsed.kind === 'text') {
      terminal.stdout.write(`${parsed.text}\n`);
      return 0;
    }
    return await parsed.command.run(parsed.given, terminal, commands);
  } catch (error) {
    return report(error, terminal, args.includes('--json'));
  }
}
