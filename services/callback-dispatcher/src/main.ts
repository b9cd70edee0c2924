import { runService } from '@gateway/runtime';
import { readSettings } from './config.ts';
import { createService } from './container.ts';

await runService(() => createService(readSettings()));
