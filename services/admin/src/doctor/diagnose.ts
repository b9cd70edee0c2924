import { randomBytes } from 'node:crypto';
import { readdir, statfs } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { withRoutes, type Configuration } from '@gateway/contracts';
import { describeError } from '@gateway/domain';
import { openStorage, readOwner, type MediaStorage } from '@gateway/media';
import { readRedisFacts } from '@gateway/queue';
import {
  createGoneModels,
  createInstallation,
  readDatabaseFacts,
  type Database,
} from '@gateway/store';
import { credentialCheckOf, type CredentialCheck } from '@gateway/video-providers';
import type { Settings } from '../config.ts';
import { failed, ok, skipped, warning, type Diagnosis } from './diagnosis.ts';
import {
  judgeClock,
  judgeDatabaseVersion,
  judgeFreeSpace,
  judgeGoneModels,
  judgeOwner,
  judgeRedis,
  judgeRetirements,
  judgeRoles,
  judgeSchema,
  judgeVendor,
} from './judge.ts';
import { askOnce, dial } from './reach.ts';
import { checkReadiness, judgeConnected } from './services.ts';

export interface Surroundings {
  readonly settings: Readonly<Settings>;
  readonly database: Database;
  /** Throws one error that names everything that is wrong with the file. */
  readonly loadConfiguration: (path: string) => Configuration;
  readonly migrationsFolder: string;
}

const redisTimeoutMs = 5_000;

/**
 * Checks everything the services need, all at once, and changes nothing but one small object in the
 * storage, which it removes.
 */
export async function diagnose(surroundings: Surroundings): Promise<readonly Diagnosis[]> {
  const { settings } = surroundings;
  const found = await Promise.all([
    checkDatabase(surroundings),
    checkRedis(settings),
    checkStorage(surroundings),
    checkConfiguration(surroundings),
    checkBilling(settings),
    checkReadiness(settings.OPS_URLS),
  ]);
  return found.flat();
}

async function checkDatabase({ database, migrationsFolder }: Surroundings): Promise<Diagnosis[]> {
  try {
    await database.check(); // so that the time to connect does not count as skew
    const asked = Date.now();
    const facts = await readDatabaseFacts(database);
    return [
      judgeDatabaseVersion(facts),
      judgeClock('postgres', skewOf(facts.now, asked)),
      await checkSchema(migrationsFolder, facts.migrations),
      judgeRoles(facts.owners),
      judgeConnected(facts.connected),
    ];
  } catch (error) {
    return [
      failed(
        'postgres',
        `cannot be used: ${describeError(error)}`,
        'check DATABASE_URL, that the server runs, and that this machine and user may connect',
      ),
    ];
  }
}

async function checkSchema(
  folder: string,
  applied: Parameters<typeof judgeSchema>[1],
): Promise<Diagnosis> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => undefined);
  if (entries === undefined) {
    return skipped(
      'schema',
      'the folder with the migrations is missing',
      'run the doctor from a full checkout',
    );
  }
  return judgeSchema(
    entries
      .filter((entry) => entry.isDirectory())
      .map(({ name }) => name)
      .sort(),
    applied,
  );
}

/** The clock is assumed to be read half-way between request and response. */
const skewOf = (theirs: Date, askedMs: number): number =>
  theirs.getTime() - (askedMs + Date.now()) / 2;

async function checkRedis({ REDIS_URL: url }: Readonly<Settings>): Promise<Diagnosis[]> {
  if (url === undefined) {
    return [skipped('redis', 'REDIS_URL is not set', 'set REDIS_URL as the services have it')];
  }
  try {
    await readRedisFacts(url, { timeoutMs: redisTimeoutMs });
    const asked = Date.now();
    const { now, ...facts } = await readRedisFacts(url, { timeoutMs: redisTimeoutMs });
    return [...judgeRedis(facts), judgeClock('redis', skewOf(now, asked))];
  } catch (error) {
    return [
      failed(
        'redis',
        `cannot be used: ${describeError(error)}`,
        'check REDIS_URL and its password, that the server runs, and that this machine may connect',
      ),
    ];
  }
}

