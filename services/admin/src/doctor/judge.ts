import { isRetired, retiringModels, type Retiring } from '@gateway/contracts';
import type { RedisFacts } from '@gateway/queue';
import type { DatabaseFacts, GoneModel, RouteName } from '@gateway/store';
import { failed, ok, warning, type Diagnosis } from './diagnosis.ts';

const minPostgres = 14;
/** BullMQ asks for 5.0 and recommends 6.2. */
const minRedis = [6, 2] as const;
/** Deadlines, leases and signatures are compared across machines. */
const maxSkewMs = 2_000;
const noticeableSkewMs = 500;
const gibibyte = 1_073_741_824;

export function judgeDatabaseVersion({
  versionNumber,
  versionText,
}: Pick<DatabaseFacts, 'versionNumber' | 'versionText'>): Diagnosis {
  const detail = `PostgreSQL ${versionText}`;
  return Math.floor(versionNumber / 10_000) >= minPostgres
    ? ok('postgres', detail)
    : failed('postgres', detail, `move to PostgreSQL ${minPostgres} or later`);
}

/** The migrations in the folder against those that the database knows. */
export function judgeSchema(
  onDisk: readonly string[],
  applied: DatabaseFacts['migrations'],
): Diagnosis {
  const check = 'schema';
  if (applied === undefined) {
    return failed(check, 'the database was never migrated', 'run npm run migrate');
  }
  const broken = applied.filter(({ isFinished }) => !isFinished).map(({ name }) => name);
  if (broken.length > 0) {
    return failed(
      check,
      `started but not finished: ${broken.join(', ')}`,
      'read the error in _prisma_migrations, repair the database, mark the migration as rolled back, and run npm run migrate',
    );
  }
  const known = new Set(applied.map(({ name }) => name));
  const pending = onDisk.filter((name) => !known.has(name));
  if (pending.length > 0) {
    return failed(check, `not applied: ${pending.join(', ')}`, 'run npm run migrate');
  }
  const unknown = [...known].filter((name) => !onDisk.includes(name));
  if (unknown.length > 0) {
    return warning(
      check,
      `applied but not in this checkout: ${unknown.join(', ')}`,
      'the database is ahead: this checkout is older than the one that migrated it',
    );
  }
  return ok(check, `${known.size} migrations, up to ${onDisk.at(-1) ?? 'none'}`);
}

/** Who owns the tables can switch the guards of the ledger off. */
export function judgeRoles(owners: DatabaseFacts['owners']): Diagnosis {
  const check = 'database roles';
  return owners.length === 0
    ? ok(check, 'no service that is connected owns the tables')
    : warning(
        check,
        `${owners.join(', ')} connected as the owner of the tables, who can switch the guards of the ledger off`,
        'give each service the role that npm run migrate grants its rights to: docs/deployment.md, "Database roles"',
      );
}

/** Whose the storage is against whose this database is. */
export function judgeOwner(owner: string | undefined, installation: string): Diagnosis {
  const check = 'storage owner';
  if (owner === installation) return ok(check, 'this installation');
  const remedy = 'run npm run admin -- storage adopt, which shows what would change';
  return owner === undefined
    ? warning(check, 'the storage names none: no service has started on it', remedy)
    : failed(
        check,
        `the storage belongs to another installation, ${owner}`,
        `check DATABASE_URL and the settings of the media storage, or ${remedy}`,
      );
}

export function judgeRedis({
  version,
  maxmemoryPolicy,
  isAppendOnly,
  savePoints,
  isLastSaveGood,
}: Omit<RedisFacts, 'now'>): Diagnosis[] {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const isNew = major > minRedis[0] || (major === minRedis[0] && minor >= minRedis[1]);
  return [
    isNew
      ? ok('redis', `Redis ${version}`)
      : failed('redis', `Redis ${version}`, `move to Redis ${minRedis.join('.')} or later`),
    judgePolicy(maxmemoryPolicy),
    judgePersistence({ isAppendOnly, savePoints, isLastSaveGood }),
  ];
}

function judgePolicy(policy: string): Diagnosis {
  const check = 'redis maxmemory-policy';
  if (policy === 'noeviction') return ok(check, policy);
  if (policy === '') {
    return warning(
      check,
      'the server does not tell',
      'make sure that maxmemory-policy is noeviction',
    );
  }
  return failed(
    check,
    policy,
    'set maxmemory-policy noeviction: with any other policy a full Redis silently drops jobs',
  );
}

