import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { openConfiguration } from '@gateway/runtime';
import { createDatabase, createGoneModels } from '@gateway/store';
import {
  asService,
  eventually,
  openPeer,
  openTestDatabase,
  testRedis,
  type Peer,
  type TestDatabase,
} from '@gateway/testing';
import { videoVendors } from '@gateway/video-providers';
import type { CommandResult } from '../../../services/admin/src/command.ts';
import type { Settings } from '../../../services/admin/src/config.ts';
import type { Diagnosis } from '../../../services/admin/src/doctor/diagnosis.ts';
import { portsOf } from '../../../services/admin/src/ports.ts';
import { parse } from '../../../services/admin/src/run.ts';

const secret = 'vendor-key-that-nobody-may-see';

let test: TestDatabase;
let vendor: Peer;
let folder: string;
let vendorStatus = 200;
beforeAll(async () => {
  test = await openTestDatabase();
  vendor = await openPeer((_received, response) => {
    response.writeHead(vendorStatus).end('{}');
  });
  folder = await mkdtemp(path.join(os.tmpdir(), 'gateway-doctor-'));
  await writeFile(
    path.join(folder, 'gateway.yaml'),
    [
      'providers:',
      '  video: { kind: ark, base_url: "${VENDOR}/api/v3", api_key: "${KEY}" }',
      '  films: { kind: minimax, base_url: "${VENDOR}", api_key: "${KEY}" }',
      '  clips: { kind: openai-videos, base_url: "${VENDOR}/v1", api_key: "${KEY}" }',
      '  words: { kind: messages, base_url: "${VENDOR}", api_key: "${KEY}" }',
      '  chats: { kind: chat, base_url: "${VENDOR}/v1", api_key: "${KEY}" }',
      '  answers: { kind: responses, base_url: "${VENDOR}/responses/v1", api_key: "${KEY}" }',
      'models:',
      '  claude: { kind: text, routes: [{ provider: words, model: m }] }',
      '  film: { kind: video, provider: video, upstream_model: film-1, second_quota: 1, duration: { min: 4, max: 8, default: 5 }, ratio: { allowed: ["16:9"], default: "16:9" }, resolution: { allowed: [480p], default: 480p } }',
      '',
    ].join('\n'),
  );
});
afterAll(async () => {
  await vendor.close();
  await test.close();
  await rm(folder, { recursive: true, force: true });
});

const settings = (overrides: Partial<Settings> = {}): Settings => ({
  DATABASE_URL: test.url,
  CALLBACK_SECRET_KEYS: '',
  QUEUE_PREFIX: 'unused',
  REDIS_URL: testRedis().url,
  GATEWAY_CONFIG: path.join(folder, 'gateway.yaml'),
  BILLING_URL: vendor.url,
  OPS_URLS: `api=${vendor.url}`,
  MEDIA_STORAGE: 'file',
  STORAGE_DIR: path.join(folder, 'media'),
  ...overrides,
});

async function visit(
  chosen = settings(),
  database = test.database,
): Promise<CommandResult & { checks: Record<string, Diagnosis> }> {
  const parsed = parse(['doctor']);
  if (parsed.kind === 'help') throw new Error('this is a help page');
  const result = await parsed.run(
    portsOf({
      settings: chosen,
      database,
      loadConfiguration: (file) =>
        openConfiguration({
          path: file,
          environment: { VENDOR: vendor.url, KEY: secret },
          videoVendors,
        }).current(),
    }),
  );
  const { checks } = result.data as { checks: readonly Diagnosis[] };
  return { ...result, checks: Object.fromEntries(checks.map((each) => [each.check, each])) };
}

