import { createHash } from 'node:crypto';
import { readFile, rm } from 'node:fs/promises';
import { homedir } from 'node:os';
import path from 'node:path';
import { GatewayClient } from '@gateway/client';
import { CommandError, exitCodes, UsageError } from './exit-codes.ts';
import { writeWhole } from './files.ts';
import type { Terminal } from './terminal.ts';

/** Which gateway, by which key, and who said so. */
export interface Credentials {
  readonly baseUrl: string;
  readonly apiKey: string;
  readonly source: string;
}

/** The address of a gateway, as a setting or an option names it. */
export function addressFrom(name: string, text: string): string {
  const address = URL.canParse(text) ? new URL(text) : undefined;
  if (address === undefined || !['http:', 'https:'].includes(address.protocol)) {
    throw new UsageError(
      `${name} takes an address such as https://gateway.example, not "${text}".`,
    );
  }
  return text.replace(/\/+$/, '');
}

type Surroundings = Pick<Terminal, 'env' | 'folder'>;

export const localGateway = 'http://localhost:3000';

const folderOf = ({ env }: Surroundings, variable: string, usual: string): string => {
  const base = env[variable];
  const home = (): string => path.join(env['HOME'] ?? homedir(), usual);
  // The XDG rules: what is not absolute does not count.
  return path.join(base !== undefined && path.isAbsolute(base) ? base : home(), 'gw');
};

/** Where keys are kept. */
export const configFolder = (surroundings: Surroundings): string =>
  folderOf(surroundings, 'XDG_CONFIG_HOME', '.config');

const credentialsFile = (surroundings: Surroundings): string =>
  path.join(configFolder(surroundings), 'credentials.json');

/** Where unfinished videos are remembered. */
export const stateFolder = (surroundings: Surroundings): string =>
  folderOf(surroundings, 'XDG_STATE_HOME', '.local/state');

/** Keeps a key for later commands, readable by its owner alone; returns the file. */
export async function keepCredentials(
  surroundings: Surroundings,
  { baseUrl, apiKey }: Omit<Credentials, 'source'>,
): Promise<string> {
  const file = credentialsFile(surroundings);
  await writeWhole(file, `${JSON.stringify({ base_url: baseUrl, api_key: apiKey })}\n`);
  return file;
}

export async function forgetCredentials(surroundings: Surroundings): Promise<string> {
  const file = credentialsFile(surroundings);
  await rm(file, { force: true });
  return file;
}

/**
 * The environment, then what `gw login` has kept, then the demo account of a gateway that `npm
 * start` runs in this folder or above it.
 */
export async function findCredentials(surroundings: Surroundings): Promise<Credentials> {
  const { GW_API_KEY: apiKey = '', GW_BASE_URL: baseUrl = '' } = surroundings.env;
  if (apiKey !== '') {
    const named = baseUrl === '' ? localGateway : addressFrom('GW_BASE_URL', baseUrl);
    return { baseUrl: named, apiKey, source: 'GW_API_KEY' };
  }
  const kept = await readCredentials(credentialsFile(surroundings));
  if (kept !== undefined) return kept;
  for (const file of demoFiles(surroundings)) {
    const demo = await readCredentials(file);
    if (demo !== undefined) return { ...demo, source: `the demo account in ${file}` };
  }
  throw new CommandError(
    'You are not logged in: run "gw login", set GW_API_KEY and GW_BASE_URL, or start a gateway in this folder with "npm start".',
    exitCodes.key,
  );
}

function demoFiles({ env, folder }: Surroundings): string[] {
  const { DATA_DIR: dataDir = '' } = env;
  if (dataDir !== '') return [path.resolve(folder, dataDir, 'demo.json')];
  const above = path.dirname(folder);
  const here = path.join(folder, '.data', 'demo.json');
  return above === folder ? [here] : [here, ...demoFiles({ env, folder: above })];
}

async function readCredentials(file: string): Promise<Credentials | undefined> {
  let text: string;
  try {
    text = await readFile(file, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
  const { base_url: baseUrl, api_key: apiKey } = objectIn(text);
  if (typeof baseUrl !== 'string' || typeof apiKey !== 'string') {
    throw new CommandError(`${file} holds no key: run "gw login".`, exitCodes.key);
  }
  return { baseUrl, apiKey, source: file };
}

function objectIn(text: string): Readonly<Record<string, unknown>> {
  try {
    return Object(JSON.parse(text)) as Readonly<Record<string, unknown>>;
  } catch {
    return {};
  }
}

export interface OpenClient {
  readonly client: GatewayClient;
  readonly baseUrl: string;
  /** Tells accounts and gateways apart without naming the key. */
  readonly identity: string;
}

/** A client for these surroundings; says whose key it uses where nobody has chosen one. */
export async function openClient(terminal: Terminal): Promise<OpenClient> {
  const { baseUrl, apiKey, source } = await findCredentials(terminal);
  if (source.startsWith('the demo account') && terminal.stderr.isTTY === true) {
    terminal.stderr.write(`Using ${source}, at ${baseUrl}.\n`);
  }
  const identity = createHash('sha256').update(`${baseUrl} ${apiKey}`).digest('hex');
  return { client: new GatewayClient({ baseUrl, apiKey }), baseUrl, identity };
}
