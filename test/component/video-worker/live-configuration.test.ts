import { mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { Task } from '@gateway/contracts';
import { openConfiguration } from '@gateway/runtime';
import { eventually } from '@gateway/testing';
import { videoVendors } from '@gateway/video-providers';
import { openWorker, type WorkerUnderTest } from './harness.ts';

let folder: string;
let worker: WorkerUnderTest;

beforeEach(async () => {
  folder = await mkdtemp(path.join(os.tmpdir(), 'gateway-live-'));
  worker = await openWorker();
});
afterEach(async () => {
  await worker.close();
  await rm(folder, { recursive: true, force: true });
});

const model = (provider: string): string =>
  `{ kind: video, provider: ${provider}, upstream_model: sandbox-video, second_quota: 10, duration: { min: 4, max: 15, default: 5 }, ratio: { allowed: ["16:9"], default: "16:9" }, resolution: { allowed: [480p], default: 480p } }`;
const provider = (maxConcurrent: number): string =>
  `{ kind: ark, base_url: "${worker.sandbox.url}/api/v3", api_key: "\${KEY}", max_concurrent: ${maxConcurrent}, requests_per_second: 1000, poll_seconds: { first: 0.05, max: 0.3 } }`;
/** In one step: a busy machine may show a file between its emptying and its filling. */
async function write(text: string): Promise<void> {
  await writeFile(path.join(folder, 'next.yaml'), text);
  await rename(path.join(folder, 'next.yaml'), path.join(folder, 'gateway.yaml'));
}
// The text provider's key is not set: the worker does not use it.
const withPlaces = (maxConcurrent: number): Promise<void> =>
  write(
    `providers:\n  sandbox: ${provider(maxConcurrent)}\n  text: { kind: chat, base_url: "http://127.0.0.1:9", api_key: "\${NOT_SET}" }\nmodels:\n  sandbox-video: ${model('sandbox')}\n`,
  );
const start = () =>
  worker.startWorker(
    { SWEEP_MS: 60_000 },
    openConfiguration({
      path: path.join(folder, 'gateway.yaml'),
      environment: { KEY: worker.sandbox.apiKey },
      secretsOf: 'video',
      everyMs: 50,
      settleMs: 20,
      videoVendors,
    }),
  );
const running = async (tasks: readonly Task[]): Promise<number> =>
  (await Promise.all(tasks.map(({ id }) => worker.find(id)))).filter(
    ({ status }) => status === 'running',
  ).length;

describe('a running video-worker whose configuration changes', () => {
  it('gives as many slots at the vendor as the new version says', async () => {
    await withPlaces(1);
    const tasks = await Promise.all([1, 2, 3].map(() => worker.aTask('[stall] x')));
    await start();
    await eventually(async () => {
      expect(await running(tasks)).toBe(1);
    });

    await withPlaces(3);

    await eventually(async () => {
      expect(await running(tasks)).toBe(3);
    });
  });

  it('goes on looking at the running tasks of a provider that was taken out', async () => {
    await withPlaces(5);
    const task = await worker.aTask('[slow=2] x');
    await start();
    await worker.until(task.id, 'running');

    await write(`providers:\n  other: ${provider(5)}\nmodels:\n  other-video: ${model('other')}\n`);
    await eventually(() => {
      if (!worker.log.lines.some(({ message }) => message === 'configuration applied')) {
        throw new Error('not taken over yet');
      }
      return Promise.resolve();
    });

    expect(await worker.until(task.id, 'succeeded')).toMatchObject({ price: { secondQuota: 10 } });
  });

  it('refuses a model that needs a decoder where there is none', async () => {
    await withPlaces(5);
    await start();

    await write(
      `providers:\n  sandbox: ${provider(5)}\nmodels:\n  sandbox-video: ${model('sandbox').replace('upstream_model', 'last_frame: extract, upstream_model')}\n`,
    );

    await eventually(() => {
      expect(
        worker.log.lines.find(({ message }) => message.startsWith('configuration refused'))?.fields[
          'problems'
        ],
      ).toEqual([expect.stringContaining('no ffmpeg')]);
      return Promise.resolve();
    });
  });
});
