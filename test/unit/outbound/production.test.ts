import { describe, expect, it } from '@jest/globals';
import { createService as createApi, settingsSchema as apiSettings } from '@gateway/api';
import {
  createService as createDispatcher,
  settingsSchema as dispatcherSettings,
} from '@gateway/callback-dispatcher';
import { loadSettings, type LiveConfiguration } from '@gateway/runtime';
import {
  createService as createWorker,
  settingsSchema as workerSettings,
} from '@gateway/video-worker';

/** Nothing of it is reached: the services refuse before they open anything. */
const environment = {
  DATABASE_URL: 'postgres://nowhere.invalid/d',
  REDIS_URL: 'redis://nowhere.invalid',
  GATEWAY_CONFIG: '-',
  PUBLIC_BASE_URL: 'https://gateway.example',
  BILLING_URL: 'http://nowhere.invalid',
  SERVICE_TOKEN: 'service-token-for-tests',
  MEDIA_TOKEN_KEYS: 'k1:x',
  STORAGE_DIR: '/nowhere',
};
const configuration = {} as unknown as LiveConfiguration;

const services: [string, string, (overrides: NodeJS.ProcessEnv) => unknown][] = [
  [
    'the api',
    'CALLBACK_ALLOW_CIDRS',
    (overrides) =>
      createApi(loadSettings(apiSettings, { ...environment, ...overrides }), configuration),
  ],
  [
    'the video-worker',
    'INGEST_ALLOW_CIDRS',
    (overrides) =>
      createWorker(loadSettings(workerSettings, { ...environment, ...overrides }), configuration),
  ],
  [
    'the callback-dispatcher',
    'CALLBACK_ALLOW_CIDRS',
    (overrides) =>
      createDispatcher(loadSettings(dispatcherSettings, { ...environment, ...overrides })),
  ],
];

describe.each(services)('%s', (_service, setting, start) => {
  const startWith = (overrides: NodeJS.ProcessEnv): Promise<unknown> =>
    Promise.resolve().then(() => start(overrides));

  it.each(['127.0.0.1/32', '::1/128', '10.0.0.0/8,127.0.0.0/8'])(
    'does not start in production with %s opened',
    async (ranges) => {
      await expect(startWith({ NODE_ENV: 'production', [setting]: ranges })).rejects.toThrow(
        new RegExp(`^${setting}: .* opens loopback`),
      );
    },
  );

  it('does not start anywhere with every address opened', async () => {
    await expect(startWith({ [setting]: '0.0.0.0/0' })).rejects.toThrow(
      `${setting}: bad address range: "0.0.0.0/0"`,
    );
  });
});

describe('the callback-dispatcher', () => {
  it('does not start with an egress proxy that it cannot read, and keeps its password to itself', () => {
    const settings = loadSettings(dispatcherSettings, {
      ...environment,
      CALLBACK_EGRESS_PROXY: 'socks5://me:hidden@proxy',
    });

    expect(() => createDispatcher(settings)).toThrow(
      /^(?!.*hidden).*egress proxy must be written as/,
    );
  });
});
