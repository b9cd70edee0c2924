import { runService } from '@gateway/runtime';
import { readSettings } from './config.ts';
import { createSandboxVendor } from './container.ts';

await runService(() => createSandboxVendor(readSettings()));