async function checkStorage({ settings, database }: Surroundings): Promise<Diagnosis[]> {
  const { MEDIA_STORAGE: kind, STORAGE_DIR: folder } = settings;
  if (kind !== 's3' && folder === undefined) {
    return [
      skipped(
        'storage',
        'STORAGE_DIR is not set',
        'set MEDIA_STORAGE and its settings as the services have them',
      ),
    ];
  }
  const where = kind === 's3' ? `bucket ${settings.S3_BUCKET ?? ''}` : `folder ${folder ?? ''}`;
  try {
    const storage = await openStorage(settings);
    await storage.checkReady();
    const key = `doctor/${randomBytes(8).toString('hex')}`;
    const stored = await storage.put(key, Readable.from([Buffer.from('doctor')]), { maxBytes: 16 });
    await storage.delete(key);
    return [
      ok('storage', `${where}: ${stored.sizeBytes} bytes written and removed`),
      await checkOwner(storage, database),
      ...(kind === 's3' || folder === undefined ? [] : [await checkSpace(folder)]),
    ];
  } catch (error) {
    return [
      failed(
        'storage',
        `${where} cannot be written: ${describeError(error)}`,
        'check the settings of the media storage, its permissions and its free space',
      ),
    ];
  }
}

async function checkOwner(
  storage: Pick<MediaStorage, 'head' | 'read'>,
  database: Database,
): Promise<Diagnosis> {
  const installation = await createInstallation(database)
    .id()
    .catch(() => undefined);
  return installation === undefined
    ? skipped('storage owner', 'the database does not say whose it is', 'repair the database first')
    : judgeOwner(await readOwner(storage), installation);
}

async function checkSpace(folder: string): Promise<Diagnosis> {
  const { bavail, bsize } = await statfs(folder);
  return judgeFreeSpace(bavail * bsize);
}

async function checkConfiguration({
  settings: { GATEWAY_CONFIG: path },
  database,
  loadConfiguration,
}: Surroundings): Promise<Diagnosis[]> {
  if (path === undefined) {
    return [
      skipped(
        'configuration',
        'GATEWAY_CONFIG is not set',
        'set GATEWAY_CONFIG, and the variables that the file refers to, as the services have them',
      ),
    ];
  }
  try {
    const { providers, models, textProviders, textModels } = loadConfiguration(path);
    const vendors = await Promise.all(
      [...providers.values(), ...textProviders.values()].map(examineVendor),
    );
    return [
      ok(
        'configuration',
        `${providers.size + textProviders.size} providers, ${models.size + textModels.size} models`,
      ),
      ...judgeRetirements([...withRoutes(models.values()), ...textModels.values()], Date.now()),
      ...vendors,
      ...(await goneModelsOf(database, models)),
    ];
  } catch (error) {
    return [
      failed(
        'configuration',
        describeError(error),
        'correct the file that GATEWAY_CONFIG names, and set the variables it refers to',
      ),
    ];
  }
}

/** Nothing where the database cannot be read: its own check says so. */
async function goneModelsOf(
  database: Database,
  models: Configuration['models'],
): Promise<Diagnosis[]> {
  const gone = await createGoneModels(database)
    .all()
    .catch(() => []);
  return judgeGoneModels(
    [...models.values()].flatMap(({ routes }) => routes),
    gone,
  );
}

interface Vendor {
  readonly name: string;
  readonly kind: string;
  readonly baseUrl: string;
  readonly apiKey: string;
}

const askForModels = (apiKey: string): CredentialCheck => ({
  path: '/models',
  headers: { authorization: `Bearer ${apiKey}` },
});

/** What each text dialect is asked: it costs nothing and needs the credential. */
const textChecks: Partial<Record<string, (apiKey: string) => CredentialCheck>> = {
  messages: (apiKey) => ({
    path: '/v1/models',
    headers: { 'x-api-key': apiKey, 'anthropic-version': '2023-06-01' },
  }),
  chat: askForModels,
  responses: askForModels,
};

async function examineVendor({ name, kind, baseUrl, apiKey }: Vendor): Promise<Diagnosis> {
  const base = baseUrl.replace(/\/+$/, '');
  const check = credentialCheckOf(kind, apiKey) ?? textChecks[kind]?.(apiKey);
  return judgeVendor(
    name,
    await (check === undefined ? dial(base) : askOnce(`${base}${check.path}`, check.headers)),
    check?.refusals,
  );
}

async function checkBilling({ BILLING_URL: url }: Readonly<Settings>): Promise<Diagnosis[]> {
  if (url === undefined) {
    return [skipped('billing', 'BILLING_URL is not set', 'set BILLING_URL as the api has it')];
  }
  // Its /readyz is on its operations port, which this address does not name.
  const outcome = await askOnce(`${url.replace(/\/+$/, '')}/livez`, {});
  if (outcome.kind === 'responded' && outcome.status === 200) return [ok('billing', 'responds')];
  if (outcome.kind === 'responded') {
    return [
      warning(
        'billing',
        `returns ${outcome.status} on /livez`,
        'see what /readyz on OPS_PORT of the billing service reports',
      ),
    ];
  }
  return [
    failed(
      'billing',
      `cannot be reached: ${outcome.kind === 'unreachable' ? outcome.reason : 'no response'}`,
      'check BILLING_URL and that the billing service runs',
    ),
  ];
}
