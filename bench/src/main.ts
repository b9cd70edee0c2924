import { availableParallelism } from 'node:os';
import { benchVideos } from './videos.ts';

const benches: Readonly<Record<string, (print: (line: string) => void) => Promise<void>>> = { videos: benchVideos };

const [name = 'videos'] = process.argv.slice(2);
const bench = benches[name];
if (bench === undefined || process.argv.includes('--help')) {
  console.log(`Measures the suite on this machine and prints tables.\n\n  npm run bench -- ${Object.keys(benches).join(' | ')}`);
  process.exitCode = bench === undefined && name !== '--help' ? 2 : 0;
} else {
  console.log(`${availableParallelism()} cores, Node ${process.version}\n`);
  await bench((line) => { console.log(line); });
}
