import { runLocalStack } from './commands.ts';

process.exit(await runLocalStack(process.argv.slice(2), process.env));
