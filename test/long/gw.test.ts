/** @workers 3: it promises no times. */
import { createHash } from 'node:crypto';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { GatewayClient, verifyCallback, type Video } from '@gateway/client';
import { eventually as soon, openReceiver } from '@gateway/testing';
import { openFaultProxy, type FaultProxy } from '../e2e/fault-proxy.ts';
import { openHome, type Home } from './gw-command.ts';
import { openSuite, posters, type Customer, type SuiteUnderTest } from '../e2e/harness.ts';

let gateway: SuiteUnderTest;
let proxy: FaultProxy;
let customer: Customer;
let client: GatewayClient;
let home: Home;

beforeAll(async () => {
  proxy = await openFaultProxy();
  // Signed addresses lead through the proxy too.
  gateway = await openSuite({
    moreEnv: { api: { PUBLIC_BASE_URL: proxy.url }, 'video-worker': posters },
  });
  proxy.leadTo(gateway.suite.baseUrl);
  customer = await gateway.aCustomer(1_000_000);
  client = new GatewayClient({ baseUrl: gateway.suite.baseUrl, apiKey: customer.apiKey });
});
afterAll(async () => {
  await gateway.close();
  await proxy.close();
});
beforeEach(async () => {
  proxy.seen.length = 0;
  home = await openHome({ GW_BASE_URL: proxy.url, GW_API_KEY: customer.apiKey });
});
afterEach(() => home.close());

/** A busy machine may need seconds to start a process. */
const eventually = <Value>(moment: () => Value | Promise<Value>): Promise<Value> =>
  soon(moment, { withinMs: 45_000, everyMs: 10 });
const short = ['--duration', '4', '--resolution', '480p'];
const cost = 4 * 60;
const sha256 = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex');
const inFolder = (name: string): string => path.join(home.folder, name);
const madeOf = async (prompt: string): Promise<Video[]> => {
  const all: Video[] = [];
  for await (const video of client.videos.list()) {
    if (video.metadata['test'] === prompt) all.push(video);
  }
  return all;
};
/** A command for a video that can be found again by its name. */
const balloon = (name: string, ...more: string[]): string[] => [
  'video',
  'a red balloon',
  '--metadata',
  `test=${name}`,
  '-o',
  `${name}.mp4`,
  ...short,
  ...more,
];
const available = async (): Promise<number> => (await client.balance()).available_quota;
const contentReads = (): number =>
  proxy.seen.filter(({ call }) => call.startsWith('GET') && call.includes('/content')).length;
/** Of the file of a video, without its bytes. */
const etagOf = async (id: string): Promise<string> =>
  (await client.videos.download(id, { offset: 1 })).etag;
const calls = (part: string): number => proxy.seen.filter(({ call }) => call.includes(part)).length;

