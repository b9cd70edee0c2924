/** @workers 3: it promises no times. */
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cp, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Webhook } from 'standardwebhooks';
import blankSpace from 'ts-blank-space';
import { openFaultProxy, type FaultProxy } from '../e2e/fault-proxy.ts';
import { openSuite, type Customer, type SuiteUnderTest } from '../e2e/harness.ts';
import { chromiumPath, openChromium } from './browser/chromium.ts';
import { inspectorIn, installRuntimes, nodeIn, workerdIn } from './runtimes/install.ts';
import type { journey, Settings } from './runtimes/journey.ts';

const run = promisify(execFile);
const root = path.resolve(import.meta.dirname, '../..');
const gw = path.join(root, 'packages/cli/bin/gw.mjs');
const packages = await installRuntimes();
/** Beside the version that runs the tests. */
const nodes = [22, 24, 26].map((major) => ({ major, node: nodeIn(packages, major) }));
const hasNodes = nodes.every(({ node }) => node !== undefined);
const chromium = chromiumPath ?? 'Chromium, which is not on this machine';

let gateway: SuiteUnderTest;
let customer: Customer;
let proxy: FaultProxy;
/** The client and the journey, as the web and workers load them: files beside each other. */
let folder: string;
let pages: Server;
const pagesUrl = (): string => `http://127.0.0.1:${(pages.address() as AddressInfo).port}`;

beforeAll(async () => {
  folder = await mkdtemp(path.join(os.tmpdir(), 'gateway-client-runtimes-'));
  await cp(path.join(root, 'packages/client/dist'), path.join(folder, 'client'), {
    recursive: true,
  });
  const journey = await readFile(path.join(import.meta.dirname, 'runtimes/journey.ts'), 'utf8');
  await writeFile(path.join(folder, 'journey.js'), blankSpace(journey));
  pages = await servePages(folder);
  proxy = await openFaultProxy();
  gateway = await openSuite({
    // Signed addresses lead through the proxy too.
    moreEnv: { api: { PUBLIC_BASE_URL: proxy.url, CORS_ORIGINS: pagesUrl() } },
  });
  proxy.leadTo(gateway.suite.baseUrl);
  customer = await gateway.aCustomer(1_000_000);
}, 120_000);
afterAll(async () => {
  await gateway.close();
  await proxy.close();
  pages.closeAllConnections();
  pages.close();
  await rm(folder, { recursive: true, force: true });
});

