/** @workers 3: it promises no times. */
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { startSandboxVendor, type RunningSandbox } from '@gateway/sandbox-vendor';
import { eventually } from '@gateway/testing';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  aCreation,
  arkClient,
  readMp4,
  secondsOf,
  type TaskObject,
} from '../../unit/sandbox-vendor/ark-client.ts';

let vendor: RunningSandbox;
let ark: ReturnType<typeof arkClient>;

beforeAll(async () => {
  vendor = await startSandboxVendor();
  ark = arkClient(vendor);
});
afterAll(() => vendor.stop());
afterEach(async () => {
  await ark.call('POST', '/control/reset');
});

/** A vendor with other settings, for one story. */
async function withVendor(
  environment: Record<string, string>,
  story: (client: ReturnType<typeof arkClient>, vendor: RunningSandbox) => Promise<void>,
): Promise<void> {
  const other = await startSandboxVendor(environment);
  try {
    await story(arkClient(other), other);
  } finally {
    await other.stop();
  }
}

const download = async (
  url: string | undefined,
  headers: Record<string, string> = {},
): Promise<Response> => fetch(url ?? 'missing', { headers, redirect: 'manual' });
const bytesOf = async (response: Response): Promise<Uint8Array> =>
  new Uint8Array(await response.arrayBuffer());

describe('a task of the sandbox vendor', () => {
  it('goes from queued to succeeded and shows the resolved parameters, the tokens and both links', async () => {
    const id = await ark.create(
      aCreation('A fox in the snow', {
        duration: 5,
        ratio: '9:16',
        seed: 7,
        return_last_frame: true,
        safety_identifier: 'user-1',
      }),
    );

    const task = await ark.until(id, 'succeeded');

    expect(id).toMatch(/^cgt-\d{14}-[a-z0-9]{5}$/);
    expect(task).toEqual({
      id,
      model: 'sandbox-video',
      status: 'succeeded',
      content: {
        video_url: expect.stringMatching(/\/files\/[\w-]{32}\/video\.mp4$/),
        last_frame_url: expect.stringMatching(/\/last_frame\.jpeg$/),
      },
      usage: { completion_tokens: 108_900, total_tokens: 108_900 },
      created_at: expect.any(Number),
      updated_at: expect.any(Number),
      seed: 7,
      resolution: '720p',
      ratio: '9:16',
      duration: 5,
      framespersecond: 24,
      service_tier: 'default',
      execution_expires_after: 172_800,
      generate_audio: true,
      safety_identifier: 'user-1',
    });
    expect(Math.abs(Number(task['created_at']) - Date.now() / 1000)).toBeLessThan(60);
  });

  it('has neither content nor usage before its end', async () => {
    const id = await ark.create(aCreation('[stall]'));

    const task = await ark.until(id, 'running');

    expect(Object.keys(task).sort()).toEqual([
      'created_at',
      'execution_expires_after',
      'generate_audio',
      'id',
      'model',
      'service_tier',
      'status',
      'updated_at',
    ]);
  });

  it.each(['16:9', '9:16', '1:1', '4:3', '3:4', '21:9'])(
    'delivers an H.264 MP4 of exactly the asked length at %s',
    async (ratio) => {
      const task = await ark.finished(aCreation(`ratio ${ratio}`, { ratio, duration: 6 }));

      const response = await download(task.content?.video_url);
      const movie = await readMp4(await bytesOf(response));

      expect(response.headers.get('content-type')).toBe('video/mp4');
      expect(movie.tracks).toHaveLength(1);
      expect(movie.tracks[0]?.codec).toMatch(/^avc1\./);
      expect(Math.abs(secondsOf(movie) - 6)).toBeLessThan(0.001);
      const [across = 0, down = 1] = ratio.split(':').map(Number);
      const { width = 0, height = 1 } = movie.tracks[0]?.video ?? {};
      expect(width / height).toBeCloseTo(across / down, 3);
    },
  );

  it('delivers the last frame as a JPEG of the same size when asked for', async () => {
    const task = await ark.finished(aCreation('last frame', { return_last_frame: true }));

    const response = await download(task.content?.last_frame_url);
    const bytes = Buffer.from(await bytesOf(response));
    // the header of the frame: length, precision, height, width
    const start = bytes.indexOf(Buffer.from([0xff, 0xc0]));

    expect(response.headers.get('content-type')).toBe('image/jpeg');
    expect([...bytes.subarray(0, 3), ...bytes.subarray(-2)]).toEqual([
      0xff, 0xd8, 0xff, 0xff, 0xd9,
    ]);
    expect([bytes.readUInt16BE(start + 7), bytes.readUInt16BE(start + 5)]).toEqual([256, 144]);
  });

  it('lasts as long as this vendor decides when duration is -1', async () => {
    const task = await ark.finished(aCreation('up to you', { duration: -1 }));

    expect(task.duration).toBe(5);
  });

  it('expires when execution_expires_after passes', async () => {
    const id = await ark.create(aCreation('[stall]', { execution_expires_after: 1 }));

    const task = await ark.until(id, 'expired');

    expect(task.error?.code).toBe('TaskExpired');
  });

  it('stays queued while others use up the running slots', async () => {
    await withVendor({ SANDBOX_MAX_RUNNING: '1' }, async (client) => {
      const first = await client.create(aCreation('[stall]', { execution_expires_after: 2 }));
      const second = await client.create(aCreation('second'));
      await client.until(first, 'running');
      expect((await client.get(second)).body.status).toBe('queued');

      await client.until(first, 'expired');

      await client.until(second, 'succeeded');
    });
  });

  it('is known again after a restart, with its link, and goes on when it was not finished', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'sandbox-'));
    let done: TaskObject | undefined;
    let open = '';
    await withVendor({ SANDBOX_DATA_DIR: folder }, async (client) => {
      done = await client.finished(aCreation('kept'));
      open = await client.create(aCreation('interrupted [slow=0.5]'));
      await client.until(open, 'running');
    });

    await withVendor({ SANDBOX_DATA_DIR: folder }, async (client, { url }) => {
      expect((await client.get(String(done?.id))).body).toEqual(done);
      const link = new URL(String(done?.content?.video_url));
      expect((await download(`${url}${link.pathname}`)).status).toBe(200);
      expect((await client.until(open, 'succeeded')).id).toBe(open);
    });
    await rm(folder, { recursive: true });
  });

  it('has links that begin with the public address when one is set', async () => {
    await withVendor({ SANDBOX_PUBLIC_URL: 'https://vendor.test/base/' }, async (client) => {
      const { content } = await client.finished(aCreation('public'));
      expect(content?.video_url).toMatch(/^https:\/\/vendor\.test\/base\/files\//);
    });
  });
});

