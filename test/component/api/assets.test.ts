import { createHash } from 'node:crypto';
import { readFile, writeFile, mkdir } from 'node:fs/promises';
import { request as httpRequest } from 'node:http';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { parseTokenKeys, signMediaToken } from '@gateway/media';
import {
  createAssets,
  createHolds,
  createLedger,
  createTaskCreation,
  createTaskEndings,
} from '@gateway/store';
import { aNewTask, eventually } from '@gateway/testing';
import { anMp4 } from '../../integration/media/mp4-files.ts';
import {
  fileOf,
  formOf,
  leftOvers,
  traces,
  png,
  pngOf,
  send,
  sendRaw,
  wav,
  type AssetResponse,
} from './asset-files.ts';
import { mediaKey, openApi, type ApiUnderTest } from './harness.ts';

let api: ApiUnderTest;
let apiKey: string;
let accountId: string;
beforeAll(async () => {
  api = await openApi({
    assetBytes: 1_000_000,
    uploadTimeoutMs: 1_500,
    publicBaseUrl: 'http://127.0.0.1:9',
  });
  ({ apiKey, accountId } = await api.aKey());
});
afterAll(async () => {
  expect(await createLedger(api.database).verify({ graceSeconds: 60 })).toEqual([]);
  await api.close();
});

const sha256 = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex');
const upload = (bytes: Buffer, type = 'image/png', key = apiKey): Promise<AssetResponse> =>
  send(`${api.url}/v1/assets`, {
    method: 'POST',
    body: new Uint8Array(bytes),
    headers: { 'content-type': type },
    apiKey: key,
  });
const get = (at: string, key = apiKey): Promise<AssetResponse> =>
  send(`${api.url}/v1/assets${at}`, { apiKey: key });
const remove = (id: string, key = apiKey): Promise<AssetResponse> =>
  send(`${api.url}/v1/assets/${id}`, { method: 'DELETE', apiKey: key });
const create = (
  body: object,
  key = apiKey,
  headers: Record<string, string> = {},
): Promise<AssetResponse> =>
  send(`${api.url}/v1/videos`, {
    method: 'POST',
    body: JSON.stringify({ model: 'sandbox-video', duration: 5, ...body }),
    headers: { 'content-type': 'application/json', ...headers },
    apiKey: key,
  });
const withImage = (url: string, type = 'image'): object => ({
  prompt: 'x',
  references: [{ type, role: `reference_${type}`, url }],
});
const missing = 'asset_01m7z1mc2yfzz8gkvph7wn2q17';