/** A page of another origin than the gateway's, and the modules that it loads. */
async function servePages(from: string): Promise<Server> {
  const server = createServer((request, response) => {
    const { pathname } = new URL(request.url ?? '/', 'http://pages.test');
    if (pathname.endsWith('.js')) {
      void readFile(path.join(from, pathname)).then((source) => {
        response.setHeader('content-type', 'text/javascript');
        response.end(source);
      });
    } else {
      response.setHeader('content-type', 'text/html');
      response.end('<!doctype html><title>A page</title>');
    }
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return server;
}

const secret = `whsec_${Buffer.alloc(32, 5).toString('base64')}`;

/** What a runtime is told; meanwhile one response to a creation is lost, and one download breaks off. */
function settingsFor(runtime: string): Settings {
  proxy.spoil('POST /v1/videos', { kind: 'pass' }, { kind: 'lose response' });
  proxy.spoil('/content', { kind: 'cut', afterBytes: 1_000 });
  const at = new Date();
  const body = JSON.stringify({ id: 'video_1', object: 'video', status: 'running', note: 'ü' });
  const headers = {
    'webhook-id': 'msg_1',
    'webhook-timestamp': String(Math.floor(at.getTime() / 1_000)),
    'webhook-signature': new Webhook(secret).sign('msg_1', at, body),
  };
  const { apiKey } = customer;
  return { baseUrl: proxy.url, apiKey, runtime, push: { body, headers, secret } };
}

const asExpected: Awaited<ReturnType<typeof journey>> = {
  made: { most: 4 * 60, isForward: true, last: 'succeeded', videos: 1 },
  file: { isWhole: true, isRest: true, hasReceipt: true, another: 'FileChangedError' },
  asset: { kind: 'image', name: 'cat.png', isAllSent: true },
  ends: { status: 'cancelled', aborted: 'enough' },
  refused: { code: 'invalid_parameter', param: 'duration', hasRequestId: true },
  text: 'streamed',
  genuine: { id: 'video_1', object: 'video', status: 'running', note: 'ü' },
  forged: 'SignatureError',
  receiptKeys: 1,
};

const inNode = `
  import * as sdk from './client/index.js';
  import { journey } from './journey.js';
  console.log(JSON.stringify(await journey(sdk, JSON.parse(process.argv[2]))));`;
const inWorker = `
  import * as sdk from './client/index.js';
  import { journey } from './journey.js';
  export default {
    fetch: async (request) => Response.json(await journey(sdk, await request.json())),
  };`;

describe('the client', () => {
  for (const { major, node } of nodes) {
    (node === undefined ? it.skip : it)(
      `does everything in Node ${major}${node === undefined ? ', which is not to be had here' : ''}`,
      async () => {
        const file = path.join(folder, 'node.mjs');
        await writeFile(file, inNode);

        const { stdout } = await run(node!, [file, JSON.stringify(settingsFor(`node ${major}`))]);

        expect(JSON.parse(stdout)).toEqual(asExpected);
      },
    );
  }

  (chromiumPath === undefined ? it.skip : it)(
    `does everything in a page of another origin in ${chromium}`,
    async () => {
      const browser = await openChromium();
      try {
        const page = await browser.newPage();
        await page.goto(pagesUrl());
        const settings = JSON.stringify(settingsFor('chromium'));

        const report: unknown = await page.evaluate(`Promise.all([
          import('/client/index.js'), import('/journey.js'),
        ]).then(([sdk, { journey }]) => journey(sdk, ${settings}))`);

        expect(report).toEqual(asExpected);
      } finally {
        await browser.close();
      }
    },
  );

  it('does everything in workerd', async () => {
    await writeFile(path.join(folder, 'worker.js'), inWorker);
    await writeFile(path.join(folder, 'workerd.capnp'), await workerdSettings());
    const program = await workerdIn(packages);
    const worker = spawn(program, ['serve', 'workerd.capnp', '--control-fd=3'], {
      cwd: folder,
      stdio: ['ignore', 'inherit', 'inherit', 'pipe'],
    });
    try {
      const [said] = (await once(
        createInterface(worker.stdio[3] as NodeJS.ReadableStream),
        'line',
      )) as [string];
      const { port } = JSON.parse(said) as { readonly port: number };

      const response = await fetch(`http://127.0.0.1:${port}/`, {
        method: 'POST',
        body: JSON.stringify(settingsFor('workerd')),
      });

      expect(await response.json()).toEqual(asExpected);
    } finally {
      worker.kill('SIGKILL');
      await once(worker, 'exit');
    }
  });
});

/** One worker of these modules, which may reach this machine. */
async function workerdSettings(): Promise<string> {
  const client = (await readdir(path.join(folder, 'client')))
    .filter((name) => name.endsWith('.js'))
    .map((name) => `client/${name}`);
  const modules = ['worker.js', 'journey.js', ...client].map(
    (name) => `(name = "${name}", esModule = embed "${name}")`,
  );
  return `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [
    (name = "main", worker = .main),
    (name = "internet", network = (allow = ["private", "local"])),
  ],
  sockets = [(name = "http", address = "127.0.0.1:0", http = (), service = "main")],
);
const main :Workerd.Worker = (compatibilityDate = "2025-01-01", modules = [${modules.join(', ')}]);
`;
}

describe('the inspector of MCP, with strict schemas,', () => {
  /** What it prints of one call, in a home of its own. */
  const inspect = async (...args: readonly string[]): Promise<unknown> => {
    const { stdout } = await run(nodes[1]!.node!, [inspectorIn(packages), '--cli', ...args], {
      env: { PATH: process.env['PATH'], HOME: folder },
      cwd: folder,
    });
    return JSON.parse(stdout);
  };
  const aVideo = [
    ...['--method', 'tools/call', '--tool-name', 'create_video'],
    ...['--tool-arg', 'prompt=a red balloon', 'duration=4', 'resolution=480p'],
  ];
  const servers: readonly [string, () => readonly string[], readonly string[], object][] = [
    [
      'gw mcp',
      () => [
        ...[nodes[2]!.node!, gw, 'mcp'],
        ...['-e', `GW_BASE_URL=${gateway.suite.baseUrl}`, '-e', `GW_API_KEY=${customer.apiKey}`],
      ],
      ['save_as=balloon.mp4'],
      { file: expect.stringMatching(/balloon\.mp4$/) },
    ],
    [
      '/mcp',
      () => [
        `${gateway.suite.baseUrl}/mcp`,
        ...['--header', `Authorization: Bearer ${customer.apiKey}`],
      ],
      [],
      {},
    ],
  ];

  (hasNodes ? it : it.skip).each(servers)(
    'finds nothing wrong with the tools of %s, and makes a video with them',
    async (_name, server, more, expected) => {
      const [tools, made] = await Promise.all([
        inspect(...server(), '--method', 'tools/list', '--strict'),
        inspect(...server(), ...aVideo, ...more),
      ]);

      expect(tools).toMatchObject({
        tools: expect.arrayContaining([expect.objectContaining({ name: 'create_video' })]),
      });
      expect(made).toMatchObject({ structuredContent: { status: 'succeeded', ...expected } });
    },
  );
});
