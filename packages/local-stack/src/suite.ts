import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { whyNotResponding } from './http-probe.ts';
import { repositoryRoot, runtimeModule } from './package-folder.ts';
import { assertPortFree, freePorts } from './ports.ts';
import { loadSecrets, type Secrets } from './secrets.ts';
import {
  compiledEntryOf,
  environmentOf,
  gatewayServices,
  type Service,
  type Wiring,
} from './services.ts';
import { superviseProcess, type SupervisedProcess } from './supervisor.ts';

export type ServiceSettings = Readonly<Partial<Record<string, Readonly<Record<string, string>>>>>;

export interface StartSuiteOptions {
  /** Absolute. Holds secrets, logs and media. */
  readonly dataDir: string;
  readonly databaseUrl: string;
  /** The address for one service, with a role of its own. Default: `databaseUrl` for all. */
  readonly databaseUrlOf?: ((service: string) => string) | undefined;
  readonly redisUrl: string;
  /** Of the API; 0, the default, takes a free one. */
  readonly port?: number;
  /** Of the API. Default 127.0.0.1. */
  readonly host?: string;
  /** Absolute path of gateway.yaml. Default: the one of the checkout. */
  readonly configFile?: string;
  /** More settings, by service name; they win over all others. */
  readonly env?: ServiceSettings | ((urlOf: (service: string) => string) => ServiceSettings);
  /** Node's own arguments, by service name. */
  readonly nodeArguments?: Readonly<Partial<Record<string, readonly string[]>>>;
  /** Names of services that run from their compiled modules, as a debugger wants them. */
  readonly compiled?: readonly string[];
  /** Whether a crashed service is started again. Default true. */
  readonly restart?: boolean;
  readonly readyTimeoutMs?: number;
  readonly stopTimeoutMs?: number;
  readonly log?: (line: string) => void;
  /** Default: the gateway's own. */
  readonly services?: readonly Service[];
  readonly signal?: AbortSignal | undefined;
}

export interface Suite {
  readonly baseUrl: string;
  readonly sandboxUrl: string;
  readonly databaseUrl: string;
  readonly redisUrl: string;
  readonly adminToken: string;
  readonly serviceToken: string;
  readonly secrets: Secrets;
  urlOf(service: string): string;
  /** Where `/readyz` and `/metrics` of a service are. */
  opsUrlOf(service: string): string;
  /** Undefined while the service is down. */
  pidOf(service: string): number | undefined;
  /** Signals one service; under the restart policy it comes back by itself. */
  kill(service: string, signal: NodeJS.Signals): boolean;
  /** Stops one service and keeps it down. */
  stopService(service: string): Promise<void>;
  /** Starts a service that is down, and waits until it is ready. */
  startService(service: string): Promise<void>;
  stop(): Promise<void>;
  readonly logs: {
    readonly folder: string;
    /** All that a service has logged, as JSON lines. */
    read(service: string): string;
  };
}

const loopbackHost = '127.0.0.1';

/**
 * Starts the services as child processes under supervision; resolves when each returns 200 on
 * `/readyz`.
 */