describe('POST /v1/assets', () => {
  it.each([
    [
      'as a form',
      () =>
        send(`${api.url}/v1/assets`, {
          method: 'POST',
          body: formOf({ file: fileOf(png) }),
          apiKey,
        }),
      'cat.png',
    ],
    [
      'as a form with a name after the file',
      () =>
        send(`${api.url}/v1/assets`, {
          method: 'POST',
          body: formOf({ file: fileOf(png), name: 'Käthe, the cat' }),
          apiKey,
        }),
      'Käthe, the cat',
    ],
    [
      'as a form of who does not know its type',
      () =>
        send(`${api.url}/v1/assets`, {
          method: 'POST',
          body: formOf({ file: fileOf(png, 'application/octet-stream') }),
          apiKey,
        }),
      'cat.png',
    ],
    ['as the body', () => upload(png), expect.stringMatching(/^asset_/)],
    [
      'as the body, with a name',
      () =>
        send(`${api.url}/v1/assets?name=cat`, {
          method: 'POST',
          body: new Uint8Array(png),
          headers: { 'content-type': 'image/png' },
          apiKey,
        }),
      'cat',
    ],
  ])('takes an image %s', async (_how, act, name) => {
    const { status, body, headers } = await act();

    expect([status, body]).toEqual([
      200,
      {
        id: expect.stringMatching(/^asset_[0-9a-z]{26}$/),
        object: 'asset',
        kind: 'image',
        content_type: 'image/png',
        size_bytes: png.length,
        sha256: sha256(png),
        width: 1,
        height: 1,
        name,
        created_at: expect.stringMatching(/^\d{4}-.*Z$/),
      },
    ]);
    expect(headers.get('location')).toBe(`/v1/assets/${body.id}`);
    expect(await readFile(path.join(api.storageDir, `assets/${body.id}`))).toEqual(png);
    expect((await get(`/${body.id}`)).body).toEqual(body);
  });

  it('takes a video and an audio clip, with what they say of themselves', async () => {
    const video = await upload(await anMp4(10), 'video/mp4');
    const audio = await upload(wav, 'audio/x-wav');

    expect(video.body).toMatchObject({
      kind: 'video',
      content_type: 'video/mp4',
      width: 64,
      height: 48,
      duration_seconds: expect.closeTo(1, 1),
    });
    expect(audio.body).toMatchObject({
      kind: 'audio',
      content_type: 'audio/wav',
      width: null,
      height: null,
      duration_seconds: 1,
    });
  });

  it.each([
    [
      'an SVG',
      Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>'),
      'image/svg+xml',
      415,
      'unsupported_media_type',
    ],
    [
      'an SVG that says it is a PNG',
      Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>'),
      'image/png',
      415,
      'unsupported_media_type',
    ],
    ['a PNG that says it is a video', png, 'video/mp4', 415, 'unsupported_media_type'],
    ['JSON', Buffer.from('{}'), 'application/json', 415, 'unsupported_media_type'],
    ['nothing', Buffer.alloc(0), 'image/png', 400, 'invalid_parameter'],
    ['an image without a size', png.subarray(0, 20), 'image/png', 400, 'invalid_parameter'],
    [
      'a form without a boundary',
      Buffer.from('--x--'),
      'multipart/form-data',
      400,
      'invalid_parameter',
    ],
  ])('refuses %s and leaves nothing', async (_what, bytes, type, status, code) => {
    const before = await leftOvers(api);

    const response = await upload(bytes, type);

    expect([response.status, response.body.error?.code]).toEqual([status, code]);
    expect(await leftOvers(api)).toEqual(before);
  });

  const part = (headers: string, content: Buffer | string): Buffer =>
    Buffer.concat([
      Buffer.from(`--b\r\n${headers}\r\n\r\n`),
      Buffer.from(content),
      Buffer.from('\r\n'),
    ]);
  const file = (extra = ''): string =>
    `content-disposition: form-data; name="file"; filename="cat.png"\r\ncontent-type: image/png${extra}`;
  const end = Buffer.from('--b--\r\n');
  it.each([
    [
      'no file part',
      [part('content-disposition: form-data; name="name"', 'cat'), end],
      'missing_parameter',
    ],
    ['no part at all', [end], 'missing_parameter'],
    [
      'a file under another name',
      [part(file().replace('"file"', '"image"'), png), end],
      'unknown_parameter',
    ],
    [
      'a field that is not known',
      [part(file(), png), part('content-disposition: form-data; name="kind"', 'image'), end],
      'unknown_parameter',
    ],
    [
      'a field without a name',
      [part('content-disposition: form-data', 'x'), end],
      'invalid_parameter',
    ],
    [
      'a field without a name behind the file',
      [part(file(), png), part('content-disposition: form-data', 'x'), end],
      'invalid_parameter',
    ],
    [
      'a file without a name of its part',
      [part(file().replace(' name="file";', ''), png), end],
      'invalid_parameter',
    ],
    ['two files', [part(file(), png), part(file(), png), end], 'invalid_parameter'],
    [
      'a text in place of the file',
      [part('content-disposition: form-data; name="file"', 'hello'), end],
      'invalid_parameter',
    ],
    ['an end that never comes', [part(file(), png)], 'invalid_parameter'],
    ['a file that is cut off', [Buffer.from(`--b\r\n${file()}\r\n\r\n`), png], 'invalid_parameter'],
    [
      'another boundary',
      [part(file(), png).subarray(5), Buffer.from('--c--\r\n')],
      'invalid_parameter',
    ],
    [
      'a huge header',
      [part(file(`\r\nx-long: ${'y'.repeat(100_000)}`), png), end],
      'invalid_parameter',
    ],
    ['an empty file', [part(file(), ''), end], 'invalid_parameter'],
    [
      'a name with a path',
      [part(file().replace('cat.png', '../../cat.png'), png), end],
      'invalid_parameter',
    ],
    [
      'a name with a Windows path',
      [part(file().replace('cat.png', 'c:\\\\cat.png'), png), end],
      'invalid_parameter',
    ],
    [
      'a name that is too long',
      [
        part(file(), png),
        part('content-disposition: form-data; name="name"', 'x'.repeat(256)),
        end,
      ],
      'invalid_parameter',
    ],
    [
      'a name that is far too long',
      [
        part(file(), png),
        part('content-disposition: form-data; name="name"', 'x'.repeat(5_000)),
        end,
      ],
      'invalid_parameter',
    ],
    [
      'a name with a line break',
      [part(file(), png), part('content-disposition: form-data; name="name"', 'a\nb'), end],
      'invalid_parameter',
    ],
    [
      'a hundred parts',
      [
        ...Array.from({ length: 100 }, () =>
          part('content-disposition: form-data; name="name"', 'x'),
        ),
        end,
      ],
      'invalid_parameter',
    ],
  ])('refuses a form with %s: a 4xx, no row, no file', async (_what, bytes, code) => {
    const before = await leftOvers(api);

    const response = await sendRaw(api.url, {
      apiKey,
      type: 'multipart/form-data; boundary=b',
      bytes: Buffer.concat(bytes),
    });

    expect(response.status).toBe(400);
    expect(JSON.parse(response.text)).toMatchObject({ error: { code } });
    await eventually(async () => {
      expect(await leftOvers(api)).toEqual(before);
    });
  });

  it.each(['image/png', 'multipart/form-data; boundary=b'])(
    'keeps nothing of a %s whose sender goes away in the middle',
    async (type) => {
      const { apiKey: own, accountId } = await api.aKey();

      await sendRaw(api.url, {
        apiKey: own,
        type,
        bytes: Buffer.concat([
          type.startsWith('image') ? Buffer.alloc(0) : Buffer.from(`--b\r\n${file()}\r\n\r\n`),
          pngOf(200_000),
        ]),
        breakOff: true,
      });

      await eventually(async () => {
        expect(await traces(api, accountId)).toEqual({ rows: 0, orphans: [] });
      });
    },
  );

  it('gives up on a sender that stalls, within its time limit', async () => {
    const { apiKey: own, accountId } = await api.aKey();
    const stalled = new ReadableStream<Uint8Array>({
      start: (controller) => {
        controller.enqueue(new Uint8Array(pngOf(5_000)));
      },
    });

    const response = await send(`${api.url}/v1/assets`, {
      method: 'POST',
      body: stalled,
      duplex: 'half',
      headers: { 'content-type': 'image/png' },
      apiKey: own,
    });

    expect([response.status, response.body.error?.code]).toEqual([408, 'request_timeout']);
    await eventually(async () => {
      expect(await traces(api, accountId)).toEqual({ rows: 0, orphans: [] });
    });
  });

  it('needs the scope videos:write', async () => {
    const reader = await api.aKey({ scopes: ['videos:read'] });
    const stranger = await api.aKey({ scopes: ['text'] });

    expect((await upload(png, 'image/png', reader.apiKey)).body.error?.code).toBe('scope_missing');
    expect((await get('', stranger.apiKey)).body.error?.code).toBe('scope_missing');
    expect((await remove(missing, reader.apiKey)).body.error?.code).toBe('scope_missing');
  });
});