describe('refusing a creation', () => {
  it.each([
    ['[reject]', 400, 'InvalidParameter'],
    ['[moderate-input]', 400, 'InputTextSensitiveContentDetected'],
    ['[rate-limited]', 429, 'RateLimitExceeded.EndpointRPMExceeded'],
    ['[busy]', 429, 'ServerOverloaded'],
    ['[overdue]', 403, 'AccountOverdueError'],
    ['[slow=soon]', 400, 'InvalidParameter'],
  ])(
    'responds to a prompt with %s with %i %s and creates nothing',
    async (directive, status, code) => {
      const response = await ark.refused(aCreation(`A fox ${directive} in the snow`));

      expect([response.status, response.body.error.code]).toEqual([status, code]);
      expect((await ark.list()).body.total).toBe(0);
    },
  );

  it('responds to an unknown model with 404, and with an id that is in the body and in a header', async () => {
    const response = await ark.refused(aCreation('A fox', { model: 'no-such-model' }));

    expect(response.status).toBe(404);
    expect(response.body).toEqual({
      error: {
        code: 'InvalidEndpointOrModel.NotFound',
        message: expect.stringContaining('no-such-model'),
        param: 'model',
        type: 'NotFound',
      },
      request_id: response.headers.get('x-request-id'),
    });
  });

  it('responds to a wrong key with 401 before it reads the body', async () => {
    const stranger = arkClient({ ...vendor, apiKey: 'wrong' });

    const response = await stranger.refused('not an object');

    expect([response.status, response.body.error]).toEqual([
      401,
      { code: 'AuthenticationError', message: expect.any(String), type: 'Unauthorized' },
    ]);
  });

  it('responds to broken JSON, a body that is too large and an unknown path in its own error body', async () => {
    await withVendor({ SANDBOX_MAX_BODY_BYTES: '2048' }, async (client, { url, apiKey }) => {
      const broken = await fetch(`${url}/api/v3/contents/generations/tasks`, {
        method: 'POST',
        body: '{',
        headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
      });
      expect([broken.status, await broken.json()]).toEqual([
        400,
        {
          error: expect.objectContaining({ code: 'InvalidParameter' }),
          request_id: expect.any(String),
        },
      ]);
      const large = await client.refused(aCreation('x'.repeat(3_000)));
      expect([large.status, large.body.error.code]).toEqual([413, 'InvalidParameter.BodyTooLarge']);
      const lost = await client.call<{ error: { code: string } }>('GET', '/api/v3/nothing');
      expect([lost.status, lost.body.error.code]).toEqual([404, 'NotFound']);
    });
  });

  it('takes a data URL of many megabytes', async () => {
    const image = {
      type: 'image_url',
      image_url: { url: `data:image/png;base64,${'A'.repeat(20_000_000)}` },
    };

    const task = await ark.finished({ ...aCreation(''), content: [image] });

    expect(task.status).toBe('succeeded');
  });

  it('responds to more creations than a minute allows with 429, for each model on its own', async () => {
    await withVendor({ SANDBOX_CREATE_RPM: '2' }, async (client) => {
      await client.create(aCreation('1'));
      await client.create(aCreation('2'));
      const third = await client.refused(aCreation('3'));
      expect([third.status, third.body.error.code]).toEqual([
        429,
        'RateLimitExceeded.EndpointRPMExceeded',
      ]);
      await client.create(aCreation('4', { model: 'seedance-2-0-260128' }));
    });
  });
});

