import { rmSync } from 'node:fs';
import { join, relative } from 'node:path';
import { killAllChildren } from './child.ts';
import { followConfiguration } from './configuration-news.ts';
import type { DevRequest } from './dev-request.ts';
import { followSources, suiteOptionsFor } from './follow-sources.ts';
import { takeDataFolder } from './data-folder.ts';
import { startDatabases } from './databases.ts';
import { ensureDemoAccount, type DemoFile, type RunAdmin } from './demo.ts';
import { LocalStackError } from './local-stack-error.ts';
import { readLocalSettings, type LocalSettings } from './local-settings.ts';
import { createNarrator, type Narrator } from './narrator.ts';
import { repositoryRoot } from './package-folder.ts';
import { assertPortFree } from './ports.ts';
import { writePrivateJson } from './private-file.ts';
import { runCommand, runOrThrow } from './run-command.ts';
import { loadSecrets, saveSecrets, type DemoAccount, type Secrets } from './secrets.ts';
import { watchForStop } from './stop-request.ts';
import { openRoles, type RoleAddresses } from './service-roles.ts';
import { gatewayServices } from './services.ts';
import { startSuite, type Suite } from './suite.ts';
import { renderSummary } from './summary.ts';

export const startUsage = `Starts the whole gateway on this machine: PostgreSQL, Redis, the four services and a sandbox vendor.

  npm start                                   on http://127.0.0.1:3000, with its data in .data
  PORT=4000 DATA_DIR=.data-4000 npm start     a second copy beside it

  PORT             of the API and the console; 0 takes a free one (3000)
  HOST             the address that the API listens on (127.0.0.1)
  DATA_DIR         database, media, logs, secrets, demo.json (.data)
  DATABASE_URL     a PostgreSQL of your own instead of the embedded one
  REDIS_URL        a Redis of your own instead of the local one
  GATEWAY_CONFIG   models and vendors (config/gateway.yaml)

Ctrl-C stops everything. Exit codes: 0 stopped as asked, 1 failed, 2 wrong usage.`;

type Stop = () => void | Promise<void>;

export interface StartOptions {
  /** Makes the programs of the services, where they are not up to date; runs beside the databases. */
  readonly build?: readonly [string, ...string[]];
  /** One service follows its sources. */
  readonly dev?: DevRequest;
}

/**
 * Runs until somebody asks to stop. Gives the exit code; throws when something cannot be started.
 */
export async function startCommand(
  environment: NodeJS.ProcessEnv,
  { build, dev }: StartOptions = {},
): Promise<number> {
  const narrator = createNarrator(process.stdout, environment);
  const request = watchForStop({
    followParent: environment['npm_lifecycle_event'] !== undefined,
    force: () => {
      killAllChildren();
      process.exit(1);
    },
  });
  const stops: Stop[] = [];
  let releaseFolder: (() => void) | undefined;
  try {
    const settings = readLocalSettings(environment, process.cwd());
    releaseFolder = takeDataFolder(settings.dataDir);
    await bringUp(settings, { narrator, stops, signal: request.signal, build, dev });
    await request.requested;
    return 0;
  } catch (error) {
    if (LocalStackError.is(error) && error.code === 'cancelled') return 0;
    throw error;
  } finally {
    await stopInReverse(stops, narrator);
    releaseFolder?.();
    request.dispose();
  }
}

interface Surroundings {
  readonly narrator: Narrator;
  /** What to undo, in the order in which it was done. */
  readonly stops: Stop[];
  readonly signal: AbortSignal;
  readonly build: StartOptions['build'];
  readonly dev: DevRequest | undefined;
}