const bytesOf = async (account: string): Promise<{ bytes: number; reserved: number }> =>
  (
    await api.database.pool.query<{ bytes: number; reserved: number }>(
      'SELECT bytes, reserved_bytes AS reserved FROM account_assets WHERE account_id = $1',
      [account],
    )
  ).rows[0]!;

describe('the room of an account', () => {
  it('counts what uploads under way may still store', async () => {
    const { apiKey: own, accountId: owner } = await api.aKey();
    const file = pngOf(900_000);
    const outgoing = httpRequest(`${api.url}/v1/assets`, {
      method: 'POST',
      headers: {
        'x-api-key': own,
        'content-type': 'image/png',
        'content-length': file.length,
      },
    });
    const responded = new Promise<number>((resolve, reject) => {
      outgoing.on('error', reject).on('response', (response) => {
        response.resume();
        resolve(response.statusCode ?? 0);
      });
    });
    outgoing.write(file.subarray(0, 1_000));
    await eventually(async () => {
      expect(await bytesOf(owner)).toEqual({ bytes: 0, reserved: 900_000 });
    });

    expect((await upload(pngOf(300_000), 'image/png', own)).body.error?.code).toBe(
      'asset_quota_exceeded',
    );
    expect((await upload(png, 'image/png', own)).status).toBe(200);
    outgoing.end(file.subarray(1_000));
    expect(await responded).toBe(200);
    expect(await bytesOf(owner)).toEqual({ bytes: 900_000 + png.length, reserved: 0 });
  });

  it('is never exceeded, however many uploads come at once, and is given back by a deletion', async () => {
    const { apiKey: own, accountId: owner } = await api.aKey();

    const responses = await Promise.all(
      Array.from({ length: 8 }, () => upload(pngOf(300_000), 'image/png', own)),
    );

    const kept = responses.filter(({ status }) => status === 200);
    expect(kept).toHaveLength(3);
    expect(
      responses.filter(({ body }) => body.error?.code === 'asset_quota_exceeded'),
    ).toHaveLength(5);
    expect(await bytesOf(owner)).toEqual({ bytes: 900_000, reserved: 0 });
    expect((await upload(pngOf(300_000), 'image/png', own)).status).toBe(409);
    await remove(kept[0]!.body.id, own);
    expect((await upload(pngOf(300_000), 'image/png', own)).status).toBe(200);
  });
});