export async function startSuite(options: StartSuiteOptions): Promise<Suite> {
  const {
    dataDir,
    services = gatewayServices,
    log = () => undefined,
    host = loopbackHost,
    port = 0,
  } = options;
  if (port !== 0) await assertPortFree(port, host);
  const secrets = loadSecrets(dataDir);
  const { urlOf, opsUrlOf } = await assignUrls(services, port);
  const wiring = wire(options, { secrets, urlOf, opsUrlOf, host });
  const logFolder = join(dataDir, 'logs');
  const env = typeof options.env === 'function' ? options.env(urlOf) : (options.env ?? {});
  const children = new Map(
    services.map((service) => [service.name, supervise(service, wiring, { ...options, env })]),
  );
  const stop = async (): Promise<void> => {
    await Promise.all([...children.values()].map((child) => child.stop()));
  };
  const child = (name: string): SupervisedProcess => known(children.get(name), name);
  log(`starting ${services.map(({ name }) => name).join(', ')}`);
  try {
    for (const each of children.values()) each.start();
    await Promise.all([...children.values()].map((each) => each.ready()));
  } catch (error) {
    await stop();
    throw error;
  }
  return {
    baseUrl: wiring.baseUrl,
    sandboxUrl: urlOf('sandbox-vendor'),
    databaseUrl: options.databaseUrl,
    redisUrl: options.redisUrl,
    adminToken: secrets.admin_token,
    serviceToken: secrets.service_token,
    secrets,
    urlOf,
    opsUrlOf,
    pidOf: (name) => child(name).pid(),
    kill: (name, signal) => child(name).kill(signal),
    stopService: (name) => child(name).stop(),
    startService: async (name) => {
      child(name).start();
      await child(name).ready();
    },
    stop,
    logs: {
      folder: logFolder,
      read: (name) => readFileSync(join(logFolder, `${child(name).name}.log`), 'utf8'),
    },
  };
}

/** Ports are chosen once, so that a service comes back where the others look for it. */
async function assignUrls(
  services: readonly Service[],
  apiPort: number,
): Promise<Pick<Wiring, 'urlOf' | 'opsUrlOf'>> {
  const free = await freePorts(2 * services.length);
  const at = (port: number | undefined): string => `http://${loopbackHost}:${String(port)}`;
  const urls = new Map(
    services.map(({ name, servesOps = false }, index) => {
      const url = at(name === 'api' && apiPort !== 0 ? apiPort : free[2 * index]);
      return [name, { url, opsUrl: servesOps ? at(free[2 * index + 1]) : url }];
    }),
  );
  return {
    urlOf: (service) => known(urls.get(service), service).url,
    opsUrlOf: (service) => known(urls.get(service), service).opsUrl,
  };
}

function known<T>(value: T | undefined, service: string): T {
  if (value === undefined) throw new Error(`there is no service ${service} in this suite`);
  return value;
}

function wire(
  options: StartSuiteOptions,
  { secrets, urlOf, opsUrlOf, host }: Pick<Wiring, 'secrets' | 'urlOf' | 'opsUrlOf' | 'host'>,
): Wiring {
  return {
    dataDir: options.dataDir,
    databaseUrlOf: options.databaseUrlOf ?? (() => options.databaseUrl),
    redisUrl: options.redisUrl,
    configFile: options.configFile ?? join(repositoryRoot, 'config', 'gateway.yaml'),
    host,
    baseUrl: urlOf('api'),
    secrets,
    urlOf,
    opsUrlOf,
  };
}

function supervise(
  service: Service,
  wiring: Wiring,
  options: StartSuiteOptions & { readonly env: ServiceSettings },
): SupervisedProcess {
  const isCompiled = options.compiled?.includes(service.name) === true;
  const entry = resolve(repositoryRoot, isCompiled ? compiledEntryOf(service.name) : service.entry);
  return superviseProcess(
    {
      name: service.name,
      command: process.execPath,
      args: [
        ...(options.nodeArguments?.[service.name] ?? []),
        ...['--enable-source-maps', '--import', runtimeModule('exit-with-parent'), entry],
      ],
      env: environmentOf(service, wiring, {
        inherited: process.env,
        extra: options.env[service.name],
      }),
      cwd: repositoryRoot,
      logFile: join(options.dataDir, 'logs', `${service.name}.log`),
      whyNotReady: () => whyNotResponding(`${wiring.opsUrlOf(service.name)}/readyz`),
    },
    {
      restart: options.restart ?? true,
      readyTimeoutMs: options.readyTimeoutMs ?? 120_000,
      stopTimeoutMs: options.stopTimeoutMs ?? 15_000,
      log: options.log ?? (() => undefined),
      signal: options.signal,
    },
  );
}
