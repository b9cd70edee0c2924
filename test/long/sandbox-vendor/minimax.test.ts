/** @workers 3: it promises no times. */
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { startSandboxVendor, type RunningSandbox } from '@gateway/sandbox-vendor';
import { eventually } from '@gateway/testing';

interface TaskObject {
  readonly id: string;
  readonly status: string;
  readonly content?: { readonly url?: string };
}

let vendor: RunningSandbox;
beforeAll(async () => {
  vendor = await startSandboxVendor({ SANDBOX_MAX_RUNNING: '1' });
});
afterAll(() => vendor.stop());
afterEach(async () => {
  await call('POST', '/control/reset');
});

async function call(
  method: string,
  path: string,
  body?: object,
  key = vendor.apiKey,
): Promise<{ status: number; body: unknown }> {
  const response = await fetch(`${vendor.url}${path}`, {
    method,
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  return { status: response.status, body: text === '' ? undefined : (JSON.parse(text) as unknown) };
}

const aCreation = (prompt: string, fields: object = {}): object => ({
  model: 'MiniMax-H3',
  content: [{ type: 'text', text: prompt }],
  resolution: '768P',
  duration: 4,
  ratio: '16:9',
  ...fields,
});
const creating = (prompt: string, fields: object = {}) =>
  call('POST', '/v2/video_generation', aCreation(prompt, fields));

async function create(prompt: string, fields: object = {}): Promise<string> {
  const { body } = await creating(prompt, fields);
  return (body as { task_id: string }).task_id;
}

const taskOf = async (id: string): Promise<TaskObject> =>
  ((await call('GET', `/v2/query/video_generation/${id}`)).body as { task: TaskObject }).task;
const until = (id: string, status: string): Promise<TaskObject> =>
  eventually(
    async () => {
      const task = await taskOf(id);
      expect(task.status).toBe(status);
      return task;
    },
    { withinMs: 20_000 },
  );

const anError = (code: number, type: string): object => ({
  type: 'error',
  error: {
    type,
    message: expect.stringMatching(new RegExp(`\\(${code}\\)$`)) as unknown,
    http_code: expect.any(String) as unknown,
  },
  request_id: expect.any(String) as unknown,
});

describe('a MiniMax task of the sandbox vendor', () => {
  it('goes to succeeded, in this vendor’s words, with a video behind its link', async () => {
    const id = await create('A fox in the snow', { ratio: '9:16' });

    const task = await until(id, 'succeeded');

    expect(id).toMatch(/^\d{15}$/);
    expect(task).toEqual({
      id,
      model: 'MiniMax-H3',
      status: 'succeeded',
      content: { url: expect.stringMatching(/video\.mp4$/) },
      resolution: '768P',
      ratio: '9:16',
      duration: 4,
      usage: { total_seconds: 4, input_seconds: 0, output_seconds: 4, input_image_count: 0 },
      created_at: expect.any(Number),
      updated_at: expect.any(Number),
      task_type: 'generation',
      modality: 'video',
    });
    expect((await fetch(task.content!.url!)).headers.get('content-type')).toBe('video/mp4');
  });

  it.each([
    ['[fail] x', 'failed', '1000'],
    ['[moderate] x', 'failed', '1027'],
    ['[expire] x', 'expired', '1000'],
  ])('%j ends as %s with the code %s', async (prompt, status, code) => {
    expect(await until(await create(prompt), status)).toMatchObject({ error: { code } });
  });

  it('is not known by the Ark API, and knows none of its tasks', async () => {
    const id = await create('x');
    const { body } = await call('POST', '/api/v3/contents/generations/tasks', {
      model: 'sandbox-video',
      content: [{ type: 'text', text: 'x' }],
    });
    const arkId = (body as { id: string }).id;

    expect((await call('GET', `/api/v3/contents/generations/tasks/${id}`)).status).toBe(404);
    expect(await call('GET', `/v2/query/video_generation/${arkId}`)).toEqual({
      status: 404,
      body: anError(2013, 'bad_request_error'),
    });
    expect((await call('GET', '/v2/query/video_generation')).body).toMatchObject({
      total: 1,
      tasks: [{ id }],
    });
    expect((await call('GET', '/api/v3/contents/generations/tasks')).body).toMatchObject({
      total: 1,
      items: [{ id: arkId }],
    });
  });

  it('is cancelled while it is queued, refused while it runs, and erased when it is over', async () => {
    const done = await create('x');
    await until(done, 'succeeded');
    const running = await create('[slow=60] x');
    await until(running, 'running');
    const queued = await create('x');

    expect((await call('DELETE', `/v2/video_generation/${queued}`)).body).toEqual({
      task_id: queued,
      action: 'cancel',
      status: 'cancelled',
    });
    expect((await taskOf(queued)).status).toBe('cancelled');
    expect((await call('DELETE', `/v2/video_generation/${running}`)).status).toBe(400);
    expect((await call('DELETE', `/v2/video_generation/${done}`)).body).toMatchObject({
      action: 'delete',
    });
    expect((await call('GET', `/v2/query/video_generation/${done}`)).status).toBe(404);
  });

  it('shows the mishaps of a poll', async () => {
    const id = await create('[poll-errors=3] [missing-polls=1] x');
    const poll = async (): Promise<number> =>
      (
        await fetch(`${vendor.url}/v2/query/video_generation/${id}`, {
          headers: { authorization: `Bearer ${vendor.apiKey}` },
        })
      ).status;

    expect([await poll(), await poll(), await poll(), await poll()]).toEqual([404, 500, 502, 200]);
  });
});

describe('a MiniMax creation', () => {
  it.each<[string, number, number, string, object]>([
    ['[reject] x', 400, 2013, 'bad_request_error', {}],
    ['[moderate-input] x', 422, 1026, 'unprocessable_entity_error', {}],
    ['[rate-limited] x', 429, 1002, 'rate_limit_error', {}],
    ['[overdue] x', 429, 1008, 'rate_limit_error', {}],
    ['  ', 400, 2013, 'bad_request_error', {}],
    ['x', 400, 2013, 'bad_request_error', { seed: 1 }],
    ['x', 400, 2013, 'bad_request_error', { callback_url: 'http://127.0.0.1:9' }],
    ['x', 400, 2013, 'bad_request_error', { resolution: '768p' }],
    ['x', 400, 2013, 'bad_request_error', { resolution: '480P' }],
    ['x', 400, 2013, 'bad_request_error', { duration: 3 }],
    ['x', 400, 2013, 'bad_request_error', { duration: 16 }],
    ['x', 400, 2013, 'bad_request_error', { ratio: 'adaptive' }],
    ['x', 400, 2013, 'bad_request_error', { model: 'MiniMax-H4' }],
    [
      'x',
      400,
      2013,
      'bad_request_error',
      {
        content: [
          { type: 'text', text: 'x' },
          {
            type: 'audio_url',
            audio_url: { url: 'https://files.example/a' },
            role: 'reference_audio',
          },
        ],
      },
    ],
  ])(
    'for %j is refused with %i and the code %i: %s %j',
    async (prompt, status, code, type, fields) => {
      expect(await creating(prompt, fields)).toEqual({ status, body: anError(code, type) });
    },
  );

  it('needs the key', async () => {
    expect(await call('POST', '/v2/video_generation', aCreation('x'), 'another')).toEqual({
      status: 401,
      body: anError(1004, 'authorized_error'),
    });
  });

  it('takes references, by address and by their bytes', async () => {
    const item = (url: string, role: string): object => ({
      type: 'image_url',
      image_url: { url },
      role,
    });
    const content = [
      { type: 'text', text: 'x' },
      item('data:image/png;base64,AAAA', 'first_frame'),
      item('https://files.example/b.png', 'last_frame'),
    ];

    expect((await creating('x', { content, ratio: 'adaptive' })).status).toBe(200);
  });

  it('is lost with its response, and yet there', async () => {
    await expect(creating('[lose-answer] x')).rejects.toThrow();

    expect((await call('GET', '/v2/query/video_generation')).body).toMatchObject({ total: 1 });
  });
});