describe('GET /v1/assets', () => {
  it('lists those of the account, newest first, page by page', async () => {
    const { apiKey: own } = await api.aKey();
    const ids: string[] = [];
    for (let number = 0; number < 3; number += 1) {
      ids.unshift((await upload(png, 'image/png', own)).body.id);
    }

    const first = (await get('?limit=2', own)).body as unknown as {
      data: { id: string }[];
      last_id: string;
      has_more: boolean;
    };
    const second = (await get(`?after=${first.last_id}`, own)).body;
    const back = (await get(`?before=${ids[2]}&limit=1`, own)).body;

    expect([first.data.map(({ id }) => id), first.has_more]).toEqual([ids.slice(0, 2), true]);
    expect(second).toMatchObject({
      object: 'list',
      data: [{ id: ids[2] }],
      first_id: ids[2],
      has_more: false,
    });
    expect(back).toMatchObject({ data: [{ id: ids[1] }], has_more: true });
  });

  it.each([
    ['limit=0', 'limit'],
    ['limit=101', 'limit'],
    ['after=x', 'after'],
    ['before=video_1', 'before'],
  ])('refuses %s', async (query, param) => {
    expect(await get(`?${query}`)).toMatchObject({
      status: 400,
      body: { error: { code: 'invalid_parameter', param } },
    });
  });
});

