import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterEach, describe, expect, it } from '@jest/globals';
import { takeDataFolder } from '../../../packages/local-stack/src/data-folder.ts';
import { readLocalSettings } from '../../../packages/local-stack/src/local-settings.ts';
import {
  environmentOf,
  gatewayServices,
  type Wiring,
} from '../../../packages/local-stack/src/services.ts';
import { aFolder } from './stand-in.ts';

const root = path.resolve(import.meta.dirname, '../../..');
const cleanUps: (() => void)[] = [];
afterEach(() => {
  for (const cleanUp of cleanUps.splice(0)) cleanUp();
});

function aPlace(): ReturnType<typeof aFolder> {
  const place = aFolder();
  cleanUps.push(() => {
    place.remove();
  });
  return place;
}

describe('the settings of npm start', () => {
  it('have defaults: port 3000, .data and config/gateway.yaml of the checkout, databases of its own', () => {
    expect(readLocalSettings({ PORT: '', DATABASE_URL: '' }, root)).toEqual({
      port: 3_000,
      host: '127.0.0.1',
      dataDir: path.join(root, '.data'),
      shownDataDir: '.data',
      configFile: path.join(root, 'config/gateway.yaml'),
    });
  });

  it('come from the environment, with folders relative to where it is started', () => {
    const { folder, file } = aPlace();
    file('models.yaml', '');

    expect(
      readLocalSettings(
        {
          PORT: '0',
          HOST: '0.0.0.0',
          DATA_DIR: 'data',
          GATEWAY_CONFIG: 'models.yaml',
          DATABASE_URL: 'a',
          REDIS_URL: 'b',
        },
        folder,
      ),
    ).toEqual({
      port: 0,
      host: '0.0.0.0',
      dataDir: path.join(folder, 'data'),
      shownDataDir: 'data',
      configFile: path.join(folder, 'models.yaml'),
      databaseUrl: 'a',
      redisUrl: 'b',
    });
  });

  it('take no machine name for an address to listen on', () => {
    expect(readLocalSettings({ HOST: 'my-laptop' }, root).host).toBe('127.0.0.1');
  });

  it.each(['http', '-1', '70000', '30.5'])('refuse the port %s', (port) => {
    expect(() => readLocalSettings({ PORT: port }, root)).toThrow(
      `PORT must be a whole number from 0 to 65535; got "${port}".`,
    );
  });

  it('refuse a configuration that does not exist', () => {
    expect(() => readLocalSettings({ GATEWAY_CONFIG: '/nowhere/gateway.yaml' }, root)).toThrow(
      'The configuration /nowhere/gateway.yaml does not exist',
    );
  });
});

