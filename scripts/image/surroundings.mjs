import { randomBytes } from 'node:crypto';
import { chownSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import pg from 'pg';
import { root } from '../setup.mjs';

const user = 10_001;
const roles = [
  'gateway_api',
  'gateway_billing',
  'gateway_video_worker',
  'gateway_callback_dispatcher',
  'gateway_admin',
];

/**
 * What the services need around them: PostgreSQL and Redis (TEST_DATABASE_URL and TEST_REDIS_URL as
 * for npm test, else local ones), a database of its own, folders, ports, secrets and a receiver of
 * callbacks.
 */
export async function openSurroundings(say) {
  const { freePorts, startPostgres, startRedis } =
    await import('../../packages/local-stack/dist/index.js');
  const folder = mkdtempSync(join(tmpdir(), 'gateway-trial-'));
  const options = {
    dataDir: join(root, '.cache', `image-trial-${process.pid}`),
    durable: false,
    database: 'postgres',
    log: say,
    signal: new AbortController().signal,
  };
  mkdirSync(options.dataDir, { recursive: true });
  const closers = [];
  const server = process.env.TEST_DATABASE_URL || (await kept(startPostgres(options), closers));
  const redisUrl = process.env.TEST_REDIS_URL || (await kept(startRedis(options), closers));
  const database = await makeDatabase(server);
  const receiver = await startReceiver();
  const names = ['api', 'billing', 'video-worker', 'callback-dispatcher', 'sandbox-vendor'];
  const free = await freePorts(2 * names.length);
  const ports = Object.fromEntries(names.map((name, index) => [name, free[2 * index]]));
  const opsPorts = Object.fromEntries(names.map((name, index) => [name, free[2 * index + 1]]));
  const urlOf = (name) => `http://127.0.0.1:${ports[name]}`;
  const media = folderFor(folder, 'media');
  const environments = settingsFor({ databaseUrl: database.url, redisUrl, urlOf });
  return {
    apiUrl: urlOf('api'),
    receiver,
    environmentOf: (name) => ({
      ...environments[name],
      ...(ports[name] !== undefined && {
        PORT: String(ports[name]),
        OPS_PORT: String(opsPorts[name]),
        HOST: '127.0.0.1',
      }),
    }),
    mountsOf(name) {
      if (name === 'sandbox-vendor') {
        return { '/data/sandbox': { from: folderFor(folder, 'sandbox') } };
      }
      const configuration = {
        '/etc/gateway.yaml': { from: join(root, 'config', 'gateway.yaml'), readonly: true },
      };
      return name === 'api' || name === 'video-worker'
        ? { '/data/media': { from: media }, ...configuration }
        : {};
    },
    async close() {
      receiver.close();
      await database.drop();
      await Promise.all(closers.map((each) => each.stop()));
      for (const each of [folder, options.dataDir]) rmSync(each, { recursive: true, force: true });
    },
  };
}

async function kept(starting, closers) {
  const store = await starting;
  closers.push(store);
  return store.url;
}

function folderFor(parent, name) {
  const folder = join(parent, name);
  mkdirSync(folder, { recursive: true });
  chownSync(folder, user, user);
  return folder;
}

async function makeDatabase(server) {
  const name = `gateway_image_${process.pid}`;
  const url = new URL(server);
  url.pathname = `/${name}`;
  const ask = async (sql) => {
    const client = new pg.Client({ connectionString: server });
    await client.connect();
    await client.query(sql).finally(() => client.end());
  };
  await ask(`CREATE DATABASE ${name}`);
  return { url: url.href, drop: () => ask(`DROP DATABASE ${name} WITH (FORCE)`) };
}

/** Consents to every challenge and keeps the statuses that are pushed. */
async function startReceiver() {
  const statuses = [];
  const server = createServer(async (request, response) => {
    const chunks = [];
    for await (const chunk of request) chunks.push(chunk);
    const message = JSON.parse(Buffer.concat(chunks).toString());
    if (message.status !== undefined) statuses.push(message.status);
    response.end(message.challenge);
  });
  await new Promise((resolve) => {
    server.listen(0, '127.0.0.1', () => resolve(undefined));
  });
  return {
    statuses,
    url: `http://127.0.0.1:${/** @type {import('node:net').AddressInfo} */ (server.address()).port}/callbacks`,
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}

/**
 * As docker-compose.yml gives them; but in production nothing may open loopback, which is the only
 * network of this trial.
 */
function settingsFor({ databaseUrl, redisUrl, urlOf }) {
  const key = () => `k1:${randomBytes(32).toString('base64')}`;
  const token = () => randomBytes(24).toString('hex');
  const open = {
    NODE_ENV: 'development',
    CALLBACK_ALLOW_CIDRS: '127.0.0.0/8',
    CALLBACK_ALLOW_HTTP: 'true',
  };
  const { as, migrate } = databaseRoles(databaseUrl, token);
  const stores = { REDIS_URL: redisUrl, QUEUE_PREFIX: `gateway-image-${process.pid}` };
  const shared = { PUBLIC_BASE_URL: urlOf('api'), MEDIA_TOKEN_KEYS: key() };
  const sealing = { CALLBACK_SECRET_KEYS: key() };
  const service = { SERVICE_TOKEN: token() };
  const vendor = {
    GATEWAY_CONFIG: '/etc/gateway.yaml',
    SANDBOX_URL: urlOf('sandbox-vendor'),
    SANDBOX_API_KEY: token(),
  };
  const media = { MEDIA_STORAGE: 'file', STORAGE_DIR: '/data/media' };
  return {
    migrate,
    admin: { ...as('gateway_admin'), ...sealing },
    billing: { ...stores, ...as('gateway_billing'), ...service },
    api: {
      ...stores,
      ...as('gateway_api'),
      ...shared,
      ...vendor,
      ...media,
      ...service,
      ...sealing,
      ...open,
      BILLING_URL: urlOf('billing'),
    },
    'video-worker': {
      ...stores,
      ...as('gateway_video_worker'),
      ...shared,
      ...vendor,
      ...media,
      NODE_ENV: 'development',
      INGEST_ALLOW_HTTP: 'true',
      INGEST_ALLOW_CIDRS: '127.0.0.0/8',
    },
    'callback-dispatcher': {
      ...stores,
      ...as('gateway_callback_dispatcher'),
      ...shared,
      ...sealing,
      ...open,
    },
    'sandbox-vendor': {
      SANDBOX_API_KEY: vendor.SANDBOX_API_KEY,
      SANDBOX_PUBLIC_URL: urlOf('sandbox-vendor'),
      SANDBOX_DATA_DIR: '/data/sandbox',
    },
  };
}

/** The settings of the migrator, which makes the roles, and of whoever connects as one of them. */
function databaseRoles(databaseUrl, newPassword) {
  const passwords = Object.fromEntries(roles.map((role) => [role, newPassword()]));
  const settings = Object.entries(passwords).map(([role, password]) => [
    `${role.toUpperCase()}_PASSWORD`,
    password,
  ]);
  return {
    migrate: { DATABASE_URL: databaseUrl, ...Object.fromEntries(settings) },
    as: (role) => {
      const url = new URL(databaseUrl);
      url.username = role;
      url.password = passwords[role] ?? '';
      return { DATABASE_URL: url.href };
    },
  };
}