describe('a directive in the prompt', () => {
  it.each([
    ['[fail]', 'failed', 'InternalServiceError'],
    ['[moderate]', 'failed', 'OutputVideoSensitiveContentDetected'],
    ['[expire]', 'expired', 'TaskExpired'],
  ])('%s ends the task as %s with %s', async (directive, status, code) => {
    const task = await ark.until(await ark.create(aCreation(`A fox ${directive}`)), status);

    expect(task.error?.code).toBe(code);
    expect(task.content).toBeUndefined();
  });

  it('[no-output] ends the task as succeeded without a link', async () => {
    const task = await ark.finished(aCreation('[no-output]', { return_last_frame: true }));

    expect(task.content).toEqual({});
  });

  it('[slow=SECONDS] makes the task run longer', async () => {
    const start = Date.now();

    await ark.finished(aCreation('[slow=0.7]'));

    expect(Date.now() - start).toBeGreaterThanOrEqual(700);
  });

  it('[actual=SECONDS] renders and reports another length, [claim=SECONDS] only reports one', async () => {
    const shorter = await ark.finished(aCreation('[actual=2]', { duration: 8 }));
    const boasting = await ark.finished(aCreation('[claim=9]', { duration: 4 }));

    expect([shorter.duration, shorter['usage']]).toEqual([
      2,
      { completion_tokens: 44_100, total_tokens: 44_100 },
    ]);
    expect(
      secondsOf(await readMp4(await bytesOf(await download(shorter.content?.video_url)))),
    ).toBeCloseTo(2, 3);
    expect(boasting.duration).toBe(9);
    expect(
      secondsOf(await readMp4(await bytesOf(await download(boasting.content?.video_url)))),
    ).toBeCloseTo(4, 3);
  });

  it('[lose-answer] accepts the task and drops the connection', async () => {
    await expect(
      ark.create(aCreation('[lose-answer]', { safety_identifier: 'lost-1' })),
    ).rejects.toThrow('fetch failed');

    const { items } = (await ark.list()).body;
    expect(items.map((item) => item['safety_identifier'])).toEqual(['lost-1']);
    await ark.until(String(items[0]?.id), 'succeeded');
    expect(await ark.stats()).toMatchObject({
      creates_received: 1,
      creates_accepted: 1,
      answers_lost: 1,
    });
  });

  it('[late=SECONDS] accepts the task at once and responds later', async () => {
    const start = Date.now();
    const response = ark.create(aCreation('[late=2]'));

    const listed = await eventually(
      async () => {
        const { items } = (await ark.list()).body;
        expect(items).toHaveLength(1);
        return items[0]?.id;
      },
      { withinMs: 1_900 },
    );
    expect(await response).toBe(listed);
    expect(Date.now() - start).toBeGreaterThanOrEqual(1_995);
  });

  it('[missing-polls=N], [poll-errors=N] and [odd-status=N] spoil the first polls in this order', async () => {
    const id = await ark.create(aCreation('[poll-errors=3] [odd-status=1] [missing-polls=1]'));

    const polls: unknown[] = [];
    for (let poll = 0; poll < 6; poll += 1) {
      polls.push(
        await ark.get(id).then(
          ({ status, body }) => (status === 200 ? body.status : status),
          () => 'not JSON',
        ),
      );
    }

    expect(polls).toEqual([
      404,
      500,
      'not JSON',
      'not JSON',
      'preparing',
      expect.stringMatching(/queued|running|succeeded/),
    ]);
  });

  it('[truncated], [not-mp4], [redirect-private] and [file-errors=N] spoil the download', async () => {
    const urlOf = async (directive: string): Promise<string> =>
      String((await ark.finished(aCreation(directive))).content?.video_url);

    const short = await download(await urlOf('[truncated]'));
    expect([short.status, Number(short.headers.get('content-length')) > 1_000]).toEqual([
      200,
      true,
    ]);
    await expect(short.arrayBuffer()).rejects.toThrow('terminated');
    const page = await download(await urlOf('[not-mp4]'));
    expect([page.status, page.headers.get('content-type')]).toEqual([
      200,
      'text/html; charset=utf-8',
    ]);
    const elsewhere = await download(await urlOf('[redirect-private]'));
    expect([elsewhere.status, elsewhere.headers.get('location')]).toEqual([
      302,
      'http://169.254.169.254/latest/meta-data/',
    ]);
    const flaky = await urlOf('[file-errors=1]');
    expect([(await download(flaky)).status, (await download(flaky)).status]).toEqual([503, 200]);
  });
});