async function bringUp(
  settings: LocalSettings,
  { narrator, stops, signal, build, dev }: Surroundings,
): Promise<void> {
  const { log } = narrator;
  const { dataDir, configFile, port, host } = settings;
  const file = join(dataDir, 'demo.json');
  // A run that was killed left its own behind.
  rmSync(file, { force: true });
  if (port !== 0) await assertPortFree(port, host);
  const [{ databaseUrl, redisUrl }] = await bothOrNone(
    startDatabases({ ...settings, durable: true, database: 'gateway', log, signal }).then(
      (databases) => {
        stops.push(() => databases.stop());
        return databases;
      },
    ),
    build === undefined ? Promise.resolve() : compile(build, { log, signal }),
  );
  const roles = await rolesFor(settings, databaseUrl);
  log(await migrate(roles, signal));
  const adminUrl = roles.urlOf('admin');
  const addresses = { DATABASE_URL: adminUrl, REDIS_URL: redisUrl, GATEWAY_CONFIG: configFile };
  const databaseUrlOf = roles.urlOf;
  const where = { dataDir, databaseUrl, databaseUrlOf, redisUrl, port, host, configFile };
  const suite = startSuite({ ...where, ...suiteOptionsFor(dev), log, signal }).then((started) => {
    stops.push(() => started.stop());
    return started;
  });
  const [started, demo] = await bothOrNone(
    suite,
    keepDemoAccount(dataDir, (secrets) => {
      const keys = process.env['CALLBACK_SECRET_KEYS'] || secrets.callback_secret_keys;
      return adminOf({ ...addresses, CALLBACK_SECRET_KEYS: keys }, signal);
    }),
  );
  const { baseUrl, sandboxUrl, adminToken, urlOf, opsUrlOf } = started;
  const demoFile: DemoFile = {
    base_url: baseUrl,
    console_url: `${baseUrl}/`,
    api_key: demo.api_key,
    admin_token: adminToken,
    callback_secret: demo.callback_secret,
    sandbox_url: sandboxUrl,
    billing_url: urlOf('billing'),
    ops_urls: opsUrls(opsUrlOf),
    config_file: configFile,
    database_url: roles.migratorUrl,
    admin_database_url: adminUrl,
    redis_url: redisUrl,
  };
  writePrivateJson(file, demoFile);
  stops.push(() => {
    rmSync(file, { force: true });
  });
  const logFile = join(dataDir, 'logs', 'api.log');
  stops.push(followConfiguration({ logFile, shownFile: relative(process.cwd(), configFile) }, log));
  showSummary(demoFile, settings, narrator);
  if (dev !== undefined) stops.push(followSources(dev, started, { log, signal }));
}

function showSummary(demoFile: DemoFile, settings: LocalSettings, narrator: Narrator): void {
  process.stdout.write(
    renderSummary(demoFile, {
      dataDir: settings.shownDataDir,
      hasColours: narrator.hasColours,
      seconds: narrator.seconds(),
    }),
  );
}

const opsUrls = (opsUrlOf: Suite['opsUrlOf']): Record<string, string> =>
  Object.fromEntries(
    gatewayServices.filter(({ servesOps }) => servesOps).map(({ name }) => [name, opsUrlOf(name)]),
  );

/**
 * Waits for both even when one fails, so that what has been started is known and can be stopped.
 */
async function bothOrNone<A, B>(one: Promise<A>, other: Promise<B>): Promise<[A, B]> {
  await Promise.allSettled([one, other]);
  return Promise.all([one, other]);
}

async function compile(
  build: readonly [string, ...string[]],
  { log, signal }: { readonly log: Narrator['log']; readonly signal: AbortSignal },
): Promise<void> {
  log('compiling the services');
  await runOrThrow('Compiling', build, { cwd: repositoryRoot, timeoutMs: 600_000, signal });
  log('the services are compiled');
}

/** A database that was given is used as it is: one address for all. */
async function rolesFor(
  { databaseUrl: given, dataDir }: LocalSettings,
  databaseUrl: string,
): Promise<RoleAddresses> {
  if (given !== undefined) {
    return { migratorUrl: databaseUrl, passwords: {}, urlOf: () => databaseUrl };
  }
  return openRoles(databaseUrl, loadSecrets(dataDir).database_secret);
}

/** The last line says what was done. */
async function migrate(
  { migratorUrl, passwords }: RoleAddresses,
  signal: AbortSignal,
): Promise<string> {
  const output = await runOrThrow(
    'Applying the migrations',
    [process.execPath, join(repositoryRoot, 'prisma/dist/migrate.js')],
    {
      cwd: repositoryRoot,
      timeoutMs: 120_000,
      env: childEnvironment({ ...passwords, DATABASE_URL: migratorUrl }),
      signal,
    },
  );
  return `migrations: ${output.trim().split('\n').at(-1) ?? ''}`;
}

function adminOf(addresses: Readonly<Record<string, string>>, signal: AbortSignal): RunAdmin {
  const entry = join(repositoryRoot, 'dist/admin.js');
  return (args) =>
    runCommand(process.execPath, [entry, ...args], {
      cwd: repositoryRoot,
      timeoutMs: 60_000,
      env: childEnvironment(addresses),
      signal,
    });
}

/** With PRISMA_SCHEMA_ENGINE_BINARY set, a migration would succeed without doing anything. */
function childEnvironment(settings: Readonly<Record<string, string>>): NodeJS.ProcessEnv {
  return { ...process.env, ...settings, PRISMA_SCHEMA_ENGINE_BINARY: undefined };
}

async function keepDemoAccount(
  dataDir: string,
  adminWith: (secrets: Secrets) => RunAdmin,
): Promise<DemoAccount> {
  const secrets = loadSecrets(dataDir);
  const demo = await ensureDemoAccount(secrets.demo, adminWith(secrets));
  saveSecrets(dataDir, { ...secrets, demo });
  return demo;
}

async function stopInReverse(stops: readonly Stop[], { log }: Narrator): Promise<void> {
  if (stops.length === 0) return;
  log('stopping');
  for (const stop of stops.toReversed()) {
    try {
      await stop();
    } catch (error) {
      log(`something did not stop cleanly: ${String(error)}`);
    }
  }
  log('stopped');
}
