/** @workers 3: it promises no times. */
import { execFile, spawnSync } from 'node:child_process';
import { copyFile, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import createClient from 'openapi-fetch';
import { eventually } from '@gateway/testing';
import type { paths } from '../../packages/client/src/schema.ts';
import { openSuite, type Customer, type SuiteUnderTest } from '../e2e/harness.ts';
import { hasPython, installPackages } from './python.ts';

const run = promisify(execFile);
const sources = path.join(import.meta.dirname, 'generated-clients');
const goCache = path.resolve(import.meta.dirname, '../../.cache/go-clients');
const oapiCodegen = 'github.com/oapi-codegen/oapi-codegen/v2/cmd/oapi-codegen@v2.8.2';
const goRuntime = 'github.com/oapi-codegen/runtime@v1.8.0';

let gateway: SuiteUnderTest;
let customer: Customer;
let folder: string;
let documentFile: string;
beforeAll(async () => {
  gateway = await openSuite();
  customer = await gateway.aCustomer(100_000);
  folder = await mkdtemp(path.join(os.tmpdir(), 'gateway-generated-clients-'));
  documentFile = path.join(folder, 'video.json');
  const response = await fetch(`${gateway.suite.baseUrl}/openapi/video.json`);
  await writeFile(documentFile, await response.text());
});
afterAll(async () => {
  await gateway.close();
  await rm(folder, { recursive: true, force: true });
});

const environment = (more: NodeJS.ProcessEnv = {}): NodeJS.ProcessEnv => ({
  PATH: process.env['PATH'],
  HOME: process.env['HOME'],
  GATEWAY_URL: gateway.suite.baseUrl,
  GATEWAY_KEY: customer.apiKey,
  ...more,
});

describe('a client that openapi-typescript typed', () => {
  it('makes a video', async () => {
    const client = createClient<paths>({
      baseUrl: gateway.suite.baseUrl,
      headers: { authorization: `Bearer ${customer.apiKey}` },
    });
    const { data: created } = await client.POST('/v1/videos', {
      body: { model: 'sandbox-video', prompt: 'a red balloon', duration: 5, resolution: '480p' },
    });
    const id = created?.id ?? '';

    const video = await eventually(
      async () => {
        const { data } = await client.GET('/v1/videos/{id}', { params: { path: { id } } });
        if (data?.status !== 'succeeded') throw new Error(`the video is ${data?.status ?? 'gone'}`);
        return data;
      },
      { withinMs: 60_000 },
    );

    expect(video.portal_billing.billed_quota).toBe(300);
    const file = await fetch(video.content?.video_url ?? '');
    expect(Buffer.from(await file.arrayBuffer()).toString('latin1', 4, 8)).toBe('ftyp');
  });
});

const [describePython, whyNoPython] = hasPython()
  ? [describe, '']
  : [describe.skip, ' (left out: there is no python3 of 3.11 or later with venv)'];

describePython(`a client that openapi-python-client generated${whyNoPython}`, () => {
  it('makes a video', async () => {
    const programs = await installPackages(
      'generated-clients',
      path.join(sources, 'requirements.txt'),
    );
    const settings = path.join(folder, 'settings.yaml');
    await writeFile(settings, 'post_hooks: []\n');
    const { stdout } = await run(path.join(programs, 'openapi-python-client'), [
      ...['generate', '--path', documentFile, '--meta', 'none', '--config', settings],
      ...['--output-path', path.join(folder, 'gateway_client')],
    ]);
    // It has no bodies that are a file alone; a form has one, too.
    expect(
      stdout
        .split('\n')
        .filter((line) => /^(WARNING|ERROR)/.test(line) && !line.includes('/v1/assets')),
    ).toEqual([]);

    // It ends with a traceback, which the error shows, when an assertion fails.
    await run(path.join(programs, 'python'), [path.join(sources, 'make_video.py')], {
      env: environment({ PYTHONPATH: folder, PYTHONDONTWRITEBYTECODE: '1' }),
    });
  }, 300_000);
});

const [describeGo, whyNoGo] =
  spawnSync('go', ['version']).status === 0
    ? [describe, '']
    : [describe.skip, ' (left out: there is no go on the PATH)'];

describeGo(`a client that oapi-codegen generated${whyNoGo}`, () => {
  it('makes a video', async () => {
    await mkdir(path.join(folder, 'gateway'));
    await mkdir(goCache, { recursive: true });
    const options = {
      cwd: folder,
      env: environment({
        GOFLAGS: '-mod=mod',
        GOCACHE: path.join(goCache, 'build'),
        GOMODCACHE: path.join(goCache, 'modules'),
      }),
    };
    await run('go', ['mod', 'init', 'example.test/generated'], options);
    await run(
      'go',
      [
        ...['run', oapiCodegen, '-generate', 'models,client,skip-prune', '-package', 'gateway'],
        ...['-o', 'gateway/gateway.go', documentFile],
      ],
      options,
    );
    await copyFile(path.join(sources, 'main.go'), path.join(folder, 'main.go'));
    await run('go', ['get', goRuntime], options);

    await run('go', ['run', '.'], options);
  }, 600_000);
});
