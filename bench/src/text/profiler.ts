import { renameSync, writeFileSync } from 'node:fs';
import { Session } from 'node:inspector';
import { isMainThread } from 'node:worker_threads';

/**
 * Loaded into a process before its program: SIGUSR2 starts V8's profiler, the next one stops it and
 * writes what it saw to the file that `BENCH_PROFILE` names.
 */
const session = new Session();
const samplingMicroseconds = 500;
const path = process.env['BENCH_PROFILE'] ?? '';
let isOn = false;

function startOrStop(): void {
  if (isOn) {
    session.post('Profiler.stop', (_error, { profile }) => {
      // Whoever waits for the file finds all of it.
      writeFileSync(`${path}.part`, JSON.stringify(profile));
      renameSync(`${path}.part`, path);
    });
  } else {
    session.post('Profiler.enable');
    session.post('Profiler.setSamplingInterval', { interval: samplingMicroseconds });
    session.post('Profiler.start');
  }
  isOn = !isOn;
}

if (isMainThread && path !== '') {
  session.connect();
  process.on('SIGUSR2', startOrStop);
}