describe('a link to a file', () => {
  it('serves single ranges that together are the whole file', async () => {
    const { content } = await ark.finished(aCreation('ranges'));
    const whole = await download(content?.video_url);
    const bytes = await bytesOf(whole);
    const etag = String(whole.headers.get('etag'));

    const first = await download(content?.video_url, { range: 'bytes=0-999' });
    const rest = await download(content?.video_url, { range: 'bytes=1000-', 'if-range': etag });
    const tail = await download(content?.video_url, { range: 'bytes=-10' });

    expect([
      first.status,
      first.headers.get('content-range'),
      first.headers.get('content-length'),
    ]).toEqual([206, `bytes 0-999/${bytes.length}`, '1000']);
    expect(Buffer.concat([await bytesOf(first), await bytesOf(rest)]).equals(bytes)).toBe(true);
    expect(Buffer.from(await bytesOf(tail)).equals(bytes.subarray(-10))).toBe(true);
    expect((await download(content?.video_url, { range: `bytes=${bytes.length}-` })).status).toBe(
      416,
    );
    expect(
      (await download(content?.video_url, { range: 'bytes=0-9', 'if-range': '"other"' })).status,
    ).toBe(200);
    expect((await download(content?.video_url, { range: 'bytes=0-9,20-29' })).status).toBe(200);
  });

  it('needs no key, refuses HEAD and a changed link with 403', async () => {
    const { content } = await ark.finished(aCreation('head'));
    const url = String(content?.video_url);

    expect((await fetch(url, { method: 'HEAD' })).status).toBe(403);
    expect(
      (
        await download(
          url.replace(
            /files\/../,
            (start) => start.slice(0, -1) + (start.endsWith('A') ? 'B' : 'A'),
          ),
        )
      ).status,
    ).toBe(403);
    expect((await download(url.replace('video.mp4', 'other.mp4'))).status).toBe(403);
  });

  it('ends', async () => {
    await withVendor({ SANDBOX_LINK_TTL_SECONDS: '0' }, async (client) => {
      const { content } = await client.finished(aCreation('soon over'));
      expect((await download(content?.video_url)).status).toBe(403);
    });
  });

  it('still works when the video has left the cache: it is rendered again, byte for byte', async () => {
    await withVendor({ SANDBOX_CACHE_BYTES: '0' }, async (client) => {
      const { content } = await client.finished(aCreation('again'));
      const [one, two] = [
        await bytesOf(await download(content?.video_url)),
        await bytesOf(await download(content?.video_url)),
      ];
      expect(Buffer.from(one).equals(two)).toBe(true);
      expect(await client.stats()).toMatchObject({
        renders: { rendered: 3, cached: 0, held_bytes: 0 },
      });
    });
  });
});

