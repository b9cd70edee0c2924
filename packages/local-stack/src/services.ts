import { join } from 'node:path';
import type { Secrets } from './secrets.ts';

/** What the services of one suite have to know of each other and of their surroundings. */
export interface Wiring {
  readonly dataDir: string;
  databaseUrlOf(service: string): string;
  readonly redisUrl: string;
  /** Absolute path of gateway.yaml. */
  readonly configFile: string;
  /** The address that the API listens on; all other services listen on loopback. */
  readonly host: string;
  readonly baseUrl: string;
  readonly secrets: Secrets;
  urlOf(service: string): string;
  /** Where a service serves `/readyz`. */
  opsUrlOf(service: string): string;
}

export interface Service {
  readonly name: string;
  /** What it is started from, relative to the checkout or absolute. */
  readonly entry: string;
  /** Whether `/readyz` and `/metrics` are on OPS_PORT; otherwise `/readyz` is on PORT. */
  readonly servesOps?: boolean;
  /** What this service needs beside the common settings. */
  readonly env?: (wiring: Wiring) => Record<string, string>;
  /** What this service uses unless the environment says otherwise. */
  readonly defaults?: (wiring: Wiring) => Record<string, string>;
}

/** A service in a few files, which start in half the time of its compiled modules. */
const bundleOf = (service: string): string => `dist/${service}.js`;

/** A service's compiled modules: for a developer's debugger, and of releases without bundles. */
export const compiledEntryOf = (service: string): string => `services/${service}/dist/main.js`;

/**
 * The local run opens loopback, so that a newcomer's callback receiver and the sandbox vendor can
 * be reached.
 */
const loopback = '127.0.0.0/8,::1/128';
const openCallbacks = { CALLBACK_ALLOW_CIDRS: loopback, CALLBACK_ALLOW_HTTP: 'true' };

const publicAddress = ({ baseUrl }: Wiring): Record<string, string> => ({
  PUBLIC_BASE_URL: baseUrl,
});
const mediaKeys = ({ secrets }: Wiring): Record<string, string> => ({
  MEDIA_TOKEN_KEYS: secrets.media_token_keys,
});
/** A default: a shell that had keys before this folder had one goes on with them. */
const callbackKeys = ({ secrets }: Wiring): Record<string, string> => ({
  CALLBACK_SECRET_KEYS: secrets.callback_secret_keys,
});
const receiptKeys = ({ secrets }: Wiring): Record<string, string> => ({
  RECEIPT_KEYS: secrets.receipt_keys,
});
const storage = ({ dataDir }: Wiring): Record<string, string> => ({
  STORAGE_DIR: join(dataDir, 'media'),
});
const serviceToken = ({ secrets }: Wiring): Record<string, string> => ({
  SERVICE_TOKEN: secrets.service_token,
});

/** The services of the gateway and the sandbox vendor, in the order in which they are started. */
export const gatewayServices: readonly Service[] = [
  {
    name: 'sandbox-vendor',
    entry: bundleOf('sandbox-vendor'),
    env: ({ dataDir }) => ({ SANDBOX_DATA_DIR: join(dataDir, 'sandbox') }),
  },
  {
    name: 'billing',
    entry: bundleOf('billing'),
    servesOps: true,
    env: serviceToken,
  },
  {
    name: 'api',
    entry: bundleOf('api'),
    servesOps: true,
    env: (wiring) => ({
      ...serviceToken(wiring),
      ...mediaKeys(wiring),
      ...storage(wiring),
      HOST: wiring.host,
      BILLING_URL: wiring.urlOf('billing'),
      USAGE_SPOOL_DIR: join(wiring.dataDir, 'usage-spool'),
      ADMIN_TOKEN: wiring.secrets.admin_token,
    }),
    defaults: (wiring) => ({
      ...publicAddress(wiring),
      ...callbackKeys(wiring),
      ...receiptKeys(wiring),
      ...openCallbacks,
    }),
  },
  {
    name: 'video-worker',
    entry: bundleOf('video-worker'),
    servesOps: true,
    env: (wiring) => ({ ...storage(wiring), ...mediaKeys(wiring) }),
    defaults: (wiring) => ({
      ...publicAddress(wiring),
      INGEST_ALLOW_CIDRS: loopback,
      INGEST_ALLOW_HTTP: 'true',
    }),
  },
  {
    name: 'callback-dispatcher',
    entry: bundleOf('callback-dispatcher'),
    servesOps: true,
    env: mediaKeys,
    defaults: (wiring) => ({ ...publicAddress(wiring), ...callbackKeys(wiring), ...openCallbacks }),
  },
];

/**
 * Names that would change what a service does and that a shell may carry by accident. NODE_ENV
 * among them: the local run opens loopback, which production forbids.
 */
const notInherited = [
  'NODE_ENV',
  'PORT',
  'HOST',
  'OPS_PORT',
  'OPS_HOST',
  'DATA_DIR',
  'PRISMA_SCHEMA_ENGINE_BINARY',
];

const portIn = (url: string): string => new URL(url).port;

/**
 * The environment of one service: ours over the inherited one over the defaults, and `extra` over
 * all.
 */
export function environmentOf(
  service: Service,
  wiring: Wiring,
  {
    inherited,
    extra,
  }: { inherited: NodeJS.ProcessEnv; extra?: Readonly<Record<string, string>> | undefined },
): NodeJS.ProcessEnv {
  const kept = Object.fromEntries(
    Object.entries(inherited).filter(
      ([name, value]) => !notInherited.includes(name) && value !== '',
    ),
  );
  return {
    LOG_LEVEL: 'info',
    // glibc keeps a heap for each of Node's threads; two of them hold the api 5 MB smaller, at no
    // measured cost.
    MALLOC_ARENA_MAX: '2',
    ...service.defaults?.(wiring),
    ...kept,
    DATABASE_URL: wiring.databaseUrlOf(service.name),
    REDIS_URL: wiring.redisUrl,
    GATEWAY_CONFIG: wiring.configFile,
    HOST: '127.0.0.1',
    PORT: portIn(wiring.urlOf(service.name)),
    OPS_HOST: '127.0.0.1',
    OPS_PORT: portIn(wiring.opsUrlOf(service.name)),
    LOG_FORMAT: 'json',
    SANDBOX_URL: wiring.urlOf('sandbox-vendor'),
    SANDBOX_API_KEY: wiring.secrets.sandbox_api_key,
    ...service.env?.(wiring),
    ...extra,
  };
}