function judgePersistence({
  isAppendOnly,
  savePoints,
  isLastSaveGood,
}: Pick<RedisFacts, 'isAppendOnly' | 'savePoints' | 'isLastSaveGood'>): Diagnosis {
  const check = 'redis persistence';
  if (!isLastSaveGood) {
    return failed(
      check,
      'the last snapshot failed',
      'read the log of Redis: usually the disk is full or not writable, and Redis will soon refuse writes',
    );
  }
  if (isAppendOnly) return ok(check, 'append-only file');
  if (savePoints === '') {
    return warning(
      check,
      'nothing is written to disk',
      'set appendonly yes: without it, after a restart the sweeps find the jobs again, and rates and circuit breakers start from scratch',
    );
  }
  return ok(
    check,
    savePoints === undefined
      ? 'no append-only file; the server does not say when it writes snapshots'
      : `snapshots (${savePoints}), no append-only file`,
  );
}

/** `skewMs`: how far that clock is ahead of this machine's. */
export function judgeClock(of: string, skewMs: number): Diagnosis {
  const check = `clock of ${of}`;
  const size = Math.round(Math.abs(skewMs));
  const detail =
    size < noticeableSkewMs
      ? 'agrees with this machine'
      : `${size} ms ${skewMs > 0 ? 'ahead of' : 'behind'} this machine`;
  const remedy =
    'synchronise the clocks of all machines (NTP): signatures, deadlines and media links are compared across them';
  if (size > maxSkewMs) return failed(check, detail, remedy);
  return size >= noticeableSkewMs ? warning(check, detail, remedy) : ok(check, detail);
}

export function judgeFreeSpace(freeBytes: number): Diagnosis {
  const check = 'storage free space';
  const detail = `${(freeBytes / gibibyte).toFixed(1)} GiB`;
  const remedy = 'free space in the folder of STORAGE_DIR, shorten retention_days, or move to S3';
  if (freeBytes < gibibyte) return failed(check, detail, remedy);
  return freeBytes < 5 * gibibyte ? warning(check, detail, remedy) : ok(check, detail);
}

/** One warning for each model that has ended or ends soon; nothing where none does. */
export const judgeRetirements = (
  models: readonly (Retiring & { readonly name: string })[],
  nowMs: number,
): Diagnosis[] =>
  retiringModels(models, nowMs).map((model) =>
    warning(
      `model ${model.name}`,
      `${isRetired(model, nowMs) ? 'was retired' : 'will be retired'} on ${model.retiresAt.toISOString().slice(0, 10)}`,
      'move its customers to another model, and remove it from the configuration; or change retires_at',
    ),
  );

/** One warning for each configured route whose vendor has said that it has no such model. */
export const judgeGoneModels = (
  routes: readonly RouteName[],
  gone: readonly Pick<GoneModel, 'provider' | 'upstreamModel' | 'since' | 'detail'>[],
): Diagnosis[] =>
  gone
    .filter((model) =>
      routes.some(
        ({ provider, upstreamModel }) =>
          provider === model.provider && upstreamModel === model.upstreamModel,
      ),
    )
    .map(({ provider, upstreamModel, since, detail }) =>
      warning(
        `route ${provider}/${upstreamModel}`,
        `left out since ${since.toISOString()}: the vendor says that it has no such model (${detail})`,
        'correct upstream_model, enable the model at the vendor, or remove the route; then run npm run admin -- routes retry',
      ),
    );

/** How one authenticated check of a vendor ended. */
export type CheckOutcome =
  | { readonly kind: 'responded'; readonly status: number }
  | { readonly kind: 'connected' }
  | { readonly kind: 'unreachable'; readonly reason: string };

export function judgeVendor(
  name: string,
  outcome: CheckOutcome,
  refusals: readonly number[] = [],
): Diagnosis {
  const check = `vendor ${name}`;
  if (outcome.kind === 'unreachable') {
    return failed(
      check,
      `cannot be reached: ${outcome.reason}`,
      `check base_url of ${name}, the name service and the way out of this network`,
    );
  }
  if (outcome.kind === 'connected') {
    return ok(check, 'can be reached; its credential cannot be tried without cost');
  }
  const { status } = outcome;
  if ([401, 403, ...refusals].includes(status)) {
    return failed(
      check,
      `refuses the credential (${status})`,
      `check api_key or api_key_file of ${name}`,
    );
  }
  if (status >= 500) {
    return warning(check, `returns ${status}`, 'the vendor is ill; look at its status page');
  }
  if (status === 429) return warning(check, 'returns 429: the rate is spent', 'try again later');
  return status < 300
    ? ok(check, 'can be reached and takes the credential')
    : ok(check, `can be reached; it returns ${status}, which says nothing about the credential`);
}
