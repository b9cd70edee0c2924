import { startAll } from '@gateway/runtime';
import { readSettings } from './config.ts';
import { createSandboxVendor, type Replacements } from './container.ts';

export { settingsSchema, type Settings } from './config.ts';
export { directiveTable } from './tasks/directives.ts';
export { textDirectiveTable } from './text/directives.ts';

export interface RunningSandbox {
  /** Base of all routes; the Ark API is under `/api/v3`, the text dialects are under `/v1`. */
  readonly url: string;
  readonly apiKey: string;
  stop(): Promise<void>;
}

/** For tests: quick, quiet, on a free port. */
const testSettings = {
  PORT: '0',
  LOG_LEVEL: 'error',
  SANDBOX_API_KEY: 'sandbox-key',
  SANDBOX_QUEUE_MS: '0',
  SANDBOX_RENDER_MS: '0',
  SANDBOX_RENDER_QUALITY: 'fast',
  SANDBOX_TOKENS_PER_SECOND: '0',
};

/** Starts a sandbox vendor inside this process, with settings for tests unless others are given. */
export async function startSandboxVendor(
  environment: Readonly<Record<string, string>> = {},
  replacements: Replacements = {},
): Promise<RunningSandbox> {
  const settings = readSettings({ ...testSettings, ...environment });
  const vendor = createSandboxVendor(settings, replacements);
  const stop = await startAll(vendor.parts);
  return { url: vendor.url(), apiKey: settings.SANDBOX_API_KEY, stop };
}
