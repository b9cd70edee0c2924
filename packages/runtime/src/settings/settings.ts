import { readFileSync } from 'node:fs';
import { createAjv } from '@gateway/contracts';
import { describeError } from '@gateway/domain';
import type { Ajv, JSONSchemaType } from 'ajv';

/** Schema and type of a service's settings as one fact. */
export type SettingsSchema<T> = JSONSchemaType<T>;

/** A service cannot start with these settings. The message lists every problem, one a line. */
export class SettingsError extends Error {
  override readonly name = 'SettingsError';
}

/**
 * How a process ends that cannot start with its settings or its configuration: EX_CONFIG of
 * sysexits.h. Starting it again is of no use.
 */
export const settingsExitCode = 78;

let ajv: Ajv | undefined;

/** Keeps what it has compiled: a process may start several services. */
const compiler = (): Ajv =>
  (ajv ??= createAjv({ coerceTypes: true, useDefaults: true, removeAdditional: 'all' }));

/**
 * Reads, coerces and freezes one service's settings from the environment; throws a SettingsError
 * that names every problem at once. Empty values count as not set. Each setting may come from a
 * file instead, named by `<NAME>_FILE`: its content without the line break at its end. Values are
 * never part of the message: a setting may be a secret.
 */
export function loadSettings<T extends object>(
  schema: SettingsSchema<T>,
  environment: NodeJS.ProcessEnv,
): Readonly<T> {
  const { candidate, problems, unread } = gather(
    Object.keys(schema['properties'] as object),
    environment,
  );
  const validate = compiler().compile<T>(schema);
  if (validate(candidate) && problems.length === 0) return Object.freeze(candidate);
  const wrong = (validate.errors ?? []).map((error) => {
    const missing =
      error.keyword === 'required' ? String(error.params['missingProperty']) : undefined;
    return missing === undefined
      ? { name: error.instancePath.slice(1), message: error.message ?? 'is invalid' }
      : { name: missing, message: 'is required' };
  });
  const lines = [
    ...problems,
    ...wrong
      .filter(({ name }) => !unread.has(name))
      .map(({ name, message }) => `  ${name} ${message}`),
  ];
  throw new SettingsError(`Settings that keep this service from starting:\n${lines.join('\n')}`);
}

interface Gathered {
  readonly candidate: unknown;
  readonly problems: readonly string[];
  /** Named by a file that gave no value: told once, not again as missing. */
  readonly unread: ReadonlySet<string>;
}

/**
 * The values of these settings, from the environment or from the files that it names; a setting
 * that ends in `_FILE` itself is no file of another.
 */
function gather(names: readonly string[], environment: NodeJS.ProcessEnv): Gathered {
  const given = (name: string): string | undefined => environment[name] || undefined;
  const candidate: Record<string, string | undefined> = Object.fromEntries(
    names.map((name) => [name, given(name)] as const).filter(([, value]) => value !== undefined),
  );
  const problems: string[] = [];
  const unread = new Set<string>();
  for (const name of names) {
    const fileName = `${name}_FILE`;
    const path = names.includes(fileName) ? undefined : given(fileName);
    if (path === undefined) continue;
    if (candidate[name] !== undefined) {
      problems.push(`  ${name} and ${fileName} are both set; leave one out`);
      continue;
    }
    const read = readSetting(path);
    if ('value' in read) candidate[name] = read.value;
    else {
      problems.push(`  ${fileName} names a file that ${read.problem}`);
      unread.add(name);
    }
  }
  return { candidate, problems, unread };
}

function readSetting(path: string): { readonly value: string } | { readonly problem: string } {
  try {
    const value = readFileSync(path, 'utf8').replace(/\r?\n$/, '');
    return value === '' ? { problem: 'is empty' } : { value };
  } catch (error) {
    return { problem: `cannot be read: ${describeError(error)}` };
  }
}

const text = { type: 'string', minLength: 1 } as const;

const address = { type: 'string', pattern: '^https?://' } as const;

