import { createLogger, runService } from '@gateway/runtime';

// A service that has nothing to do, and looks often whether that is so.

await runService(
  () => {
    const log = createLogger({ service: 'idle', level: 'info', format: 'text' });
    const stays = setInterval(() => undefined, 60_000);
    const timer = { name: 'timer', stop: () => Promise.resolve(clearInterval(stays)) };
    return { log, parts: [timer], exceptionsBeforeRestart: 0 };
  },
  { restCheckMs: 300 },
);
