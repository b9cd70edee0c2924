/** @workers 3: it promises no times. */
import { readFile, realpath, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { GatewayClient, type Video } from '@gateway/client';
import { eventually as soon } from '@gateway/testing';
import { png } from '../component/api/asset-files.ts';
import { openHome, type Home } from './gw-command.ts';
import { openSuite, type Customer, type SuiteUnderTest } from '../e2e/harness.ts';
import { httpAgent, latest, modes, stdioAgent, tasksOf, type Agent } from './mcp-clients.ts';

let gateway: SuiteUnderTest;
let customer: Customer;
let client: GatewayClient;
let home: Home;
let env: Record<string, string>;
const agents: Agent[] = [];
const opened = async (agent: Promise<Agent>): Promise<Agent> => {
  agents.push(await agent);
  return agent;
};

beforeAll(async () => {
  gateway = await openSuite();
  customer = await gateway.aCustomer(1_000_000);
  const { baseUrl } = gateway.suite;
  client = new GatewayClient({ baseUrl, apiKey: customer.apiKey });
  env = { GW_BASE_URL: baseUrl, GW_API_KEY: customer.apiKey };
});
afterAll(() => gateway.close());
beforeEach(async () => {
  home = await openHome(env);
});
afterEach(async () => {
  await Promise.allSettled(agents.splice(0).map((agent) => agent.close()));
  await home.close();
});

const eventually = <Value>(moment: () => Value | Promise<Value>): Promise<Value> =>
  soon(moment, { withinMs: 45_000, everyMs: 50 });
const balloon = { prompt: 'a red balloon', duration: 4, resolution: '480p' };
const cost = 4 * 60;
const withKey = (): Record<string, string> => ({ authorization: `Bearer ${customer.apiKey}` });
const localAgent = (args: readonly string[] = [], mode = modes[0]!): Promise<Agent> =>
  opened(stdioAgent({ folder: home.folder, env }, args, mode));
const remoteAgent = (mode = modes[0]!, headers = {}): Promise<Agent> =>
  opened(httpAgent(gateway.suite.baseUrl, { ...withKey(), ...headers }, mode));
const names = [
  'quote_video',
  'create_video',
  'get_video',
  'list_videos',
  'cancel_video',
  'list_models',
  'upload_asset',
];

describe.each(modes)('gw mcp, for a client that speaks %j', (mode) => {
  it('puts a video on disk by one call of a tool', async () => {
    const agent = await localAgent([], mode);

    const { tools } = await agent.client.listTools();
    expect(tools.map(({ name }) => name)).toEqual(names);
    const { isError, said } = await agent.call('create_video', {
      ...balloon,
      save_as: 'balloon.mp4',
    });

    expect(isError).toBe(false);
    expect(said).toMatchObject({ status: 'succeeded', portal_billing: { billed_quota: cost } });
    const file = await readFile(path.join(home.folder, 'balloon.mp4'));
    expect(file.subarray(4, 8).toString()).toBe('ftyp');
    expect(said['file']).toBe(await realpathOf('balloon.mp4'));
  });

  it('quotes, lists models, uploads a picture, makes a video from it and lists it', async () => {
    const agent = await localAgent([], mode);
    await writeFile(path.join(home.folder, 'cat.png'), png);

    const quote = await agent.call('quote_video', balloon);
    const models = await agent.call('list_models');
    const asset = await agent.call('upload_asset', { path: 'cat.png' });
    const begun = await agent.call('create_video', {
      ...balloon,
      references: [{ type: 'image', role: 'first_frame', url: asset.said['id'] }],
      wait_seconds: 0,
    });
    const id = String(begun.said['id']);
    const done = await agent.call('get_video', { id, wait_seconds: 50 });
    const list = await agent.call('list_videos', { limit: 100 });

    expect(quote.said).toMatchObject({ portal_billing: { max_billing_quota: cost } });
    expect(models.said['data']).toEqual(
      expect.arrayContaining([expect.objectContaining({ id: 'sandbox-video', kind: 'video' })]),
    );
    expect(done.said).toMatchObject({ id, status: 'succeeded' });
    expect((list.said['data'] as Video[]).map((video) => video.id)).toContain(id);
  });

  it('says in the words of the gateway why a call is refused', async () => {
    const agent = await localAgent([], mode);

    const long = await agent.call('create_video', { ...balloon, duration: 600 });
    const typo = await agent.call('create_video', { ...balloon, lenght: 3 });
    const none = await agent.call('get_video', { id: 'video_01h455vb4pex5vsknk084sn02q' });

    expect(long).toMatchObject({
      isError: true,
      said: { error: { code: 'invalid_parameter', param: 'duration', status: 400 } },
    });
    expect(typo.said).toMatchObject({ error: { code: 'unknown_parameter', param: 'lenght' } });
    expect(none.said).toMatchObject({ error: { code: 'task_not_found', status: 404 } });
  });
});

const realpathOf = (name: string): Promise<string> => realpath(path.join(home.folder, name));

describe('gw mcp', () => {
  it('reads and writes files of its folder only, wherever links lead', async () => {
    const agent = await localAgent();
    await symlink('/etc/hostname', path.join(home.folder, 'link.png'));
    await writeFile(path.join(home.folder, 'notes.txt'), 'private');

    for (const args of [{ path: '../cat.png' }, { path: 'link.png' }, { path: 'notes.txt' }]) {
      expect(await agent.call('upload_asset', args)).toMatchObject({
        isError: true,
        said: { error: { code: 'invalid_parameter', param: 'path' } },
      });
    }
    const before = (await client.balance()).available_quota;
    for (const name of ['/tmp/elsewhere.mp4', '../elsewhere.mp4', '.bashrc', 'none/a.mp4']) {
      expect(await agent.call('create_video', { ...balloon, save_as: name })).toMatchObject({
        isError: true,
      });
    }
    expect((await client.balance()).available_quota).toBe(before);
  });

  it('sets quota of its budget aside before each creation, also of those that come at once', async () => {
    const agent = await localAgent(['--max-quota', String(2 * cost + cost / 2)]);

    const calls = await Promise.all(
      Array.from({ length: 6 }, () => agent.call('create_video', { ...balloon, wait_seconds: 50 })),
    );
    const made = calls.filter(({ isError }) => !isError);
    const refused = calls.filter(({ isError }) => isError);

    expect(made).toHaveLength(2);
    expect(refused.map(({ said }) => said['error'])).toEqual(
      Array.from({ length: 4 }, () => expect.objectContaining({ code: 'budget_exceeded' })),
    );
    expect(await agent.call('create_video', balloon)).toMatchObject({ isError: true });
  });

  it('gives back what a failed video had set aside', async () => {
    const agent = await localAgent(['--max-quota', String(cost)]);
    const failing = { ...balloon, prompt: '[fail] a red balloon', wait_seconds: 0 };

    const first = await agent.call('create_video', failing);
    expect(first.isError).toBe(false);
    expect(await agent.call('create_video', balloon)).toMatchObject({ isError: true });
    // Somebody else sees its end: the next creation looks.
    await client.videos.wait(String(first.said['id']));

    expect(await agent.call('create_video', balloon)).toMatchObject({ isError: false });
  });

  it('loses nothing when its client goes away in the middle', async () => {
    const agent = await localAgent();
    const metadata = { test: 'gone' };
    const call = agent.call('create_video', { ...balloon, metadata }).catch(() => undefined);
    const mine = async (): Promise<Video[]> => {
      const found: Video[] = [];
      for await (const video of client.videos.list()) {
        if (video.metadata['test'] === 'gone') found.push(video);
      }
      return found;
    };
    await eventually(async () => {
      expect(await mine()).toHaveLength(1);
    });
    process.kill(agent.pid!, 'SIGKILL');
    await call;

    const next = await localAgent();
    const { said } = await next.call('list_videos', {});
    const found = (said['data'] as Video[]).find(({ metadata: { test } }) => test === 'gone');
    const got = await next.call('get_video', {
      id: found!.id,
      wait_seconds: 50,
      save_as: 'it.mp4',
    });

    expect(got.said).toMatchObject({ status: 'succeeded' });
    expect((await readFile(path.join(home.folder, 'it.mp4'))).length).toBeGreaterThan(1_000);
    expect(await mine()).toHaveLength(1);
  });

  it('ends when its client closes its input', async () => {
    const { code } = await home.piped('', 'mcp');

    expect(code).toBe(0);
  });

  it('makes a video as a task of 2025-11-25, and puts it on disk', async () => {
    const session = tasksOf(await localAgent());

    const execution = await session.callTool(
      'create_video',
      { ...balloon, save_as: 'task.mp4' },
      { task: { preference: 'require' } },
    );
    const { outcome } = await execution.settle();

    expect(execution.kind).toBe('task');
    expect(outcome).toMatchObject({
      status: 'completed',
      result: { structuredContent: { status: 'succeeded' } },
    });
    expect((await readFile(path.join(home.folder, 'task.mp4'))).length).toBeGreaterThan(1_000);
    expect((await session.listTasks()).tasks.map(({ taskId }) => taskId)).toContain(
      execution.handle?.taskId,
    );
  });
});

describe.each(modes)('/mcp, for a client that speaks %j', (mode) => {
  it('makes a video by one call, and says how far it is', async () => {
    const agent = await remoteAgent(mode);
    const heard: unknown[] = [];

    const result = await agent.client.callTool(
      { name: 'create_video', arguments: balloon },
      { onprogress: (progress) => heard.push(progress.message) },
    );

    expect(result.structuredContent).toMatchObject({ status: 'succeeded' });
    expect(result.content).toContainEqual(
      expect.objectContaining({ type: 'resource_link', mimeType: 'video/mp4' }),
    );
    expect(heard).toContain('succeeded');
  });

  it('offers the same tools, and no files', async () => {
    const agent = await remoteAgent(mode);

    const { tools } = await agent.client.listTools();

    expect(tools.map(({ name }) => name)).toEqual(names);
    expect(JSON.stringify(tools)).not.toMatch(/save_as|"path"/);
    const data = png.toString('base64');
    expect((await agent.call('upload_asset', { data, name: 'cat.png' })).said).toMatchObject({
      kind: 'image',
      name: 'cat.png',
    });
  });
});

describe('/mcp', () => {
  it('makes a video as a task of 2025-11-25', async () => {
    const session = tasksOf(await remoteAgent());

    const execution = await session.callTool('create_video', balloon, {
      task: { preference: 'require' },
    });
    const { outcome } = await execution.settle();

    expect(outcome).toMatchObject({ status: 'completed' });
  });

  it('makes a video as a task of the extension, which another connection finds and cancels', async () => {
    const remote = { baseUrl: gateway.suite.baseUrl, headers: withKey() };
    const session = tasksOf(await remoteAgent({ pin: latest }), remote);

    const execution = await session.callTool('create_video', balloon);
    const { outcome } = await execution.settle();
    // The vendor takes nothing for a while, so that it can still be cancelled.
    const slow = await session.callTool('create_video', {
      ...balloon,
      prompt: '[rate-limited] a red balloon',
    });
    const other = tasksOf(await remoteAgent({ pin: latest }), remote);
    const taskId = slow.handle!.taskId;
    await other.cancelTask(taskId);

    expect([execution.kind, slow.kind]).toEqual(['task', 'task']);
    expect(outcome).toMatchObject({
      status: 'completed',
      result: { structuredContent: { status: 'succeeded' } },
    });
    await eventually(async () => {
      expect(await other.task(taskId).snapshot()).toMatchObject({ status: 'cancelled' });
    });
    await slow.close();
  });
});