describe('the asset of another account', () => {
  it('gets on every route the same bytes as one that does not exist', async () => {
    const {
      body: { id },
    } = await upload(png);
    const thief = (await api.aKey()).apiKey;
    const rows = await api.rows();

    expect(
      [await get(`/${id}`, thief), await remove(id, thief)].map(({ status, text }) => [
        status,
        text,
      ]),
    ).toEqual(
      [await get(`/${missing}`, thief), await remove(missing, thief)].map(({ status, text }) => [
        status,
        text,
      ]),
    );
    const stolen = [
      await create(withImage(id), thief),
      await create(
        {
          content: [
            { type: 'text', text: 'x' },
            { type: 'image_url', image_url: { asset_id: id } },
          ],
        },
        thief,
      ),
    ];
    const absent = [
      await create(withImage(missing), thief),
      await create(
        {
          content: [
            { type: 'text', text: 'x' },
            { type: 'image_url', image_url: { asset_id: missing } },
          ],
        },
        thief,
      ),
    ];
    expect(stolen.map(({ status, text }) => [status, text])).toEqual(
      absent.map(({ status, text }) => [status, text]),
    );
    expect(stolen.map(({ status, body }) => [status, body.error?.code, body.error?.param])).toEqual(
      [
        [404, 'asset_not_found', 'references[0].url'],
        [404, 'asset_not_found', 'content[1].image_url.asset_id'],
      ],
    );
    expect((await get('', thief)).body).toMatchObject({ data: [] });
    expect((await get(`?before=${id}`, thief)).body).toMatchObject({ data: [] });
    expect(await api.rows()).toEqual(rows);
    expect((await get(`/${id}`)).status).toBe(200);
  });

  it.each(['x', 'video_01m7z1mc2yfzz8gkvph7wn2q17', 'asset_%00', `${missing}0`])(
    'and a name that can be none (%s) is a 404 too',
    async (id) => {
      expect((await get(`/${id}`)).body.error?.code).toBe('asset_not_found');
    },
  );
});

describe('a video made with assets', () => {
  it('is created in both formats, and keeps what it needs to know of them', async () => {
    const {
      body: { id, sha256: hash },
    } = await upload(png);

    const own = await create(withImage(id));
    const industry = await create({
      content: [
        { type: 'text', text: 'x' },
        { type: 'image_url', image_url: { asset_id: id } },
      ],
    });

    const { rows } = await api.database.pool.query<{ request: { references: unknown[] } }>(
      'SELECT request FROM task WHERE id = ANY($1) ORDER BY id',
      [[own.body.id, industry.body.id]],
    );
    const source = {
      type: 'asset',
      assetId: id,
      key: `assets/${id}`,
      mediaType: 'image/png',
      sizeBytes: png.length,
      sha256: hash,
    };
    expect(rows.map(({ request }) => request.references)).toEqual([
      [{ kind: 'image', role: 'reference_image', source }],
      [{ kind: 'image', role: 'first_frame', source }],
    ]);
  });

  it('refuses an asset of another kind, and costs and leaves nothing', async () => {
    const {
      body: { id },
    } = await upload(wav, 'audio/wav');
    const rows = await api.rows();

    const response = await create(withImage(id), apiKey, { 'idempotency-key': 'wrong kind' });

    expect(response).toMatchObject({
      status: 400,
      body: { error: { code: 'invalid_parameter', param: 'references[0].url' } },
    });
    expect(await api.rows()).toEqual(rows);
  });

  it('is found again by its Idempotency-Key when the asset was deleted since, and is not made anew', async () => {
    const {
      body: { id },
    } = await upload(png);
    const first = await create(withImage(id), apiKey, { 'idempotency-key': 'once' });
    await remove(id);

    const again = await create(withImage(id), apiKey, { 'idempotency-key': 'once' });

    expect([again.status, again.body.id]).toEqual([200, first.body.id]);
    expect((await create(withImage(id))).body.error?.code).toBe('asset_not_found');
  });
});

