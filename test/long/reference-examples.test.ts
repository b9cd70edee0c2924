/** @workers 3: it promises no times. */
import { mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  buildDocument,
  exampleLanguages,
  exampleRequests,
  type ExampleRequest,
} from '@gateway/api';
import { parseTokenKeys, signMediaToken } from '@gateway/media';
import { newId } from '@gateway/runtime';
import { createEndpoints, createStoredResponses } from '@gateway/store';
import { aNewTask, aQueuedTask } from '@gateway/testing';
import { aStoredResponse } from '../contracts/stored-response.ts';
import { fileOf, formOf, png } from '../component/api/asset-files.ts';
import {
  curlRunner,
  hasPython,
  openPython,
  typescriptRunner,
  type Runner,
} from './reference-example-runners.ts';
import { aFinishedTask } from '../component/api/finished-task.ts';
import { mediaKey, openApi, type ApiUnderTest } from '../component/api/harness.ts';
import { behave, openUpstream, type Upstream } from '../component/api/text-stage.ts';

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
let folder: string;
let customer: Awaited<ReturnType<ApiUnderTest['aKey']>>;
beforeAll(async () => {
  folder = await mkdtemp(path.join(os.tmpdir(), 'examples-'));
  await writeFile(path.join(folder, 'cat.png'), png);
  await writeFile(path.join(folder, '.curlrc'), 'silent\nshow-error\nfail-with-body\n');
  upstream = await openUpstream(behave);
  api = await openApi({ adminToken, sandboxUrl: upstream.url });
  customer = await api.aKey({
    quota: 100_000,
    scopes: ['videos:write', 'videos:read', 'text', 'billing:read', 'secrets:read', 'keys:write'],
  });
});
afterAll(async () => {
  await api.close();
  await upstream.close();
  await rm(folder, { recursive: true, force: true });
});

interface Subject {
  readonly id: string;
  readonly token?: string;
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
const aFile = async (variant: 'content' | 'last-frame' | 'poster'): Promise<Subject> => {
  const { accountId } = customer;
  const files = {
    content: Buffer.from('a video'),
    lastFrame: Buffer.from('a frame'),
    poster: Buffer.from('a poster'),
  };
  const { request } = aNewTask(accountId);
  const id = await aFinishedTask(api, accountId, files, {
    request: { ...request, returnLastFrame: true },
  });
  return { id, token: tokenFor(id, variant) };
};

/** A session, and what its cookie carries. */
async function signIn(path: string): Promise<{ id: string; secret: string }> {
  const token = path.startsWith('/admin') ? adminToken : customer.apiKey;
  const response = await send(path, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'x-gateway-console': '1' },
  });
  const secret = /=([\w-]{43});/.exec(response.headers.get('set-cookie') ?? '')?.[1] ?? '';
  return { id: await idIn(response), secret };
}

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
  revokeKey: async () => {
    const { keyId } = await api.aKey({ accountId: customer.accountId });
    return { id: keyId };
  },
  endSession: async () => ({ id: (await signIn('/v1/session')).id }),
  adminEndSession: async () => ({ id: (await signIn('/admin/v1/session')).id }),
  getVideoReceipt: () => aFile('content'),
  getVideoContent: () => aFile('content'),
  getVideoLastFrame: () => aFile('last-frame'),
  getVideoPoster: () => aFile('poster'),
};
const aKeptResponse = async (): Promise<Subject> => {
  const { accountId } = customer;
  const response = aStoredResponse({ accountId, response: { output: [] } });
  await createStoredResponses(api.database).keep([response]);
  return { id: response.responseId };
};
const anEndpoint = async (accountId: string): Promise<Subject> => {
  const id = newId('endpoint');
  const url = `https://receiver.example/${id}`;
  const draft = { id, accountId, url, description: null, events: [] };
  await createEndpoints(api.database).create(draft, 1_000);
  return { id };
};
const kinds: Readonly<Record<string, () => Promise<Subject>>> = {
  video: aTask,
  asset: anAsset,
  acct: () => Promise.resolve({ id: customer.accountId }),
  key: async () => ({ id: (await api.aKey()).keyId }),
  resp: aKeptResponse,
};

