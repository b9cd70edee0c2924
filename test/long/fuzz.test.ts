/** @workers 3: it promises no times. */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { buildDocument } from '@gateway/api';
import { parseTokenKeys, signMediaToken } from '@gateway/media';
import { createLedger } from '@gateway/store';
import { aQueuedTask } from '@gateway/testing';
import { expectDocumentedResponses } from '../contracts/watch-responses.ts';
import { fileOf, formOf, png, send as sendAsset } from '../component/api/asset-files.ts';
import { aFinishedTask } from '../component/api/finished-task.ts';
import { fuzzedRequests, type FuzzedRequest } from './fuzz-requests.ts';
import { mediaKey, openApi, type ApiUnderTest } from '../component/api/harness.ts';
import { behave, openUpstream, type Upstream } from '../component/api/text-stage.ts';

const adminToken = 'admin-token-for-tests';
const scopes = [
  'videos:write',
  'videos:read',
  'text',
  'billing:read',
  'secrets:read',
  'keys:write',
];

interface Party {
  readonly apiKey: string;
  readonly keyId: string;
  readonly accountId: string;
  readonly taskId: string;
  readonly assetId: string;
}

let api: ApiUnderTest;
let upstream: Upstream;
let one: Party;
let other: Party;
beforeAll(async () => {
  upstream = await openUpstream(behave);
  api = await openApi({ adminToken, sandboxUrl: upstream.url });
  [one, other] = [await aParty(), await aParty()];
});
afterAll(async () => {
  await api.close();
  await upstream.close();
});

async function aParty(): Promise<Party> {
  const key = await api.aKey({ quota: 1_000_000, scopes });
  const task = await aQueuedTask(api.database, key.accountId, {
    callbackUrl: 'https://receiver.example/hook',
  });
  const { body } = await sendAsset(`${api.url}/v1/assets`, {
    apiKey: key.apiKey,
    method: 'POST',
    body: formOf({ file: fileOf(png) }),
  });
  return { ...key, taskId: task.id, assetId: body.id };
}

const tokenFor = (
  videoId: string,
  variant: 'content' | 'last-frame' | 'poster' | 'asset',
): string =>
  signMediaToken({
    keys: parseTokenKeys(`k1:${mediaKey}`),
    variant,
    videoId,
    now: new Date(),
    ttlSeconds: 86_400,
    bucketSeconds: 900,
  });
/** The picture that a path names, if it does. */
const pictureIn = (path: string): 'last-frame' | 'poster' | undefined =>
  (['last-frame', 'poster'] as const).find((name) => path.endsWith(`/${name}`));
const send = ({ method, path, headers, body }: Omit<FuzzedRequest, 'operation' | 'route'>) =>
  fetch(`${api.url}${path}`, { method, headers, ...(body !== undefined && { body }) });

describe('requests made up from the document, right and wrong', () => {
  it('get no 5xx and only documented responses, and a refused creation leaves nothing', async () => {
    // A key that may be revoked on the way, and an account that may be topped up.
    const { keyId } = await api.aKey({ accountId: one.accountId });
    const film = await aFinishedTask(api, one.accountId, {
      content: Buffer.from('a video'),
      lastFrame: Buffer.from('a frame'),
      poster: Buffer.from('a poster'),
    });
    const ids = [
      one.taskId,
      one.assetId,
      one.accountId,
      keyId,
      other.taskId,
      'video_01h455vb4pex5vsknk084sn02q',
      'sandbox-video',
    ];
    const { apiKey: weakKey } = await api.aKey({ scopes: ['videos:read'] });
    const known = {
      ids,
      weakKey,
      filmId: film,
      secrets: { bearer: one.apiKey, adminToken, mediaToken: tokenFor(film, 'content') },
    };
    const statuses = new Set<number>();
    const property = fc.asyncProperty(fuzzedRequests(known), async (request) => {
      const isCreation = request.operation === 'createVideo';
      const before = isCreation ? await api.rows() : {};

      const { status } = await send(request).then(async (response) => {
        await response.arrayBuffer();
        return response;
      });

      statuses.add(status);
      expect(status).toBeLessThan(500);
      expectDocumentedResponses();
      if (isCreation && status !== 200) expect(await api.rows()).toEqual(before);
    });
    await fc.assert(property, {
      seed: 20_261_121,
      numRuns: 1_000,
      plugins: [fc.interruptAfterTimeLimit(25_000, { failOnInterrupt: false })],
    });

    expect([...statuses]).toEqual(expect.arrayContaining([200, 400, 401, 404]));
    expect(await createLedger(api.database).verify({ graceSeconds: 60 })).toEqual([]);
  });
});

const missing: Readonly<Record<string, string>> = {
  video: 'video_01h455vb4pex5vsknk084sn02q',
  asset: 'asset_01h455vb4pex5vsknk084sn02q',
};
const routesWithIds = Object.entries(
  buildDocument({ baseUrl: 'https://gateway.test', version: '0' }).paths,
)
  .filter(([path]) => /^\/v1\/(videos|assets)\/\{id\}/.test(path))
  .flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => [method.toUpperCase(), path] as const),
  );

describe('the id of another account', () => {
  // Not the one from before: operators may have cancelled its task.
  beforeAll(async () => {
    other = await aParty();
  });

  it.each(routesWithIds)(
    'gets on %s %s the bytes for an id that there is not',
    async (method, path) => {
      const kind = path.startsWith('/v1/assets') ? 'asset' : 'video';
      const variant = kind === 'asset' ? 'asset' : (pictureIn(path) ?? 'content');
      const ownId = kind === 'asset' ? one.assetId : one.taskId;
      const token = tokenFor(ownId, variant);
      const isFile = /\/(content|last-frame|poster)$/.test(path);
      const seen = async (id: string) => {
        const response = await send({
          method,
          path: `${path.replace('{id}', id)}${isFile ? `?token=${token}` : ''}`,
          headers: { authorization: `Bearer ${one.apiKey}` },
          body: undefined,
        });
        const ofEachRequest = [
          'date',
          'x-request-id',
          'x-ratelimit-remaining',
          'x-ratelimit-reset',
        ];
        return {
          status: response.status,
          headers: [...response.headers].filter(([name]) => !ofEachRequest.includes(name)),
          text: await response.text(),
        };
      };

      const foreign = await seen(kind === 'asset' ? other.assetId : other.taskId);

      expect(foreign).toEqual(await seen(missing[kind]!));
      expect([403, 404]).toContain(foreign.status);
      const { rows } = await api.database.pool.query(
        'SELECT status, deleted_at, cancel_requested_at FROM task WHERE id = $1',
        [other.taskId],
      );
      expect(rows).toEqual([{ status: 'queued', deleted_at: null, cancel_requested_at: null }]);
    },
  );
});
