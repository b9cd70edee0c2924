/** @workers 3: it promises no times. */
import { afterEach, describe, expect, it } from '@jest/globals';
import { eventually } from '@gateway/testing';
import { createRenderCache } from '../../../services/sandbox-vendor/src/render/render-cache.ts';
import {
  createInlineRenderer,
  type Renderer,
} from '../../../services/sandbox-vendor/src/render/renderer.ts';
import type {
  RenderedVideo,
  VideoSpec,
} from '../../../services/sandbox-vendor/src/render/video-spec.ts';
import { createWorkerPool } from '../../../services/sandbox-vendor/src/render/worker-pool.ts';

const aSpec = (fields: Partial<VideoSpec> = {}): VideoSpec => ({
  prompt: 'A fox',
  seconds: 1,
  ratio: '1:1',
  resolution: '480p',
  watermark: false,
  quality: 'fast',
  ...fields,
});
const source = (name: string): URL =>
  new URL(`../../../services/sandbox-vendor/src/render/${name}`, import.meta.url);
const execArgv = [
  '--no-warnings',
  '--import',
  new URL('../../runner/register.js', import.meta.url).href,
];

let open: Renderer[] = [];
afterEach(async () => {
  await Promise.all(open.map((renderer) => renderer.stop()));
  open = [];
});
function aPool(threads: number, entry = source('worker.ts'), idleMs = 20_000): Renderer {
  const pool = createWorkerPool({ threads, entry, execArgv, idleMs });
  open.push(pool);
  return pool;
}

/** A thread written for a test. */
const script = (code: string): URL =>
  new URL(
    `data:text/javascript,${encodeURIComponent(`import { parentPort, threadId } from 'node:worker_threads'; ${code}`)}`,
  );
const ready = `parentPort.postMessage({ kind: 'ready' });`;

describe('rendering in worker threads', () => {
  it('gives the same bytes as rendering in the main thread', async () => {
    const pool = aPool(2);
    await pool.check();

    const [one, two] = await Promise.all([pool.render(aSpec()), pool.render(aSpec())]);
    const inline = await createInlineRenderer().render(aSpec());

    expect(Buffer.compare(one.mp4, inline.mp4)).toBe(0);
    expect(Buffer.compare(two.mp4, inline.mp4)).toBe(0);
    expect(Buffer.compare(one.lastFrame, inline.lastFrame)).toBe(0);
  });

  it('leaves the main thread free', async () => {
    const pool = aPool(1);
    await pool.check();
    let turns = 0;
    const ticking = setInterval(() => {
      turns += 1;
    }, 1);

    await pool.render(aSpec({ seconds: 8, quality: 'standard' }));

    clearInterval(ticking);
    expect(turns).toBeGreaterThan(20);
  });

  it('does no more at once than it has threads', async () => {
    const busy = script(
      `${ready} parentPort.on('message', () => setTimeout(() => parentPort.postMessage({ kind: 'rendered', video: { thread: threadId } }), 20));`,
    );
    const pool = aPool(2, busy);

    const videos = await Promise.all(Array.from({ length: 8 }, () => pool.render(aSpec())));

    expect(
      new Set(videos.map((video) => (video as unknown as { thread: number }).thread)).size,
    ).toBe(2);
  });

  it('ends a thread that has nothing to do, and starts another for the next render', async () => {
    const numbered = script(
      `${ready} parentPort.on('message', () => parentPort.postMessage({ kind: 'rendered', video: { thread: threadId } }));`,
    );
    const pool = aPool(1, numbered, 1);
    const first = await pool.render(aSpec());

    await eventually(async () => {
      expect(await pool.render(aSpec())).not.toEqual(first);
    });
    await expect(pool.check()).resolves.toBeUndefined();
  });

  it('loses only the render of a thread that dies, and goes on with a new one', async () => {
    const fragile = script(
      `${ready} parentPort.on('message', ({ prompt }) => { if (prompt === 'die') process.exit(3); parentPort.postMessage(prompt === 'fail' ? { kind: 'failed', reason: 'no' } : { kind: 'rendered', video: {} }); });`,
    );
    const pool = aPool(1, fragile);

    const [dead, failed, fine] = await Promise.allSettled(
      ['die', 'fail', 'fine'].map((prompt) => pool.render(aSpec({ prompt }))),
    );

    expect(dead).toMatchObject({
      status: 'rejected',
      reason: { message: 'the render thread ended: exit code 3' },
    });
    expect(failed).toMatchObject({ status: 'rejected', reason: { message: 'no' } });
    expect(fine?.status).toBe('fulfilled');
  });

  it('says why when nothing can be rendered, each time it is asked', async () => {
    const broken = aPool(1, script(`throw new Error('native part is missing');`));

    await expect(broken.check()).rejects.toThrow('native part is missing');
    await expect(broken.render(aSpec())).rejects.toThrow('native part is missing');
    await expect(broken.check()).rejects.toThrow('native part is missing');
  });

  it('gives up what is under way at a stop', async () => {
    const pool = aPool(1, script(`${ready} parentPort.on('message', () => undefined);`));
    const renders = Promise.allSettled([pool.render(aSpec()), pool.render(aSpec())]);
    await pool.check();

    await pool.stop();

    expect((await renders).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  });
});

describe('keeping rendered videos', () => {
  function aCache(maxBytes: number) {
    const rendered: string[] = [];
    let fail = false;
    const renderer = {
      render: ({ prompt }: VideoSpec): Promise<RenderedVideo> => {
        rendered.push(prompt);
        return fail
          ? Promise.reject(new Error('no'))
          : Promise.resolve({ mp4: new Uint8Array(90), lastFrame: new Uint8Array(10) });
      },
    };
    const cache = createRenderCache({ renderer, maxBytes, now: () => 0 });
    return {
      rendered,
      cache,
      get: (prompt: string) => cache.get(aSpec({ prompt })),
      breakDown: (broken: boolean) => {
        fail = broken;
      },
    };
  }

  it('renders once what is asked for often, also at the same time', async () => {
    const { rendered, cache, get } = aCache(1_000);

    await Promise.all([get('a'), get('a'), get('b')]);
    await get('a');

    expect(rendered).toEqual(['a', 'b']);
    expect(cache.stats()).toEqual({
      rendered: 2,
      failed: 0,
      cached: 1,
      waited_ms: 0,
      held_bytes: 200,
      held_videos: 2,
    });
  });

  it('drops what was used least recently when the bytes are used up', async () => {
    const { rendered, cache, get } = aCache(200);
    for (const prompt of ['a', 'b', 'a', 'c', 'a', 'b']) await get(prompt);

    expect(rendered).toEqual(['a', 'b', 'c', 'b']);
    expect(cache.stats().held_bytes).toBe(200);
  });

  it('tries again after a failure', async () => {
    const { cache, get, breakDown } = aCache(1_000);
    breakDown(true);
    await expect(get('a')).rejects.toThrow('no');
    breakDown(false);

    await get('a');

    expect(cache.stats()).toMatchObject({ rendered: 1, failed: 1, held_videos: 1 });
  });
});