/** What is changed, so that the customer of the other examples stays as it is. */
const changed: typeof kinds = {
  ...kinds,
  acct: async () => ({ id: (await api.aKey()).accountId }),
};

/** The example with a thing that it can be done to, and the secrets of its reader. */
async function prepared(example: ExampleRequest): Promise<{
  readonly example: ExampleRequest;
  readonly secrets: Record<string, string>;
}> {
  const { path: documentedPath, ids, operation, method } = example;
  const [documented = '', kind = ''] =
    /\b(video|asset|acct|key|resp|session|endpoint)_01h455vb4pex5vsknk084sn02q\b/.exec(
      documentedPath,
    ) ?? [];
  // An account may ask few addresses a minute for their consent, and each address once.
  const own = operation.endsWith('Endpoint') ? await api.aKey() : customer;
  const endpoint = () => anEndpoint(own.accountId);
  const subject: Subject =
    documented === ''
      ? { id: '' }
      : await (
          subjects[operation] ??
          (kind === 'endpoint' ? endpoint : (method === 'PATCH' ? changed : kinds)[kind]!)
        )();
  return {
    example: {
      ...example,
      path: documentedPath.replace(documented, subject.id),
      ids: ids.map((id) => (id === documented ? subject.id : id)),
    },
    secrets: {
      KEY: own.apiKey,
      ADMIN_TOKEN: adminToken,
      TOKEN: subject.token ?? '',
      SESSION: (await signIn('/v1/session')).secret,
      ADMIN_SESSION: (await signIn('/admin/v1/session')).secret,
    },
  };
}

const python = hasPython();
const runners: Readonly<Record<string, { open: () => Runner; isSkipped?: boolean; name: string }>> =
  {
    curl: { name: 'curl', open: () => curlRunner },
    TypeScript: { name: 'TypeScript', open: () => typescriptRunner },
    Python: python
      ? { name: 'Python', open: openPython }
      : {
          name: 'Python, which is not run: there is no python3',
          open: openPython,
          isSkipped: true,
        },
  };

describe.each(Object.entries(exampleLanguages))(
  'the examples of the API reference in %s',
  (language, codeOf) => {
    const { name, open, isSkipped = false } = runners[language]!;
    let runner: Runner | undefined;
    afterAll(() => runner?.close());

    (isSkipped ? it.skip : it).each(examples)(`$title succeeds in ${name}`, async (shown) => {
      runner ??= open();
      const { example, secrets } = await prepared(shown.example);

      await runner.run(codeOf(api.url, example), {
        folder,
        secrets,
        publicly: { address: 'http://gateway.test', is: api.url },
      });

      if (example.file === undefined) return;
      const file = path.join(folder, example.file);
      expect((await stat(file)).size).toBeGreaterThan(0);
      await rm(file);
    });
  },
);

describe('the examples of the API reference', () => {
  it('cover every route', () => {
    expect(new Set(examples.map(({ operation }) => operation)).size).toBe(
      Object.values(document.paths).flatMap((methods) => Object.keys(methods)).length,
    );
  });
});

interface ParameterSchema {
  readonly $ref?: string;
  readonly type?: string;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly enum?: readonly string[];
}

interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly schema: ParameterSchema;
}

const whole = (schema: ParameterSchema): ParameterSchema =>
  schema.$ref === undefined
    ? schema
    : document.components.schemas[schema.$ref.replace(/^.*\//, '')]!;

const bounded = Object.entries(document.paths).flatMap(([path, { get }]) =>
  (
    ((path.includes('{') ? undefined : get?.['parameters']) as readonly Parameter[] | undefined) ??
    []
  )
    .map(({ name, schema }) => [name, path, whole(schema)] as const)
    .filter(([, , schema]) => schema.type === 'integer' || schema.enum !== undefined),
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