describe('the doctor', () => {
  it('finds nothing wrong where nothing is, and leaves nothing in the storage', async () => {
    vendorStatus = 200;
    const { ok, lines, checks } = await visit();

    expect(
      Object.values(checks).filter(({ status }) => status === 'failed' || status === 'skipped'),
    ).toEqual([]);
    expect([ok, lines.at(-1)]).toEqual([true, 'all is well']);
    expect(Object.keys(checks)).toEqual(
      expect.arrayContaining([
        'postgres',
        'clock of postgres',
        'schema',
        'database roles',
        'redis',
        'redis maxmemory-policy',
        'redis persistence',
        'clock of redis',
        'storage',
        'storage free space',
        'storage owner',
        'configuration',
        'vendor video',
        'vendor films',
        'vendor clips',
        'vendor words',
        'vendor chats',
        'billing',
        'services',
        'service api',
      ]),
    );
    expect(await readdir(path.join(folder, 'media', 'doctor')).catch(() => [])).toEqual([]);
  });

  it('warns while a service is connected as the owner of the tables, and names it', async () => {
    const owner = createDatabase({
      url: test.url,
      applicationName: 'gateway billing',
      poolSize: 1,
      onError: () => undefined,
    });
    const service = createDatabase({
      url: asService(test.url, 'api'),
      applicationName: 'gateway api',
      poolSize: 1,
      onError: () => undefined,
    });
    await Promise.all([owner.check(), service.check()]);
    const { ok, checks } = await visit();
    await Promise.all([owner.part.stop(), service.part.stop()]);

    expect(checks['database roles']).toEqual({
      check: 'database roles',
      status: 'warning',
      detail: expect.stringMatching(/^billing connected as the owner/),
      remedy: expect.stringContaining('docs/deployment.md'),
    });
    expect([ok, checks['services']]).toEqual([
      false,
      {
        check: 'services',
        status: 'failed',
        detail: 'not connected to the database: video-worker, callback-dispatcher',
        remedy: expect.stringContaining('start what is missing'),
      },
    ]);
    // PostgreSQL lists a connection for a moment after its client has closed it.
    await eventually(async () => {
      expect((await visit()).checks).toMatchObject({
        'database roles': { status: 'ok' },
        services: { status: 'warning', detail: 'none is connected to the database' },
      });
    });
  });

  it('asks every service whether it is ready, and names what keeps one from it', async () => {
    const ill = await openPeer((_received, response) => {
      response
        .writeHead(503)
        .end('{"status":"unavailable","checks":{"database":"silent","redis":"ok"}}');
    });
    const addresses = ['api', 'video-worker', 'billing'].map((name, index) => {
      return `${name}=${[vendor.url, ill.url, 'http://127.0.0.1:2'][index] ?? ''}`;
    });
    const { ok, checks } = await visit(settings({ OPS_URLS: addresses.join(',') }));
    await ill.close();

    expect(ok).toBe(false);
    expect(checks).toMatchObject({
      'service api': { status: 'ok', detail: 'ready' },
      'service video-worker': { status: 'warning', detail: 'not ready: database silent' },
      'service billing': {
        status: 'failed',
        detail: expect.stringContaining('cannot be reached'),
        remedy: expect.stringContaining('OPS_URLS'),
      },
    });
    expect(ill.received.map(({ path: at }) => at)).toEqual(['/readyz']);
  });

  it('finds a storage that belongs to another installation', async () => {
    const media = await mkdtemp(path.join(folder, 'foreign-'));
    await writeFile(path.join(media, 'installation.json'), '{"installation":"another"}');

    const { ok, checks } = await visit(settings({ STORAGE_DIR: media }));

    expect([ok, checks['storage owner']]).toEqual([
      false,
      {
        check: 'storage owner',
        status: 'failed',
        detail: 'the storage belongs to another installation, another',
        remedy: expect.stringContaining('npm run admin -- storage adopt'),
      },
    ]);
  });

  it('asks each vendor with its credential what costs nothing', () => {
    const asked = Object.fromEntries(
      vendor.received
        .filter(({ path: at }) => at !== '/livez' && at !== '/readyz')
        .map(({ method, path: at, headers }) => [
          `${method} ${at}`,
          headers.authorization ?? headers['x-api-key'],
        ]),
    );

    expect(asked).toEqual({
      'GET /api/v3/contents/generations/tasks?page_num=1&page_size=1': `Bearer ${secret}`,
      'GET /v2/query/video_generation?page_num=1&page_size=1': `Bearer ${secret}`,
      'GET /v1/videos?limit=1': `Bearer ${secret}`,
      'GET /v1/models': expect.stringContaining(secret),
      'GET /responses/v1/models': `Bearer ${secret}`,
    });
  });

  it('names a route whose vendor has no such model, while the route is configured', async () => {
    const models = createGoneModels(test.database);
    const said = {
      taskId: 'x',
      detail: 'no such endpoint',
      pause: { firstMs: 60_000, maxMs: 60_000 },
    };
    await models.heard({ provider: 'video', upstreamModel: 'film-1' }, said);
    await models.heard({ provider: 'video', upstreamModel: 'of-an-earlier-file' }, said);

    const { checks } = await visit();

    expect(Object.keys(checks).filter((check) => check.startsWith('route '))).toEqual([
      'route video/film-1',
    ]);
    expect(checks['route video/film-1']).toMatchObject({
      status: 'warning',
      detail: expect.stringContaining('no such endpoint'),
      remedy: expect.stringContaining('routes retry'),
    });
    await models.forget({ provider: 'video', upstreamModel: 'film-1' });
  });

  it('says what a refused credential means, without showing it', async () => {
    vendorStatus = 401;
    const { ok, lines, data, checks } = await visit();

    expect([ok, checks['vendor video']]).toEqual([
      false,
      {
        check: 'vendor video',
        status: 'failed',
        detail: 'refuses the credential (401)',
        remedy: 'check api_key or api_key_file of video',
      },
    ]);
    expect(JSON.stringify([lines, data])).not.toContain(secret);
  });

  it('names what is gone, each with its remedy, and shows no password', async () => {
    const gone = createDatabase({
      url: 'postgres://someone:hush-hush@127.0.0.1:1/gateway',
      applicationName: 'test',
      poolSize: 1,
      onError: () => undefined,
    });
    try {
      const { ok, lines, checks } = await visit(
        settings({
          REDIS_URL: 'redis://:hush-hush@127.0.0.1:1',
          STORAGE_DIR: '/dev/null/media',
          BILLING_URL: 'http://127.0.0.1:2',
          OPS_URLS: 'api=http://127.0.0.1:2',
          GATEWAY_CONFIG: path.join(folder, 'missing.yaml'),
        }),
        gone,
      );

      expect(ok).toBe(false);
      expect(
        Object.values(checks).map(({ check, status, remedy }) => [check, status, typeof remedy]),
      ).toEqual([
        ['postgres', 'failed', 'string'],
        ['redis', 'failed', 'string'],
        ['storage', 'failed', 'string'],
        ['configuration', 'failed', 'string'],
        ['billing', 'failed', 'string'],
        ['service api', 'failed', 'string'],
      ]);
      expect(lines.join('\n')).not.toContain('hush-hush');
    } finally {
      await gone.part.stop();
    }
  });

  it('says what it could not look at', async () => {
    const { DATABASE_URL, CALLBACK_SECRET_KEYS, QUEUE_PREFIX } = settings();
    const { ok, checks } = await visit({ DATABASE_URL, CALLBACK_SECRET_KEYS, QUEUE_PREFIX });

    expect([
      ok,
      Object.values(checks)
        .filter(({ status }) => status === 'skipped')
        .map(({ check }) => check),
    ]).toEqual([true, ['redis', 'storage', 'configuration', 'billing', 'readiness of services']]);
  });
});
