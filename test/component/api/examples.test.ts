import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { buildDocument, exampleRequests, type ExampleRequest } from '@gateway/api';
import { parseTokenKeys, signMediaToken } from '@gateway/media';
import { createStoredResponses } from '@gateway/store';
import { aQueuedTask } from '@gateway/testing';
import { aStoredResponse } from '../../contracts/stored-response.ts';
import { fileOf, formOf, png } from './asset-files.ts';
import { aFinishedTask } from './finished-task.ts';
import { mediaKey, openApi, type ApiUnderTest } from './harness.ts';
import { behave, openUpstream, type Upstream } from './text-stage.ts';

const adminToken = 'admin-token-for-tests';
const document = buildDocument({ baseUrl: 'https://gateway.test', version: '0' });
const examples = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).flatMap(([method, operation]) =>
    exampleRequests(document, path, method).map((example) => ({
      operation: String(operation['operationId']),
      title: `${method.toUpperCase()} ${path}: ${example.summary}`,
      example,
    })),
  ),
);

let api: ApiUnderTest;
let upstream: Upstream;
let customer: Awaited<ReturnType<ApiUnderTest['aKey']>>;
beforeAll(async () => {
  upstream = await openUpstream(behave);
  api = await openApi({ adminToken, sandboxUrl: upstream.url });
  customer = await api.aKey({
    quota: 100_000,
    scopes: ['videos:write', 'videos:read', 'text', 'billing:read', 'secrets:read'],
  });
});
afterAll(async () => {
  await api.close();
  await upstream.close();
});

interface Subject {
  readonly id: string;
  readonly token?: string;
}

const tokenFor = (videoId: string, variant: 'content' | 'last-frame' | 'asset'): string =>
  signMediaToken({
    keys: parseTokenKeys(`k1:${mediaKey}`),
    variant,
    videoId,
    now: new Date(),
    ttlSeconds: 86_400,
    bucketSeconds: 900,
  });

const send = (
  path: string,
  {
    method = 'GET',
    headers = {},
    body,
  }: { method?: string; headers?: Record<string, string>; body?: string | FormData } = {},
) =>
  fetch(`${api.url}${path}`, {
    method,
    headers: { authorization: `Bearer ${customer.apiKey}`, ...headers },
    ...(body !== undefined && { body }),
  });

const idIn = async (response: Response): Promise<string> =>
  ((await response.json()) as { id: string }).id;
const aTask = async (): Promise<Subject> => ({
  id: (
    await aQueuedTask(api.database, customer.accountId, {
      callbackUrl: 'https://receiver.example/hook',
    })
  ).id,
});
const anAsset = async (): Promise<Subject> => {
  const id = await idIn(
    await send('/v1/assets', { method: 'POST', body: formOf({ file: fileOf(png) }) }),
  );
  return { id, token: tokenFor(id, 'asset') };
};
const aFile = async (variant: 'content' | 'last-frame'): Promise<Subject> => {
  const id = await aFinishedTask(api, customer.accountId, {
    content: Buffer.from('a video'),
    lastFrame: Buffer.from('a frame'),
  });
  return { id, token: tokenFor(id, variant) };
};

/** A task that ended, so that it can be deleted. */
async function aCancelledTask(): Promise<Subject> {
  const id = await idIn(
    await send('/v1/videos', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'sandbox-video', prompt: 'a red balloon' }),
    }),
  );
  expect((await send(`/v1/videos/${id}/cancel`, { method: 'POST' })).status).toBe(200);
  return { id };
}

/**
 * What an operation is done to, where it is more than any thing of the kind that its path names.
 */
const subjects: Readonly<Record<string, () => Promise<Subject>>> = {
  deleteVideo: aCancelledTask,
  getVideoContent: () => aFile('content'),
  getVideoLastFrame: () => aFile('last-frame'),
};
const aKeptResponse = async (): Promise<Subject> => {
  const { accountId } = customer;
  const response = aStoredResponse({ accountId, response: { output: [] } });
  await createStoredResponses(api.database).keep([response]);
  return { id: response.responseId };
};
const kinds: Readonly<Record<string, () => Promise<Subject>>> = {
  video: aTask,
  asset: anAsset,
  acct: () => Promise.resolve({ id: customer.accountId }),
  key: async () => ({ id: (await api.aKey()).keyId }),
  resp: aKeptResponse,
};

async function run(
  operation: string,
  { method, path, headers, body }: ExampleRequest,
): Promise<Response> {
  const [documented = '', kind = ''] =
    /\b(video|asset|acct|key|resp)_01h455vb4pex5vsknk084sn02q\b/.exec(path) ?? [];
  const subject: Subject =
    documented === '' ? { id: '' } : await (subjects[operation] ?? kinds[kind]!)();
  const secrets: Record<string, string> = {
    $KEY: customer.apiKey,
    $ADMIN_TOKEN: adminToken,
    $TOKEN: subject.token ?? '',
  };
  const filled = (text: string): string =>
    text.replace(/\$[A-Z_]+/g, (name) => secrets[name] ?? name);
  return fetch(`${api.url}${filled(path.replace(documented, subject.id))}`, {
    method,
    headers: Object.fromEntries(
      Object.entries(headers).map(([name, value]) => [name, filled(value)]),
    ),
    ...(body !== undefined && { body: JSON.stringify(body) }),
    ...(operation === 'createAsset' && { body: formOf({ file: fileOf(png) }) }),
  });
}

describe('the examples of the API reference', () => {
  it.each(examples)('$title gets 200', async ({ operation, example }) => {
    const response = await run(operation, example);

    expect([response.status, response.status === 200 ? '' : await response.clone().text()]).toEqual(
      [200, ''],
    );
    await response.arrayBuffer();
  });

  it('cover every route', () => {
    expect(new Set(examples.map(({ operation }) => operation)).size).toBe(
      Object.values(document.paths).flatMap((methods) => Object.keys(methods)).length,
    );
  });
});

interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly schema: {
    readonly type?: string;
    readonly minimum?: number;
    readonly maximum?: number;
    readonly enum?: readonly string[];
  };
}

const bounded = Object.entries(document.paths).flatMap(([path, { get }]) =>
  (
    ((path.includes('{') ? undefined : get?.['parameters']) as readonly Parameter[] | undefined) ??
    []
  )
    .filter(({ schema }) => schema.type === 'integer' || schema.enum !== undefined)
    .map((parameter) => [parameter.name, path, parameter.schema] as const),
);

describe('the query parameters of the API reference', () => {
  it.each(bounded)(
    '%s of %s takes what the document allows, and nothing beyond',
    async (name, path, { minimum = 0, maximum = 0, enum: values }) => {
      const authorization = `Bearer ${path.startsWith('/admin') ? adminToken : customer.apiKey}`;
      const statusesOf = (each: readonly (string | number)[]) =>
        Promise.all(
          each.map(
            async (value) =>
              (await send(`${path}?${name}=${value}`, { headers: { authorization } })).status,
          ),
        );

      expect(new Set(await statusesOf(values ?? [minimum, maximum]))).toEqual(new Set([200]));
      expect(
        new Set(
          await statusesOf(
            values === undefined ? [minimum - 1, maximum + 1, '1.5', 'x'] : ['x', `${values[0]!}x`],
          ),
        ),
      ).toEqual(new Set([400]));
    },
  );
});
