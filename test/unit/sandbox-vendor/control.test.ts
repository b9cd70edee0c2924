import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { startSandboxVendor, type RunningSandbox } from '@gateway/sandbox-vendor';
import { recordingLog } from '@gateway/testing';
import type { Renderer } from '../../../services/sandbox-vendor/src/render/renderer.ts';
import { aCreation, arkClient } from './ark-client.ts';

let vendor: RunningSandbox;
let ark: ReturnType<typeof arkClient>;

beforeEach(async () => {
  vendor = await startSandboxVendor();
  ark = arkClient(vendor);
});
afterEach(() => vendor.stop());

const addFault = (fault: object): Promise<{ status: number }> =>
  ark.call('POST', '/control/faults', fault);

describe('faults asked for through the control endpoint', () => {
  it('respond with a status, as often as was said', async () => {
    const id = await ark.create(aCreation('A fox'));
    await addFault({
      operation: 'get',
      action: 'status',
      status: 429,
      times: 2,
      retry_after_seconds: 3,
    });

    const responses = [await ark.get(id), await ark.get(id), await ark.get(id)];

    expect(responses.map(({ status }) => status)).toEqual([429, 429, 200]);
    expect([responses[0]?.headers.get('retry-after'), responses[0]?.body.error?.code]).toEqual([
      '3',
      'RateLimitExceeded',
    ]);
  });

  it('drop the connection before or after the work', async () => {
    await addFault({ operation: 'create', action: 'drop-before' });
    await addFault({ operation: 'create', action: 'drop-after' });

    await expect(ark.create(aCreation('before'))).rejects.toThrow('fetch failed');
    expect((await ark.list()).body.total).toBe(0);
    await expect(ark.create(aCreation('after'))).rejects.toThrow('fetch failed');
    expect((await ark.list()).body.total).toBe(1);
  });

  it('delay, and respond with garbage', async () => {
    await addFault({ operation: 'list', action: 'delay', delay_ms: 300 });
    await addFault({ operation: 'list', action: 'garbage' });

    const start = Date.now();
    expect((await ark.list()).status).toBe(200);
    expect(Date.now() - start).toBeGreaterThanOrEqual(295);
    await expect(ark.list()).rejects.toThrow('JSON');
  });

  it('meet files and deletions, too', async () => {
    const { id, content } = await ark.finished(aCreation('A fox'));
    await addFault({ operation: 'file', action: 'drop-after' });
    await addFault({ operation: 'delete', action: 'status' });

    await expect(fetch(String(content?.video_url))).rejects.toThrow('fetch failed');
    expect((await ark.remove(id)).status).toBe(503);
    expect((await ark.remove(id)).status).toBe(204);
  });

  it('are refused when they make no sense, shown, and taken back', async () => {
    expect((await addFault({ operation: 'walk', action: 'status' })).status).toBe(400);
    expect((await addFault({ operation: 'get', action: 'status', times: 0 })).status).toBe(400);
    expect((await addFault({ operation: 'get', action: 'status', unknown: 1 })).status).toBe(400);
    expect((await addFault({ operation: 'get', action: 'status' })).status).toBe(201);

    expect((await ark.call('GET', '/control/faults')).body).toEqual({
      faults: [{ operation: 'get', action: 'status', times: 1, status: 503, delay_ms: 1_000 }],
    });
    expect((await ark.call('DELETE', '/control/faults')).status).toBe(204);
    expect((await ark.call('GET', '/control/faults')).body).toEqual({ faults: [] });
  });
});

