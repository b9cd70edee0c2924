import { availableParallelism } from 'node:os';
import { benchCallbacks } from './callbacks.ts';
import { benchHolds } from './holds.ts';
import { benchMedia } from './media/main.ts';
import { benchText } from './text/main.ts';
import { UsageError, textUsage } from './text/options.ts';
import { benchVideos } from './videos.ts';

const benches: Readonly<Record<string, (print: (line: string) => void, args: readonly string[]) => Promise<void>>> = { videos: benchVideos, text: benchText, holds: benchHolds, callbacks: benchCallbacks, media: benchMedia };

const [name = 'videos', ...args] = process.argv.slice(2);
const bench = benches[name];
if (bench === undefined || process.argv.includes('--help')) {
  console.log(`Measures the suite on this machine and prints tables.\n\n  npm run bench -- videos\n  npm run bench -- holds\n  npm run bench -- callbacks\n  npm run bench -- media\n  npm run bench -- text ${textUsage}`);
  process.exitCode = bench === undefined && name !== '--help' ? 2 : 0;
} else {
  // Standard output of --json is for programs.
  (args.includes('--json') ? console.error : console.log)(`${availableParallelism()} cores, Node ${process.version}\n`);
  await bench((line) => { console.log(line); }, args).catch((error: unknown) => {
    if (!(error instanceof UsageError)) throw error;
    console.error(`${error.message}\n  npm run bench -- text ${textUsage}`);
    process.exitCode = 2;
  });
}