describe('the environment of a service in the local suite', () => {
  const urlOf = (service: string): string =>
    `http://127.0.0.1:${9_000 + gatewayServices.findIndex(({ name }) => name === service)}`;
  const wiring: Wiring = {
    dataDir: '/data',
    databaseUrlOf: (service) => `postgresql://database/${service}`,
    redisUrl: 'redis://redis',
    configFile: '/gateway.yaml',
    host: '0.0.0.0',
    baseUrl: 'http://base',
    urlOf,
    opsUrlOf: urlOf,
    secrets: {
      admin_token: 'admin',
      service_token: 'service',
      media_token_keys: 'k1:key',
      callback_secret_keys: 'local:key',
      receipt_keys: 'local:receipt',
      sandbox_api_key: 'sandbox',
      database_secret: 'database',
    },
  };
  const environment = (name: string, inherited: NodeJS.ProcessEnv = {}): NodeJS.ProcessEnv =>
    environmentOf(
      gatewayServices.find((service) => service.name === name)!,
      wiring,
      { inherited },
    );

  it('carries each secret to the services that need it, and to no other', () => {
    const holders = (setting: string): string[] =>
      gatewayServices.map(({ name }) => name).filter((name) => setting in environment(name));

    expect({
      ADMIN_TOKEN: holders('ADMIN_TOKEN'),
      SERVICE_TOKEN: holders('SERVICE_TOKEN'),
      MEDIA_TOKEN_KEYS: holders('MEDIA_TOKEN_KEYS'),
      CALLBACK_SECRET_KEYS: holders('CALLBACK_SECRET_KEYS'),
      STORAGE_DIR: holders('STORAGE_DIR'),
    }).toEqual({
      ADMIN_TOKEN: ['api'],
      SERVICE_TOKEN: ['billing', 'api'],
      MEDIA_TOKEN_KEYS: ['api', 'video-worker', 'callback-dispatcher'],
      CALLBACK_SECRET_KEYS: ['api', 'callback-dispatcher'],
      STORAGE_DIR: ['api', 'video-worker'],
    });
  });

  it('lets the api alone listen where the outside can reach it', () => {
    expect(gatewayServices.map(({ name }) => [name, environment(name)['HOST']])).toEqual([
      ['sandbox-vendor', '127.0.0.1'],
      ['billing', '127.0.0.1'],
      ['api', '0.0.0.0'],
      ['video-worker', '127.0.0.1'],
      ['callback-dispatcher', '127.0.0.1'],
    ]);
  });

  it('opens loopback for callbacks and for the files of the sandbox vendor, unless the environment decides otherwise', () => {
    expect(environment('callback-dispatcher')).toMatchObject({
      CALLBACK_ALLOW_CIDRS: '127.0.0.0/8,::1/128',
      CALLBACK_ALLOW_HTTP: 'true',
    });
    expect(environment('video-worker')).toMatchObject({
      INGEST_ALLOW_CIDRS: '127.0.0.0/8,::1/128',
      INGEST_ALLOW_HTTP: 'true',
    });
    expect(environment('callback-dispatcher', { CALLBACK_SECRET_KEYS: 'mine:key' })).toMatchObject({
      CALLBACK_SECRET_KEYS: 'mine:key',
    });
    expect(
      environment('callback-dispatcher', { CALLBACK_ALLOW_CIDRS: '10.0.0.0/8' }),
    ).toMatchObject({ CALLBACK_ALLOW_CIDRS: '10.0.0.0/8' });
  });

  it("takes over what else the shell has set, such as a vendor's key, but no port, no host, no engine and no NODE_ENV", () => {
    const seen = environment('billing', {
      NODE_ENV: 'production',
      ARK_API_KEY: 'key',
      PORT: '3000',
      HOST: 'laptop',
      OPS_PORT: '3000',
      OPS_HOST: 'laptop',
      PRISMA_SCHEMA_ENGINE_BINARY: '/bin/true',
      DATABASE_URL: 'other',
    });

    expect(seen).toMatchObject({
      ARK_API_KEY: 'key',
      PORT: '9001',
      HOST: '127.0.0.1',
      OPS_PORT: '9001',
      OPS_HOST: '127.0.0.1',
      DATABASE_URL: 'postgresql://database/billing',
    });
    expect(seen).not.toHaveProperty('PRISMA_SCHEMA_ENGINE_BINARY');
    // production forbids the loopback that the local run opens
    expect(seen).not.toHaveProperty('NODE_ENV');
  });
});

describe('taking a data folder', () => {
  it('is refused while another process has it, in one sentence with the remedy', () => {
    const { folder } = aPlace();
    const release = takeDataFolder(folder);

    expect(() => takeDataFolder(folder)).toThrow(
      `Process ${process.pid} already runs on ${folder}: stop it, or set DATA_DIR to another folder.`,
    );

    release();
    takeDataFolder(folder)();
  });

  it.each([
    ['died', { pid: 2_147_483_647, started: '1' }],
    [
      'died, and its number belongs to another process now',
      { pid: process.pid, started: 'earlier' },
    ],
  ])('succeeds when the process that had it %s', (_what, holder) => {
    const { folder } = aPlace();
    writeFileSync(path.join(folder, 'running.json'), JSON.stringify(holder));

    takeDataFolder(folder);

    expect(JSON.parse(readFileSync(path.join(folder, 'running.json'), 'utf8'))).toMatchObject({
      pid: process.pid,
    });
  });

  it('says what to do when the folder cannot be written', () => {
    const { folder, file } = aPlace();
    file('taken', '');

    expect(() => takeDataFolder(path.join(folder, 'taken'))).toThrow(
      /cannot be written \(EEXIST\): set DATA_DIR to a folder that you own\.$/,
    );
  });
});
