import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import process from 'node:process';
import { ensureSetup, root } from '../setup.mjs';
import { endWith, SetupFailure } from './failure.mjs';
import { run } from './run.mjs';

/**
 * Runs a compiled program of this checkout with the arguments of this process, against DATABASE_URL
 * or else against the database of a running local suite; a call for usage needs none. Standard
 * output is the program's alone, so that `--json` stays clean.
 */
export async function runWithDatabase(
  entry,
  { usageWithoutArguments = false, address = 'database_url' } = {},
) {
  try {
    await ensureSetup({ purpose: 'start' });
    const args = process.argv.slice(2);
    const wantsUsage =
      args.includes('--help') ||
      args.includes('-h') ||
      (usageWithoutArguments && args.length === 0);
    const env = { ...process.env, ...(wantsUsage ? {} : localAddresses(address)) };
    process.exit(
      await run(process.execPath, [join(root, entry), ...args], {
        cwd: process.cwd(),
        env,
        show: true,
      }),
    );
  } catch (error) {
    endWith(error);
  }
}

/** `address`: which of its addresses of the database the program takes. */
function localAddresses(address) {
  if (process.env.DATABASE_URL) return {};
  const folder = resolve(process.env.DATA_DIR || join(root, '.data'));
  const file = join(folder, 'demo.json');
  if (!existsSync(file)) {
    throw new SetupFailure(
      `There is no database to work on: set DATABASE_URL, or start a local suite first (npm start; ${file} does not exist).`,
    );
  }
  const {
    [address]: databaseUrl,
    redis_url: redisUrl,
    sandbox_url: sandboxUrl,
    billing_url: billingUrl,
    config_file: configFile,
    ops_urls: opsUrls,
  } = JSON.parse(readFileSync(file, 'utf8'));
  process.stderr.write(`Using the database of the local suite (${file}).\n`);
  // Secrets are kept apart from what demo.json shows; a folder of an earlier version has not all of
  // them.
  const local = {
    REDIS_URL: redisUrl,
    SANDBOX_URL: sandboxUrl,
    SANDBOX_API_KEY: secretIn(folder, 'sandbox_api_key'),
    CALLBACK_SECRET_KEYS: secretIn(folder, 'callback_secret_keys'),
    GATEWAY_CONFIG: configFile,
    STORAGE_DIR: join(folder, 'media'),
    BILLING_URL: billingUrl,
    OPS_URLS:
      opsUrls &&
      Object.entries(opsUrls)
        .map(([name, url]) => `${name}=${url}`)
        .join(','),
    // As the worker of the local suite has them: its vendor is on this machine.
    INGEST_ALLOW_CIDRS: '127.0.0.0/8,::1/128',
    INGEST_ALLOW_HTTP: 'true',
  };
  return {
    DATABASE_URL: databaseUrl,
    ...Object.fromEntries(
      Object.entries(local).filter(([name, value]) => value !== undefined && !process.env[name]),
    ),
  };
}

function secretIn(folder, name) {
  const file = join(folder, 'secrets.json');
  return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8'))[name] : undefined;
}
