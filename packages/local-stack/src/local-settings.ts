import { existsSync } from 'node:fs';
import { isIP } from 'node:net';
import { join, relative, resolve } from 'node:path';
import { LocalStackError } from './local-stack-error.ts';
import { repositoryRoot } from './package-folder.ts';

export interface LocalSettings {
  readonly port: number;
  readonly host: string;
  /** Absolute. */
  readonly dataDir: string;
  /** The data folder as a person would type it. */
  readonly shownDataDir: string;
  /** Absolute. */
  readonly configFile: string;
  readonly databaseUrl?: string;
  readonly redisUrl?: string;
}

const defaultPort = 3_000;

/** What `npm start` takes from the environment; an empty value counts as not set. */
export function readLocalSettings(environment: NodeJS.ProcessEnv, cwd: string): LocalSettings {
  const given = (name: string): string | undefined =>
    environment[name] === '' ? undefined : environment[name];
  const path = (name: string, fallback: string): string =>
    resolve(cwd, given(name) ?? join(repositoryRoot, fallback));
  const dataDir = path('DATA_DIR', '.data');
  const configFile = path('GATEWAY_CONFIG', 'config/gateway.yaml');
  if (!existsSync(configFile)) {
    throw new LocalStackError(
      'folder_not_usable',
      `The configuration ${configFile} does not exist: correct GATEWAY_CONFIG, or leave it unset for the one that comes with the project.`,
    );
  }
  const host = given('HOST');
  const databaseUrl = given('DATABASE_URL');
  const redisUrl = given('REDIS_URL');
  return {
    port: readPort(given('PORT')),
    // Some shells export their machine's name as HOST; only an address is meant for us.
    host: host !== undefined && isIP(host) !== 0 ? host : '127.0.0.1',
    dataDir,
    shownDataDir: shorter(relative(cwd, dataDir), dataDir),
    configFile,
    ...(databaseUrl !== undefined && { databaseUrl }),
    ...(redisUrl !== undefined && { redisUrl }),
  };
}

function readPort(text: string | undefined): number {
  const port = text === undefined ? defaultPort : Number(text);
  if (!Number.isInteger(port) || port < 0 || port > 65_535) {
    throw new LocalStackError(
      'port_in_use',
      `PORT must be a whole number from 0 to 65535; got "${text ?? ''}".`,
    );
  }
  return port;
}

function shorter(one: string, other: string): string {
  return one !== '' && one.length < other.length ? one : other;
}
