import { createLogger, runService } from '@gateway/runtime';

// A service that has nothing to do, or with `busy` something all the time. It looks often whether it is
// at rest.

const isBusy = process.argv[2] === 'busy';
const work = () => {
  const until = performance.now() + 20;
  while (performance.now() < until);
  setImmediate(work);
};
if (isBusy) work();

await runService(
  () => {
    const log = createLogger({ service: 'idle', level: 'info', format: 'text' });
    const stays = setInterval(() => undefined, 60_000);
    const timer = { name: 'timer', stop: () => Promise.resolve(clearInterval(stays)) };
    return { log, parts: [timer], exceptionsBeforeRestart: 0 };
  },
  { restCheckMs: 300 },
);
