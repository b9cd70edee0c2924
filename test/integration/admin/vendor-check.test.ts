import { readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { parse as parseYaml } from 'yaml';
import { openConfiguration } from '@gateway/runtime';
import { startSandboxVendor, type RunningSandbox } from '@gateway/sandbox-vendor';
import { openPeer, openTestDatabase, type Peer, type TestDatabase } from '@gateway/testing';
import { videoVendors } from '@gateway/video-providers';
import {
  UsageError,
  type CommandPorts,
  type CommandResult,
} from '../../../services/admin/src/command.ts';
import { portsOf } from '../../../services/admin/src/ports.ts';
import { parse } from '../../../services/admin/src/run.ts';
import { startScriptedVendor, type ScriptedVendor } from '../../contracts/scripted-vendor.ts';
import { anMp4 } from '../media/mp4-files.ts';
import { arkScript, arkTask } from '../video-providers/ark-script.ts';

const sample = path.resolve(import.meta.dirname, '../../../config/gateway.yaml');
const configured = parseYaml(readFileSync(sample, 'utf8')) as {
  providers: Record<string, { kind: string }>;
};
const simulated = Object.entries(configured.providers)
  .filter(([, { kind }]) => kind in videoVendors)
  .map(([name]) => name);

let test: TestDatabase;
let sandbox: RunningSandbox;
beforeAll(async () => {
  test = await openTestDatabase();
  sandbox = await startSandboxVendor({});
});
afterAll(async () => {
  await sandbox.stop();
  await test.close();
});

/** What was said while the command ran. */
const said: string[] = [];
async function check(
  file: string,
  environment: Record<string, string>,
  args: readonly string[],
  more: Partial<CommandPorts> = {},
): Promise<CommandResult> {
  const parsed = parse(['vendor', 'check', ...args]);
  if (parsed.kind === 'help') throw new Error('this is a help page');
  said.length = 0;
  const ports = portsOf({
    settings: {
      DATABASE_URL: test.url,
      CALLBACK_SECRET_KEYS: '',
      QUEUE_PREFIX: 'unused',
      GATEWAY_CONFIG: file,
      INGEST_ALLOW_CIDRS: '127.0.0.0/8',
      INGEST_ALLOW_HTTP: true,
    },
    database: test.database,
    loadConfiguration: (at) => openConfiguration({ path: at, environment, videoVendors }).current(),
  });
  return parsed.run({ ...ports, say: (line) => said.push(line), ...more });
}

interface Step {
  readonly step: string;
  readonly status: string;
  readonly detail: string;
}
const stepsOf = ({ data }: CommandResult): Step[] => (data as { steps: Step[] }).steps;
const differing = (result: CommandResult): string[] =>
  stepsOf(result)
    .filter(({ status }) => status === 'differs')
    .map(({ step, detail }) => `${step}: ${detail}`);

describe('npm run admin -- vendor check', () => {
  const environment = () => ({ SANDBOX_URL: sandbox.url, SANDBOX_API_KEY: sandbox.apiKey });

  it.each(simulated)(
    'makes a video at the simulator of %s, and finds nothing different',
    async (name) => {
      const result = await check(sample, environment(), [name, '--spend']);

      expect(differing(result)).toEqual([]);
      expect(result.ok).toBe(true);
      expect(
        stepsOf(result)
          .filter(({ status }) => status === 'ok')
          .map(({ step }) => step),
      ).toEqual(expect.arrayContaining(['creation', 'poll', 'file']));
      expect(said[0]).toMatch(new RegExp(`^asks ${name} for one video: .* s, .*, a text alone`));
      expect(result.lines.at(-1)).toBe(
        `${name} does what its adapter expects, as far as this went`,
      );
    },
  );

  it('asks for nothing without --spend, and says what it would ask for', async () => {
    const before = await tasksAt(sandbox);

    const refused = check(sample, environment(), ['sandbox']);

    await expect(refused).rejects.toThrow(UsageError);
    await expect(refused).rejects.toThrow(
      /asks sandbox for one video: sandbox-video .*4 s, 480p.*\n.*not known.*\n.*add --spend/,
    );
    expect(await tasksAt(sandbox)).toBe(before);
  });

  it.each([
    [['nobody', '--spend'], /no provider of videos named nobody/],
    [['sandbox-chat', '--spend'], /no provider of videos named sandbox-chat/],
    [['sandbox', '--spend', '--model', 'other'], /sandbox has no model named other/],
    [['sandbox', '--spend', '--minutes', '0'], /--minutes must be/],
  ])('refuses %j', async (args, message) => {
    await expect(check(sample, environment(), args)).rejects.toThrow(message);
  });
});

const tasksAt = async ({ url }: RunningSandbox): Promise<number> =>
  ((await (await fetch(`${url}/control/tasks`)).json()) as { tasks: unknown[] }).tasks.length;

const id = 'cgt-20260101000000-abcde';

describe('a vendor that has changed', () => {
  let vendor: ScriptedVendor;
  let files: Peer;
  let folder: string;
  let film: Buffer;
  beforeEach(async () => {
    vendor = await startScriptedVendor(arkScript.callOf);
    film = await anMp4(24);
    files = await openPeer((_received, response) => {
      response.writeHead(200, { 'content-type': 'text/html' }).end(film);
    });
    folder = await mkdtemp(path.join(os.tmpdir(), 'gateway-vendor-check-'));
    await writeFile(
      path.join(folder, 'gateway.yaml'),
      `limits: { default_key: { requests_per_minute: 10, concurrent_requests: 10 } }
providers:
  ark: { kind: ark, base_url: "${vendor.url}${arkScript.basePath}", api_key: "\${KEY}", poll_seconds: { first: 0.05, max: 0.05 } }
models:
  dear: { kind: video, provider: ark, upstream_model: dear, second_quota: 90, cost: { currency: USD, output_second: "0.5" }, duration: { min: 4, max: 12, default: 5 }, resolution: { allowed: [480p], default: 480p }, ratio: { allowed: ["16:9"], default: "16:9" } }
  cheap: { kind: video, provider: ark, upstream_model: cheap, second_quota: 10, cost: { currency: USD, output_second: { 480p: "0.1", 720p: "0.05" } }, duration: { min: 4, max: 12, default: 5 }, resolution: { allowed: [480p, 720p], default: 480p }, ratio: { allowed: [adaptive, "1:1"], default: adaptive } }
`,
    );
    vendor.on('list', arkScript.list([]));
    vendor.on('create', arkScript.create.accepted(id));
  });
  afterEach(async () => {
    await vendor.stop();
    await files.close();
    await rm(folder, { recursive: true });
  });
  const run = (args: readonly string[] = [], more: Partial<CommandPorts> = {}) =>
    check(
      path.join(folder, 'gateway.yaml'),
      { KEY: 'secret-of-the-vendor' },
      ['ark', '--spend', ...args],
      more,
    );

  it('is asked for the cheapest video, and each difference is told', async () => {
    vendor.on(
      'poll',
      arkTask(id, { status: 'dreaming' }),
      arkTask(id, {
        status: 'succeeded',
        content: { video_url: `${files.url}/film.mp4` },
        duration: 9,
        resolution: '720p',
      }),
    );

    const result = await run();

    expect(said).toEqual([
      'asks ark for one video: cheap (cheap), 4 s, 720p, 1:1, a text alone, no sound, with its last frame',
      'it is likely to cost 0.2 USD',
    ]);
    const [created] = vendor.seen.filter(({ method }) => method === 'POST');
    expect(JSON.parse(created?.body ?? '')).toMatchObject({
      model: 'cheap',
      duration: 4,
      ratio: '1:1',
      resolution: '720p',
      generate_audio: false,
    });
    expect(result.ok).toBe(false);
    expect(differing(result)).toEqual([
      expect.stringMatching(/^look-up: not found by our name for it: none/),
      'poll: unknown status: dreaming',
      expect.stringMatching(/^batch poll: says nothing of the task/),
      'reported length: 9, and 4 was asked for',
      expect.stringMatching(
        /^file: mp4 .*its type is text\/html; 4 s were asked for; the vendor reports 9 s/,
      ),
      'last frame: it was asked for, and the vendor gave none',
    ]);
    expect(result.lines.join('\n')).not.toContain('secret-of-the-vendor');
  });

  it('that refuses is told, and left alone', async () => {
    vendor.on('create', arkScript.create.accountUnusable);

    const result = await run();

    expect(differing(result)).toEqual([
      expect.stringMatching(/^creation: unavailable: HTTP 403 .*AccountOverdueError/),
    ]);
    expect([vendor.count('create'), vendor.count('poll')]).toEqual([1, 0]);
  });

  it('that gives no file is told', async () => {
    vendor.on('poll', arkScript.task.succeeded(id, `${vendor.url}/nothing.mp4`));

    expect(differing(await run(['--model', 'dear']))).toContainEqual(
      expect.stringMatching(/^file: cannot be had: /),
    );
  });

  it('whose response to the creation is lost is asked what it has, and the rest is said', async () => {
    vendor.on('create', 'drop');

    const result = await run();

    expect(differing(result)).toEqual([expect.stringMatching(/^creation: unknown/)]);
    expect(result.lines).toContainEqual(
      expect.stringMatching(
        /^LEFT at ark: it is not known whether .* sent with check_[0-9a-f]{24}$/,
      ),
    );
    expect(vendor.count('create')).toBe(1);
  });

  it('listens to Ctrl-C while it is checked, and no longer', async () => {
    const listeners = (): number => process.listenerCount('SIGINT');
    const before = listeners();
    let during = before;
    vendor.on('create', 'drop');

    await run([], {
      showProgress: () => {
        during = Math.max(during, listeners());
      },
    });

    expect([during, listeners()]).toEqual([before + 1, before]);
  });

  it('has a task left when somebody presses Ctrl-C, and says which', async () => {
    const pressed = new AbortController();
    vendor.on('poll', arkScript.task.running(id));

    const result = await run([], {
      untilInterrupted: (work) => work(pressed.signal),
      showProgress: (line) => {
        if (line.startsWith(id)) pressed.abort();
      },
    });

    expect(result.ok).toBe(false);
    expect(result.lines).toContainEqual(
      expect.stringMatching(`^LEFT at ark: task ${id}, sent with check_`),
    );
  });
});