/** Settings that several services have, declared once. */
export const settingSchemas = {
  HOST: { ...text, default: '0.0.0.0', description: 'Address to listen on' },
  PORT: {
    type: 'integer',
    minimum: 0,
    maximum: 65_535,
    description: 'Port to listen on; 0 takes a free one',
  },
  OPS_HOST: {
    ...text,
    nullable: true,
    description: 'Address that OPS_PORT listens on; when left out, that of HOST',
  },
  OPS_PORT: {
    type: 'integer',
    minimum: 0,
    maximum: 65_535,
    description:
      'Port of /livez, /readyz and /metrics, for operators only: keep it off the public network; 0 takes a free one',
  },
  API_PROCESSES: {
    type: 'integer',
    minimum: 1,
    maximum: 64,
    default: 1,
    description:
      'Processes that serve PORT together, for a machine with many cores: one a core. Each has its own pool of connections and its own memory',
  },
  LOG_LEVEL: {
    type: 'string',
    enum: ['error', 'warn', 'info', 'debug'],
    default: 'info',
    description: 'Least severe level that is logged',
  },
  NODE_ENV: {
    type: 'string',
    nullable: true,
    description:
      'With `production`, no setting may open loopback to addresses that customers choose',
  },
  LOG_FORMAT: {
    type: 'string',
    enum: ['json', 'text'],
    default: 'json',
    description: 'One JSON object per line, or text for people',
  },
  DATABASE_URL: {
    ...text,
    description: 'PostgreSQL, as postgres://user:password@host:port/database',
    examples: ['postgres://gateway:password@127.0.0.1:5432/gateway'],
  },
  DATABASE_POOL_SIZE: {
    type: 'integer',
    minimum: 1,
    maximum: 200,
    default: 10,
    description: 'Connections to PostgreSQL',
  },
  DATABASE_SILENCE_MS: {
    type: 'integer',
    minimum: 450,
    maximum: 60_000,
    default: 9_000,
    description:
      'How long PostgreSQL may say nothing while a statement waits before its connections are thrown away; the server cancels statements after eight ninths of it',
  },
  REDIS_URL: {
    ...text,
    description:
      'Redis, as redis://user:password@host:port, with rediss:// over TLS; or the sentinels that know its primary, as redis+sentinel://user:password@host:port,host:port/name',
    examples: ['redis://:password@127.0.0.1:6379'],
  },
  REDIS_SILENCE_MS: {
    type: 'integer',
    minimum: 500,
    maximum: 60_000,
    default: 8_000,
    description:
      'How long Redis may say nothing while a command waits before the connection is thrown away; a worker that waits for jobs may hear nothing for 10 s more',
  },
  INGEST_ALLOW_CIDRS: {
    type: 'string',
    default: '',
    description: 'Ranges from which vendor files may be fetched although they are not public',
  },
  INGEST_ALLOW_HTTP: {
    type: 'boolean',
    default: false,
    description: 'Whether vendor files may be fetched over plain http',
  },
  QUEUE_PREFIX: {
    ...text,
    default: 'gateway',
    description: 'Key prefix of the queues in Redis; a different one for each deployment',
  },
  WAITING_PER_ACCOUNT: {
    type: 'integer',
    minimum: 1,
    default: 2_000,
    description:
      'Reservations (billing) or new tasks (api) of one account that may wait while others of it are being written; further ones get 503 `overloaded`',
  },
  WAITING_IN_ALL: {
    type: 'integer',
    minimum: 1,
    default: 20_000,
    description: 'The same for all accounts of one replica together',
  },
  WAITING_MS: {
    type: 'integer',
    minimum: 100,
    maximum: 60_000,
    default: 10_000,
    description: 'How long one of them may wait before it gets 503 `overloaded`',
  },
  CLOCK_MAX_OFFSET_MS: {
    type: 'integer',
    minimum: 100,
    maximum: 3_600_000,
    default: 2_000,
    description:
      'A process whose clock differs by more than this from the database’s says so in /readyz, and takes no work that depends on time',
  },
  WATCHDOG_STALLED_MS: {
    type: 'integer',
    minimum: 0,
    maximum: 3_600_000,
    default: 120_000,
    description:
      'A worker that takes no job for this long, although jobs wait and it has capacity, fails /livez so that it gets restarted; 0: never',
  },
  EXCEPTIONS_BEFORE_RESTART: {
    type: 'integer',
    minimum: 0,
    maximum: 10_000,
    default: 10,
    description:
      'Accounts whose requests or jobs met an unexpected exception within a minute, from which on the process drains and restarts; 0: never',
  },
  GATEWAY_CONFIG: {
    ...text,
    description:
      'Path of the file with vendors, models and prices; changes to it take effect without a restart',
    examples: ['config/gateway.yaml'],
  },
  PUBLIC_BASE_URL: {
    ...address,
    description:
      'URL under which customers, and vendors that fetch assets, reach the api; media addresses start with it',
    examples: ['https://gateway.example.com'],
  },
  SERVICE_TOKEN: {
    type: 'string',
    minLength: 16,
    description: 'Secret shared by the api and billing; it permits reserving quota',
  },
  MEDIA_TOKEN_KEYS: {
    ...text,
    description:
      'Keys that sign media addresses, as k2:<base64>,k1:<base64>; the first signs, all verify; the same for every service',
  },
  CALLBACK_ALLOW_CIDRS: {
    type: 'string',
    default: '',
    description: 'Ranges that callbacks and references may reach although they are not public',
  },
  CALLBACK_ALLOW_HTTP: {
    type: 'boolean',
    default: false,
    description: 'Whether callback and reference addresses may be plain http',
  },
  CALLBACK_EGRESS_PROXY: {
    type: 'string',
    default: '',
    description:
      'Proxy that makes the connections to callback addresses, as http://user:password@host:port; it must refuse names that lead into private networks',
  },
  CALLBACK_SECRET_KEYS: {
    type: 'string',
    default: '',
    description:
      'Keys that seal callback secrets in the database, as k2:<base64 of 32 bytes>,k1:<base64>; the first seals, all open; the same for every service and the admin command',
  },
  address,
  text,
} as const;