describe('gw video', () => {
  it('says what it costs, makes a video, puts it on disk and says what was charged', async () => {
    const { code, stdout, stderr } = await home.gw(...balloon('whole'));

    expect({ code, stderr }).toMatchObject({ code: 0 });
    expect(stderr).toContain(`4 s with sandbox-video cost at most ${cost} quota;`);
    expect(stderr).toContain('rendering\n');
    expect(stdout).toContain(`held ${cost} quota, charged ${cost}`);
    const [made] = await madeOf('whole');
    const file = await readFile(inFolder('whole.mp4'));
    expect(file.subarray(4, 8).toString()).toBe('ftyp');
    expect(await etagOf(made!.id)).toBe(`"${sha256(file)}"`);
    expect(await home.remembered()).toEqual([]);
    expect(await readdir(home.folder)).not.toContainEqual(expect.stringContaining('.part'));
    expect(`${stdout}${stderr}`).not.toContain('\u001B');
  });

  it('has a bar and colours on a terminal', async () => {
    const { code, stdout } = await home.onTerminal(...balloon('terminal'));

    expect({ code, stdout }).toMatchObject({ code: 0 });
    expect(stdout).toMatch(/\r\u001B\[K\[[.#]{24}\] rendering, \d+ s/);
    expect(stdout).toContain('[########################] downloading terminal.mp4');
    expect(stdout).toContain('\u001B[32mterminal.mp4\u001B[0m');
  });

  it('prints JSON alone on standard output, and only the price with --quote', async () => {
    const quote = await home.json('video', 'a balloon', ...short, '--quote');
    const made = await home.json(...balloon('json'));

    expect(quote).toMatchObject({ code: 0, data: { portal_billing: { max_billing_quota: cost } } });
    expect(made).toMatchObject({ code: 0, data: { status: 'succeeded', file: 'json.mp4' } });
    expect(proxy.seen.filter(({ call }) => call === 'POST /v1/videos')).toHaveLength(1);
    expect(await madeOf('json')).toHaveLength(1);
  });

  it('makes a video from a picture, which it uploads once', async () => {
    const pixel =
      'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
    await writeFile(inFolder('cat.png'), Buffer.from(pixel, 'base64'));

    const first = await home.gw(...balloon('cat', '--first-frame', 'cat.png'));
    const second = await home.gw(...balloon('cat', '--first-frame', 'cat.png'));

    expect([first.code, second.code, first.stderr]).toEqual([0, 0, expect.any(String)]);
    expect(await madeOf('cat')).toHaveLength(2);
    expect(calls('POST /v1/assets')).toBe(1);
  });

  it('ends with a code of its own where there is no video, and charges nothing', async () => {
    const before = await available();
    const failed = await home.gw('video', '[fail] a balloon', ...short);

    expect(failed.code).toBe(6);
    expect(failed.stderr).toMatch(/video_\w+ failed: .+\nheld \d+ quota, charged 0/);
    await eventually(async () => {
      expect(await available()).toBe(before);
    });
    expect(await home.remembered()).toEqual([]);
  });

  it.each([
    ['a wrong key', ['balance'], 3, { GW_API_KEY: 'sk-gw-wrong' }],
    ['a price above the limit', ['video', 'x', ...short, '--max-quota', '10'], 4, {}],
    ['a field that the gateway refuses', ['video', 'x', '--duration', '600'], 1, {}],
    ['a mistyped option', ['video', 'x', '--durration', '5'], 2, {}],
    ['a folder that is not there', ['video', 'x', '-o', 'none/x.mp4'], 2, {}],
    ['a picture that is not there', ['video', 'x', '--image', 'none.png'], 2, {}],
    ['nobody at the address', ['balance'], 5, { GW_BASE_URL: 'http://127.0.0.1:9' }],
    ['an address that is none', ['balance'], 2, { GW_BASE_URL: 'localhost' }],
  ] as const)('for %s ends with its code', async (_what, args, expected, env) => {
    const other = await openHome({ GW_BASE_URL: proxy.url, GW_API_KEY: customer.apiKey, ...env });
    try {
      const { code, stdout, stderr } = await other.gw(...args);

      expect({ code, stdout, stderr }).toMatchObject({ code: expected, stdout: '' });
      expect(stderr).toMatch(/gw: .+\n$/);
      expect(stderr).not.toContain('    at ');
      expect(await other.remembered()).toEqual([]);
    } finally {
      await other.close();
    }
  });
});

describe('gw video, killed and started again, goes on with the same video and pays once', () => {
  /** Kills gw once this holds, starts it again, and looks at what there is then. */
  const killedWhen = async (name: string, moment: () => unknown): Promise<string> => {
    const before = await available();
    const running = home.start(...balloon(name));
    await eventually(moment);
    running.child.kill('SIGKILL');
    expect((await running.ended).code).toBeNull();

    const { code, stderr } = await home.gw(...balloon(name));

    expect({ code, stderr }).toMatchObject({ code: 0 });
    const [made, ...others] = await madeOf(name);
    expect(others).toEqual([]);
    const file = await readFile(inFolder(`${name}.mp4`));
    expect(await etagOf(made!.id)).toBe(`"${sha256(file)}"`);
    await eventually(async () => {
      expect(await available()).toBe(before - cost);
    });
    expect(await home.remembered()).toEqual([]);
    return stderr;
  };
  const sees = (part: string) => (): void => {
    expect(calls(part)).toBeGreaterThan(0);
  };

  it('while the gateway has made it and nobody has been told', async () => {
    proxy.spoil('POST /v1/videos', { kind: 'pass' }, { kind: 'stall', afterBytes: 10 });

    const stderr = await killedWhen('told', async () => {
      expect(await madeOf('told')).toHaveLength(1);
    });

    expect(stderr).toContain('asking for the same video');
    const keys = proxy.seen
      .filter(({ call }) => call === 'POST /v1/videos')
      .map(({ headers }) => headers['idempotency-key']);
    expect(keys).toHaveLength(2);
    expect(new Set(keys).size).toBe(1);
  });

  it('while it waits', async () => {
    const stderr = await killedWhen('waits', sees('/events'));

    expect(stderr).toMatch(/Going on with video_\w+/);
    expect(proxy.seen.filter(({ call }) => call === 'POST /v1/videos')).toHaveLength(1);
  });

  it('while it downloads, from where it was', async () => {
    proxy.spoil('/content', { kind: 'stall', afterBytes: 1_000 });

    await killedWhen('downloads', async () => {
      const parts = (await readdir(home.folder)).filter((name) => name.endsWith('.part'));
      expect(await readFile(inFolder(parts[0]!))).toHaveLength(1_000);
    });

    const ranges = proxy.seen
      .filter(({ call }) => call.startsWith('GET') && call.includes('/content'))
      .map(({ headers }) => headers.range);
    expect(ranges).toEqual([undefined, 'bytes=1000-']);
  });

  it('in its last moment, and finds the file on disk', async () => {
    const begun = home.start(...balloon('last'));
    await eventually(sees('/events'));
    begun.child.kill('SIGKILL');
    await begun.ended;
    const [name] = await home.remembered();
    const state = inFolder(path.join('.local/state/gw/videos', name!));
    const remembered = await readFile(state);
    expect((await home.gw(...balloon('last'))).code).toBe(0);

    // As it was before the last thing that the run has done.
    await writeFile(state, remembered);
    const { code, stdout } = await home.gw(...balloon('last'));

    expect({ code, stdout }).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('last.mp4'),
    });
    expect(await madeOf('last')).toHaveLength(1);
    expect(await home.remembered()).toEqual([]);
    expect(contentReads()).toBe(1);
  });

  it('and says how, when it is interrupted', async () => {
    const slow = ['video', '[rate-limited] a balloon', ...short];
    const running = home.start(...slow);
    await eventually(sees('/events'));
    running.child.kill('SIGINT');
    const { code, stderr } = await running.ended;

    expect(code).toBe(130);
    const [, id] = /(video_\w+) goes on without you: the same command fetches it/.exec(stderr)!;
    expect(await home.remembered()).toHaveLength(1);
    expect((await home.gw('videos', 'cancel', id!)).code).toBe(0);
    expect((await home.gw(...slow)).code).toBe(6);
    expect(await home.remembered()).toEqual([]);
  });
});

describe('gw videos, models, usage and balance', () => {
  it('list, show, fetch and delete', async () => {
    const created = await home.gw('video', 'a boat', ...short, '--no-wait', '--return-last-frame');
    const id = created.stdout.trim();
    await client.videos.wait(id);

    expect((await home.gw('videos', 'list', '-n', '1')).stdout).toContain(id);
    expect(await home.json('videos', 'list', '--status', 'succeeded', '-n', '1')).toMatchObject({
      data: [{ id, status: 'succeeded' }],
    });
    expect((await home.gw('videos', 'get', id)).stdout).toContain(`charged ${cost}`);
    expect(await home.json('videos', 'download', id, '--last-frame')).toMatchObject({
      code: 0,
      data: { file: `${id}.png` },
    });
    expect(await home.json('videos', 'download', id, '--poster')).toMatchObject({
      code: 0,
      data: { file: `${id}.jpg` },
    });
    expect((await home.gw('videos', 'download', id, '--poster', '--last-frame')).code).toBe(2);
    expect((await home.gw('videos', 'delete', id)).code).toBe(0);
    const gone = await home.gw('videos', 'get', id, '--json');
    expect(gone.code).toBe(1);
    expect(JSON.parse(gone.stdout)).toMatchObject({ error: { code: 'task_not_found' } });
  });

  it('show models, usage and balance', async () => {
    expect((await home.gw('models', '--kind', 'video')).stdout).toMatch(/^sandbox-video +video/m);
    expect((await home.gw('models', '--kind', 'video')).stdout).not.toContain('sandbox-chat');
    expect((await home.gw('models')).stdout).toMatch(/^sandbox-chat +text/m);
    expect((await home.gw('usage')).stdout).toMatch(/^DAY +MODEL/);
    expect(await home.json('usage')).toMatchObject({ code: 0, data: { object: 'list' } });
    expect((await home.gw('balance')).stdout).toMatch(/^[\d,]+ available/);
  });

  it('work after a login, with the key that was kept', async () => {
    const own = await openHome({});
    try {
      expect(await own.gw('balance')).toMatchObject({ code: 3 });
      const wrong = await own.piped('sk-gw-wrong\n', 'login', '--url', proxy.url);
      expect(wrong.code).toBe(3);
      const login = await own.piped(`${customer.apiKey}\n`, 'login', '--url', `${proxy.url}/`);
      expect(login).toMatchObject({ code: 0 });
      expect(`${login.stdout}${login.stderr}`).not.toContain(customer.apiKey);
      expect(await own.gw('balance')).toMatchObject({ code: 0 });
      expect(await own.gw('logout')).toMatchObject({ code: 0 });
      expect(await own.gw('balance')).toMatchObject({ code: 3 });
    } finally {
      await own.close();
    }
  });
});

describe('gw chat', () => {
  it.each([
    ['chat', 'sandbox-chat'],
    ['chat', 'sandbox-messages'],
    ['messages', 'sandbox-chat'],
    ['messages', 'sandbox-messages'],
  ])('in the %s dialect with %s writes a text', async (dialect, model) => {
    const asked = ['chat', 'Say hello.', '-m', model, '--dialect', dialect];
    const { code, stdout, stderr } = await home.gw(...asked);
    const asJson = await home.json(...asked);

    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout.trim().length).toBeGreaterThan(3);
    expect(asJson).toMatchObject({
      data: {
        model,
        text: stdout.trimEnd(),
        stop_reason: expect.stringMatching(/^(stop|end_turn)$/),
        usage: { input_tokens: expect.any(Number), output_tokens: expect.any(Number) },
      },
    });
  });

  it('takes the prompt from a pipe, and refuses an empty one', async () => {
    expect(await home.piped('Say hello.', 'chat')).toMatchObject({ code: 0 });
    expect(await home.piped('', 'chat')).toMatchObject({ code: 2 });
  });

  it('does not take a text that broke off for whole', async () => {
    proxy.spoil('POST /v1/chat/completions', { kind: 'cut', afterBytes: 300 });

    const { code, stderr } = await home.gw('chat', 'Say hello.');

    expect({ code, stderr }).toMatchObject({ code: 5 });
    expect(calls('POST /v1/chat/completions')).toBe(1);
  });
});

describe('gw callbacks', () => {
  const listening = async (...args: string[]) => {
    const running = home.start(
      ...['callbacks', 'listen', '--port', '0', '--secret', customer.callbackSecret, ...args],
    );
    const url = await eventually(() => {
      const [, found] = /--callback-url (http:\S+)/.exec(running.printed()) ?? [];
      expect(found).toBeDefined();
      return found!;
    });
    return { running, url };
  };

  it('listen: receives, checks and shows pushes, also one that is delivered again', async () => {
    const { running, url } = await listening();
    const made = await home.json('video', 'a boat', ...short, '--callback-url', url);
    const { id } = made.data as Video;
    const shown = (status: string): number =>
      running
        .printed()
        .split('\n')
        .filter((line) => line.includes(id) && line.includes(status)).length;
    await eventually(() => {
      expect([shown('queued'), shown('running'), shown('succeeded')]).toEqual([1, 1, 1]);
    });
    expect(running.printed()).toContain('challenge, answered');

    expect((await home.gw('callbacks', 'redeliver', id)).code).toBe(0);
    await eventually(() => {
      expect(shown('succeeded')).toBe(2);
    });
    expect((await home.gw('callbacks', 'log', id)).stdout).toMatch(/succeeded +1 +success +204/);

    const forged = await fetch(url, { method: 'POST', body: '{"id":"video_x"}' });
    expect(forged.status).toBe(400);
    await eventually(() => {
      expect(running.printed()).toContain('refused: The message has no header webhook-id');
    });
    running.child.kill('SIGINT');
    expect((await running.ended).code).toBe(0);
  });

  it('listen --forward: passes genuine pushes on, and their responses back', async () => {
    const receiver = await openReceiver();
    const { running, url } = await listening('--forward', receiver.url, '--json');
    try {
      const made = await home.json('video', 'a boat', ...short, '--callback-url', url);
      const { id } = made.data as Video;

      await eventually(() => {
        expect(receiver.pushes().map(({ body }) => [body.id, body.status])).toContainEqual([
          id,
          'succeeded',
        ]);
      });
      const { body, headers } = receiver.received[0]!;
      expect(await verifyCallback({ body, headers }, customer.callbackSecret)).toMatchObject({
        type: 'url_verification',
      });
      const [first] = running
        .printed()
        .split('\n')
        .filter((line) => line.startsWith('{'));
      expect(JSON.parse(first!)).toMatchObject({ kind: 'message' });
      const before = receiver.received.length;
      await fetch(url, { method: 'POST', body: '{"id":"video_x"}' });
      expect(receiver.received).toHaveLength(before);
    } finally {
      running.child.kill('SIGINT');
      await running.ended;
      await receiver.close();
    }
  });
});