describe('looking at the vendor', () => {
  it('counts what it was asked', async () => {
    await ark.refused(aCreation('[reject]'));
    const { id, content } = await ark.finished(aCreation('A fox'));
    await fetch(String(content?.video_url));
    await ark.remove(id);
    await ark.create(aCreation('[stall]'));

    expect(await ark.stats()).toMatchObject({
      creates_received: 3,
      creates_accepted: 2,
      creates_refused: 1,
      deletes: 1,
      downloads: 1,
      answers_lost: 0,
      faults_applied: 0,
      tasks: { succeeded: 0, failed: 0 },
      renders: { rendered: 1 },
      callbacks: { sent: 0 },
    });
  });

  it('shows one task with its prompt and how often it was looked at', async () => {
    const id = await ark.create(aCreation('A fox [stall]'));
    await ark.get(id);
    await ark.get(id);

    const seen = await ark.call<object>('GET', `/control/tasks/${id}`);

    expect(seen.body).toMatchObject({
      id,
      prompt: 'A fox [stall]',
      directives: { stall: 1 },
      polls: 2,
    });
    expect((await ark.call<{ tasks: object[] }>('GET', '/control/tasks')).body.tasks).toEqual([
      seen.body,
    ]);
    expect((await ark.call('GET', '/control/tasks/cgt-none')).status).toBe(404);
  });

  it('forgets everything at a reset', async () => {
    const id = await ark.create(aCreation('[slow=1]'));
    await ark.until(id, 'running');
    await addFault({ operation: 'get', action: 'status' });

    expect((await ark.call('POST', '/control/reset')).status).toBe(204);

    expect((await ark.get(id)).status).toBe(404);
    expect(await ark.stats()).toMatchObject({
      creates_received: 0,
      gets: 1,
      tasks: { running: 0 },
    });
    const later = await ark.finished(aCreation('[slow=1.2]'));
    // the forgotten task did not come back at its end
    expect((await ark.list()).body.items.map((item) => item.id)).toEqual([later.id]);
  });

  it('can be switched off', async () => {
    const other = await startSandboxVendor({ SANDBOX_CONTROL: 'off' });

    expect((await fetch(`${other.url}/control/stats`)).status).toBe(404);

    await other.stop();
  });

  it('tells a newcomer its models and directives', async () => {
    const { body } = await ark.call<{
      models: string[];
      directives: { directive: string; description: string }[];
    }>('GET', '/');

    expect(body.models).toContain('sandbox-video');
    expect(body.directives).toContainEqual({
      directive: '[fail]',
      when: 'life',
      description: 'ends as failed with InternalServiceError',
    });
  });
});

describe('the access log', () => {
  it('has one line a request, without keys, queries and the secret part of links', async () => {
    const log = recordingLog();
    const other = await startSandboxVendor({}, { log });
    const client = arkClient(other);
    const { id, content } = await client.finished(aCreation('A secret prompt'));
    const link = String(content?.video_url);
    await client.list('?filter.status=queued');
    await fetch(link);
    await other.stop();

    const lines = log.lines
      .filter(({ message }) => message === 'request')
      .map(
        ({ fields }) =>
          `${String(fields['method'])} ${String(fields['path'])} ${String(fields['status'])}`,
      );
    expect(lines).toEqual(
      expect.arrayContaining([
        'POST /api/v3/contents/generations/tasks 200',
        `GET /api/v3/contents/generations/tasks/${id} 200`,
        'GET /api/v3/contents/generations/tasks 200',
        'GET /files/[token]/video.mp4 200',
      ]),
    );
    const everything = JSON.stringify(log.lines);
    for (const secret of [other.apiKey, 'A secret prompt', link.split('/').at(-2)]) {
      expect(everything).not.toContain(secret);
    }
  });
});

describe('a machine that cannot render', () => {
  const broken: Renderer = {
    render: () => Promise.reject(new Error('no canvas here')),
    check: () => Promise.reject(new Error('no canvas here')),
    stop: () => Promise.resolve(),
  };

  it('has a vendor that listens, is not ready and says why, and fails its tasks', async () => {
    const log = recordingLog();
    const other = await startSandboxVendor({}, { renderer: broken, log });
    const client = arkClient(other);

    const [live, ready] = [await fetch(`${other.url}/livez`), await fetch(`${other.url}/readyz`)];
    const task = await client.until(await client.create(aCreation('A fox')), 'failed');

    expect([live.status, ready.status, await ready.json()]).toEqual([
      200,
      503,
      { status: 'unavailable', checks: { renderer: 'failed' } },
    ]);
    expect(task.error?.code).toBe('InternalServiceError');
    expect(
      log.lines.filter(({ level }) => level === 'error').map(({ message }) => message),
    ).toEqual([
      'videos cannot be rendered on this machine, so tasks will fail',
      'a task could not be finished',
    ]);
    await other.stop();
  });
});