describe('deleting an asset', () => {
  it('removes row and file at once, and a second time finds nothing', async () => {
    const {
      body: { id },
    } = await upload(png);

    expect((await remove(id)).body).toEqual({ id, object: 'asset.deleted', deleted: true });
    expect((await remove(id)).status).toBe(404);
    expect((await leftOvers(api)).files).not.toContain(`assets/${id}`);
    expect(
      (await api.database.pool.query('SELECT 1 FROM asset WHERE id = $1', [id])).rowCount,
    ).toBe(0);
  });

  it('leaves the file to a live task and its vendor, and removes it when the task is over', async () => {
    const {
      body: { id },
    } = await upload(png);
    const { body: task } = await create(withImage(id));

    expect((await remove(id)).status).toBe(200);

    expect([(await get(`/${id}`)).status, (await content(id)).status]).toEqual([404, 200]);
    expect((await leftOvers(api)).files).toContain(`assets/${id}`);
    await createTaskEndings(api.database).cancelUnsubmitted(task.id, accountId);
    expect((await content(id)).status).toBe(404);
    const { findRemovable } = createAssets(api.database);
    expect(await findRemovable({ limit: 10, assetId: id })).toEqual([
      { assetId: id, storageKey: `assets/${id}` },
    ]);
    expect(await findRemovable({ limit: 10, assetId: id, after: id })).toEqual([]);
  });

  it('between the look at an asset and the writing of the task keeps the task from being written', async () => {
    const {
      body: { id, sha256: hash },
    } = await upload(png);
    const plain = aNewTask(accountId);
    const source = {
      type: 'asset' as const,
      assetId: id,
      key: `assets/${id}`,
      mediaType: 'image/png',
      sizeBytes: png.length,
      sha256: hash,
    };
    const draft = {
      ...plain,
      request: {
        ...plain.request,
        references: [{ kind: 'image' as const, role: 'first_frame' as const, source }],
      },
    };
    const holds = createHolds(api.database);
    await holds.take(accountId, [
      { task_id: draft.id, account_id: accountId, quota: 50, seconds: 5, second_quota: 10 },
    ]);
    await remove(id);

    await expect(
      createTaskCreation(api.database).insertTask(draft, undefined),
    ).resolves.toBeUndefined();
    await expect(
      createTaskCreation(api.database).insertTask(draft, {
        accountId,
        key: 'too late',
        bodyHash: new Uint8Array(32),
      }),
    ).resolves.toBeUndefined();
    await expect(holds.release(draft.id)).resolves.toBe(true);
  });
});

/** As a vendor fetches it. */
const content = (
  id: string,
  variant: 'asset' | 'content' = 'asset',
  now = new Date(),
): Promise<Response> =>
  fetch(
    `${api.url}/v1/assets/${id}/content?token=${signMediaToken({ keys: parseTokenKeys(`k1:${mediaKey}`), variant, videoId: id, now, ttlSeconds: 86_400, bucketSeconds: 900 })}`,
  );

describe('the signed address of an asset', () => {
  it('gives the bytes to who has its token, and to nobody else', async () => {
    const {
      body: { id },
    } = await upload(png);

    const good = await content(id);

    expect([
      good.status,
      good.headers.get('content-type'),
      Buffer.from(await good.arrayBuffer()),
    ]).toEqual([200, 'image/png', png]);
    expect((await content(id, 'content')).status).toBe(403);
    expect((await content(id, 'asset', new Date(Date.now() - 2 * 86_400_000))).status).toBe(403);
    expect((await get(`/${id}/content`)).status).toBe(401);
    expect((await content(missing)).status).toBe(404);
  });
});

describe('an upload whose api was killed', () => {
  it('is removed by the next look at what is left, and cannot become an asset any more', async () => {
    const assets = createAssets(api.database);
    await assets.begin(
      {
        id: missing,
        accountId,
        kind: 'image',
        contentType: 'image/png',
        storageKey: `assets/${missing}`,
      },
      { wantedBytes: 1_000, maxBytes: 1_000_000 },
    );
    const { reserved } = await bytesOf(accountId);
    expect(reserved).toBe(1_000);
    await mkdir(path.join(api.storageDir, 'assets'), { recursive: true });
    await writeFile(path.join(api.storageDir, `assets/${missing}`), png);
    expect((await get(`/${missing}`)).status).toBe(404);
    expect(await assets.giveUpOlder(60_000)).toBe(0);

    expect(await assets.giveUpOlder(0)).toBe(1);
    expect(await bytesOf(accountId)).toMatchObject({ reserved: 0 });

    expect(await assets.findRemovable({ limit: 10, assetId: missing })).toHaveLength(1);
    expect(
      await assets.finish(
        missing,
        { name: 'x', sizeBytes: 1, sha256: 'x', width: 1, height: 1, durationSeconds: null },
        1_000_000,
      ),
    ).toBeUndefined();
  });
});
