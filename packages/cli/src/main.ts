import process from 'node:process';
import { run } from './run.ts';

const interrupted = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  process.once(signal, () => {
    interrupted.abort(new Error('interrupted'));
  });
}
// Whoever reads our output may stop reading: `gw videos list | head`.
process.stdout.on('error', () => {
  process.exit(0);
});

process.exitCode = await run(process.argv.slice(2), {
  stdin: process.stdin,
  stdout: process.stdout,
  stderr: process.stderr,
  env: process.env,
  folder: process.cwd(),
  signal: interrupted.signal,
});