describe('cancelling, deleting and listing', () => {
  it('cancels a queued task, and refuses to do anything more with it', async () => {
    await withVendor({ SANDBOX_QUEUE_MS: '500' }, async (client) => {
      const id = await client.create(aCreation('never starts'));

      expect((await client.remove(id)).status).toBe(204);
      await client.finished(aCreation('starts later'));

      expect((await client.get(id)).body.status).toBe('cancelled');
      expect((await client.remove(id)).status).toBe(409);
    });
  });

  it('refuses a running task with 409', async () => {
    const id = await ark.create(aCreation('[stall]'));
    await ark.until(id, 'running');

    const response = await ark.remove(id);

    expect([response.status, response.body?.error.code]).toEqual([
      409,
      'OperationDenied.TaskStatus',
    ]);
    expect((await ark.get(id)).body.status).toBe('running');
  });

  it('removes the record of a finished task, whose link goes on', async () => {
    const { id, content } = await ark.finished(aCreation('to be removed'));

    expect((await ark.remove(id)).status).toBe(204);

    expect((await ark.get(id)).status).toBe(404);
    expect((await ark.remove(id)).status).toBe(404);
    expect((await download(content?.video_url)).status).toBe(200);
  });

  it('lists newest first, by page, by status and by ids', async () => {
    const ids: string[] = [];
    for (const prompt of ['one', 'two [fail]', 'three']) {
      ids.push(await ark.create(aCreation(prompt)));
    }
    await ark.until(ids[1]!, 'failed');
    await ark.until(ids[2]!, 'succeeded');
    const listed = async (query: string): Promise<unknown> => {
      const { total, items } = (await ark.list(query)).body;
      return [total, items.map(({ id }) => ids.indexOf(id))];
    };

    expect(await listed('')).toEqual([3, [2, 1, 0]]);
    expect(await listed('?page_num=2&page_size=2')).toEqual([3, [0]]);
    expect(await listed('?filter.status=failed')).toEqual([1, [1]]);
    expect(
      await listed(
        `?filter.task_ids=${ids[0]}&filter.task_ids=${ids[2]}&filter.task_ids=cgt-unknown`,
      ),
    ).toEqual([2, [2, 0]]);
    expect(await listed('?filter.model=other')).toEqual([0, []]);
    expect((await ark.list('?page_size=501')).status).toBe(400);
  });

  it('returns 429 beyond the documented rate when limits are strict', async () => {
    await withVendor({ SANDBOX_STRICT_LIMITS: 'true' }, async (client) => {
      const statuses = await Promise.all(
        [client.list(), client.list()].map(async (response) => (await response).status),
      );
      expect(statuses.sort()).toEqual([200, 429]);
      expect(
        (await client.refused(aCreation('x', { execution_expires_after: 3_599 }))).status,
      ).toBe(400);
    });
  });
});
