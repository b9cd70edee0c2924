import { readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { afterEach, describe, expect, it } from '@jest/globals';
import { settingsExitCode } from '@gateway/runtime';
import { freePort } from '../../../packages/local-stack/src/ports.ts';
import type { Service } from '../../../packages/local-stack/src/services.ts';
import {
  startSuite,
  type StartSuiteOptions,
  type Suite,
} from '../../../packages/local-stack/src/suite.ts';
import {
  aFolder,
  aService,
  aServiceThatCannotStart,
  aServiceThatEndsWith,
  aServiceThatIsNeverReady,
  aServiceThatWillNotStop,
  aServiceWithAChild,
  becomesTrue,
  isRunning,
} from '../../unit/local-stack/stand-in.ts';

const cleanUps: (() => void | Promise<void>)[] = [];
afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp();
});

/** Two ordinary services under the names that every suite has, and what a test adds. */
function servicesIn(
  { file }: ReturnType<typeof aFolder>,
  more: Readonly<Record<string, string>> = {},
): Service[] {
  return Object.entries({ api: aService, 'sandbox-vendor': aService, ...more }).map(
    ([name, code]) => ({ name, entry: file(`${name}.mjs`, code) }),
  );
}

async function aSuite(
  options: Partial<StartSuiteOptions> & { more?: Readonly<Record<string, string>> } = {},
): Promise<Suite & { said: string[]; dataDir: string }> {
  const place = aFolder();
  cleanUps.push(() => {
    place.remove();
  });
  const said: string[] = [];
  const { more, ...rest } = options;
  const suite = await startSuite({
    dataDir: place.folder,
    databaseUrl: 'postgresql://database',
    redisUrl: 'redis://redis',
    services: servicesIn(place, more),
    log: (line) => {
      said.push(line);
    },
    stopTimeoutMs: 2_000,
    ...rest,
  });
  cleanUps.push(() => suite.stop());
  return { ...suite, said, dataDir: place.folder };
}

async function environmentSeenBy(suite: Suite, service: string): Promise<Record<string, string>> {
  return (await (await fetch(`${suite.urlOf(service)}/env`)).json()) as Record<string, string>;
}

describe('starting the local suite', () => {
  it('resolves when every service is ready, and tells each where the others are', async () => {
    const suite = await aSuite({ env: { api: { SOME_DELAY_MS: '20' } } });

    const seen = await environmentSeenBy(suite, 'api');

    expect(seen).toMatchObject({
      DATABASE_URL: 'postgresql://database',
      REDIS_URL: 'redis://redis',
      SANDBOX_URL: suite.sandboxUrl,
      SANDBOX_API_KEY: suite.secrets.sandbox_api_key,
      HOST: '127.0.0.1',
      LOG_FORMAT: 'json',
      SOME_DELAY_MS: '20',
      PORT: new URL(suite.baseUrl).port,
    });
    expect(await environmentSeenBy(suite, 'sandbox-vendor')).not.toHaveProperty('SOME_DELAY_MS');
  });

  it('serves the api on the port that was asked for', async () => {
    const port = await freePort();

    const suite = await aSuite({ port });

    expect(suite.baseUrl).toBe(`http://127.0.0.1:${port}`);
  });

  it('keeps its secrets in a file that only the owner reads, and takes the same at the next start', async () => {
    const suite = await aSuite();
    await suite.stop();

    const again = await aSuite({ dataDir: suite.dataDir });

    expect(statSync(path.join(suite.dataDir, 'secrets.json')).mode & 0o777).toBe(0o600);
    expect(again.secrets).toEqual(suite.secrets);
    expect(Buffer.from(suite.secrets.media_token_keys.replace('k1:', ''), 'base64')).toHaveLength(
      32,
    );
    expect(
      Buffer.from(suite.secrets.callback_secret_keys.replace('local:', ''), 'base64'),
    ).toHaveLength(32);
  });

  it('refuses a port that is in use, in one sentence with the remedy', async () => {
    const other = await aSuite();
    const port = Number(new URL(other.baseUrl).port);

    await expect(aSuite({ port })).rejects.toMatchObject({
      code: 'port_in_use',
      message: `Port ${port} is used by another program: set PORT=… to another port, or stop that program.`,
    });
  });

  it('says which service is not ready in time, why, and the end of its log', async () => {
    const start = aSuite({ more: { worker: aServiceThatIsNeverReady }, readyTimeoutMs: 1_500 });

    await expect(start).rejects.toMatchObject({ code: 'not_ready' });
    await expect(start).rejects.toThrow(
      /worker was not ready after 1\.5 s \(.*returns 503 \{"failing":"database"\}\)[\s\S]*waiting for the database/,
    );
  });

  it('gives up on a service that cannot start, long before the time for getting ready is over', async () => {
    const startedAt = performance.now();
    const start = aSuite({ more: { worker: aServiceThatCannotStart }, readyTimeoutMs: 60_000 });

    await expect(start).rejects.toThrow(
      /worker ended \(exit code 1\)[\s\S]*DATABASE_URL is required/,
    );
    expect(performance.now() - startedAt).toBeLessThan(20_000);
  });

  it('starts a service only once that cannot start with its settings, and shows once what is wrong with them', async () => {
    const place = aFolder();
    cleanUps.push(() => {
      place.remove();
    });
    const said: string[] = [];
    const services = servicesIn(place, { worker: aServiceThatEndsWith(settingsExitCode) });

    const start = startSuite({
      dataDir: place.folder,
      databaseUrl: '',
      redisUrl: '',
      services,
      log: (line) => {
        said.push(line);
      },
    });

    await expect(start).rejects.toThrow(
      /^worker ended \(exit code 78\)\. The end of [^\n]*\n\s*not like this$/,
    );
    expect(said.filter((line) => line.startsWith('worker'))).toEqual([
      expect.stringMatching(/^worker ended \(exit code 78\); see /),
    ]);
  });

  it('stops what runs already when one service cannot start', async () => {
    const place = aFolder();
    cleanUps.push(() => {
      place.remove();
    });
    const services = servicesIn(place, { worker: aServiceThatCannotStart });

    await expect(
      startSuite({ dataDir: place.folder, databaseUrl: '', redisUrl: '', services }),
    ).rejects.toMatchObject({ code: 'not_ready' });

    const { pid } = JSON.parse(
      readFileSync(path.join(place.folder, 'logs', 'api.log'), 'utf8').trim(),
    ) as { pid: number };
    expect(isRunning(pid)).toBe(false);
  });

  it('can be cancelled while it starts', async () => {
    const cancel = new AbortController();
    const start = aSuite({ more: { worker: aServiceThatIsNeverReady }, signal: cancel.signal });
    cancel.abort();

    await expect(start).rejects.toMatchObject({ code: 'cancelled' });
  });
});

