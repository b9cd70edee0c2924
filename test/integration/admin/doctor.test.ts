import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { openConfiguration } from '@gateway/runtime';
import { createDatabase } from '@gateway/store';
import {
  asService,
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

    expect([ok, checks['database roles']]).toEqual([
      true,
      {
        check: 'database roles',
        status: 'warning',
        detail: expect.stringMatching(/^billing connected as the owner/),
        remedy: expect.stringContaining('docs/deployment.md'),
      },
    ]);
    expect((await visit()).checks['database roles']).toMatchObject({ status: 'ok' });
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
        .filter(({ path: at }) => at !== '/livez')
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
    ]).toEqual([true, ['redis', 'storage', 'configuration', 'billing']]);
  });
});
