import { createHash, createPublicKey, verify, type JsonWebKey } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import request from 'supertest';
import { aQueuedTask } from '@gateway/testing';
import { aFinishedTask } from './finished-task.ts';
import { openApi, type ApiUnderTest } from './harness.ts';

let api: ApiUnderTest;
let key: Awaited<ReturnType<ApiUnderTest['aKey']>>;
beforeAll(async () => {
  api = await openApi();
  key = await api.aKey({ quota: 100_000 });
});
afterAll(() => api.close());

const files = { content: Buffer.from('the video'), lastFrame: Buffer.from('the frame') };
const sha256 = (bytes: Buffer | string): string => createHash('sha256').update(bytes).digest('hex');
const get = (path: string, apiKey = key.apiKey) =>
  request(api.url).get(path).set('authorization', `Bearer ${apiKey}`);
interface Body {
  readonly protected: string;
  readonly payload: string;
  readonly signature: string;
  readonly statement: object;
  readonly keys: readonly object[];
  readonly request: { readonly prompt: string };
  readonly error: { readonly code: string };
}
const answered = async (path: string, apiKey?: string) => {
  const { status, body, text } = await get(path, apiKey);
  return { status, text, body: body as Body };
};
const receiptOf = (id: string, apiKey?: string) => answered(`/v1/videos/${id}/receipt`, apiKey);

describe('the receipt of a video', () => {
  it('states what is on record, signed by a key that everybody can have', async () => {
    const id = await aFinishedTask(api, key.accountId, files);

    const { status, body } = await receiptOf(id);
    const { body: published } = await answered('/.well-known/gateway-receipt-keys.json');
    const [jwk] = published.keys;
    const signed = Buffer.from(`${body.protected}.${body.payload}`);
    const publicKey = createPublicKey({ key: jwk as JsonWebKey, format: 'jwk' });
    const { request: sent } = (await answered(`/v1/videos/${id}?include=request`)).body;

    expect(status).toBe(200);
    expect(verify(null, signed, publicKey, Buffer.from(body.signature, 'base64url'))).toBe(true);
    expect(JSON.parse(Buffer.from(body.payload, 'base64url').toString())).toEqual(body.statement);
    expect(body.statement).toMatchObject({
      issuer: 'http://gateway.test',
      video: id,
      duration: 5,
      billed_quota: 50,
      prompt_sha256: sha256(sent.prompt),
      files: [
        { kind: 'video', sha256: sha256(files.content), size_bytes: files.content.length },
        { kind: 'last_frame', sha256: sha256(files.lastFrame) },
      ],
    });
    expect((await receiptOf(id)).text).toBe((await receiptOf(id)).text);
  });

  it('is there for its account alone, and once the video has succeeded', async () => {
    const stranger = await api.aKey({ quota: 1_000 });
    const done = await aFinishedTask(api, key.accountId, files);
    const queued = await aQueuedTask(api.database, key.accountId);

    const foreign = await receiptOf(done, stranger.apiKey);
    const none = await receiptOf('video_nonsense');
    const early = await receiptOf(queued.id);
    const keyless = await request(api.url).get(`/v1/videos/${done}/receipt`);

    expect([foreign.status, foreign.body.error.code]).toEqual([404, 'task_not_found']);
    expect([none.status, none.body.error.code]).toEqual([404, 'task_not_found']);
    expect([early.status, early.body.error.code]).toEqual([409, 'receipt_unavailable']);
    expect(keyless.status).toBe(401);
  });
});