describe('a service of the local suite that crashes', () => {
  it('is started again on its old port, and both is said', async () => {
    const suite = await aSuite();
    const before = suite.pidOf('api');
    expect(suite.kill('api', 'SIGKILL')).toBe(true);

    expect(await becomesTrue(() => suite.said.includes('api is back'))).toBe(true);

    expect(suite.said).toContainEqual(
      expect.stringMatching(/^api ended \(SIGKILL\); starting it again in 0\.25 s/),
    );
    expect(suite.pidOf('api')).not.toBe(before);
    expect((await fetch(`${suite.baseUrl}/readyz`)).status).toBe(200);
  });

  it('stays down where restarting is switched off, until it is started', async () => {
    const suite = await aSuite({ restart: false });
    await fetch(`${suite.baseUrl}/crash`).catch(() => undefined);
    expect(await becomesTrue(() => suite.pidOf('api') === undefined)).toBe(true);

    await suite.startService('api');

    expect(suite.said).toContainEqual(expect.stringMatching(/^api ended \(exit code 3\)/));
    expect((await fetch(`${suite.baseUrl}/readyz`)).status).toBe(200);
  });

  it('takes along the processes that it had started', async () => {
    const suite = await aSuite({ more: { worker: aServiceWithAChild } });
    const child = Number(await (await fetch(`${suite.urlOf('worker')}/child`)).text());
    expect(isRunning(child)).toBe(true);

    suite.kill('worker', 'SIGKILL');

    expect(await becomesTrue(() => !isRunning(child))).toBe(true);
  });
});

describe('stopping the local suite', () => {
  it('leaves no process behind, and starts none again', async () => {
    const suite = await aSuite({ more: { worker: aServiceWithAChild } });
    const child = Number(await (await fetch(`${suite.urlOf('worker')}/child`)).text());
    const pids = ['api', 'sandbox-vendor', 'worker'].map((service) => suite.pidOf(service));

    await suite.stop();

    expect(pids.map(isRunning)).toEqual([false, false, false]);
    expect(await becomesTrue(() => !isRunning(child))).toBe(true);
    expect(suite.said.filter((line) => line.includes('ended'))).toEqual([]);
  });

  it('kills a service that does not respond SIGTERM in time', async () => {
    const suite = await aSuite({ more: { worker: aServiceThatWillNotStop }, stopTimeoutMs: 300 });
    const pid = suite.pidOf('worker');

    await suite.stop();

    expect(isRunning(pid)).toBe(false);
  });

  it('stops one service and leaves the others alone', async () => {
    const suite = await aSuite();

    await suite.stopService('sandbox-vendor');

    expect(suite.pidOf('sandbox-vendor')).toBeUndefined();
    expect(isRunning(suite.pidOf('api'))).toBe(true);
  });
});

describe('the logs of the local suite', () => {
  it('hold what each service wrote, in a file of its own', async () => {
    const suite = await aSuite();

    expect(JSON.parse(suite.logs.read('api'))).toEqual({
      message: 'listening',
      pid: suite.pidOf('api'),
    });
    expect(suite.logs.folder).toBe(path.join(suite.dataDir, 'logs'));
  });
});
