import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Task } from '@gateway/contracts';
import { openFileSystemStorage } from '@gateway/media';
import { createOutboundClient, parseCidrs } from '@gateway/outbound';
import { createTaskMoves } from '@gateway/store';
import { recordingLog, withPlace } from '@gateway/testing';
import { renderVideo } from '../../../services/sandbox-vendor/src/render/render-video.ts';
import { createFileCopier } from '../../../services/video-worker/src/adapters/file-copier.ts';
import {
  createIngestTask,
  type IngestTaskPorts,
} from '../../../services/video-worker/src/use-cases/ingest-task.ts';
import type { Moves } from '../../../services/video-worker/src/use-cases/ports.ts';
import { openWorker, type WorkerUnderTest } from './harness.ts';

let worker: WorkerUnderTest;
let vendor: Server;
beforeAll(async () => {
  worker = await openWorker();
  const { mp4 } = await renderVideo({
    prompt: 'x',
    seconds: 1,
    ratio: '16:9',
    resolution: '480p',
    watermark: false,
    quality: 'fast',
  });
  vendor = createServer((_request, response) => response.end(mp4));
  await new Promise<void>((resolve) => vendor.listen(0, '127.0.0.1', resolve));
});
afterAll(async () => {
  await new Promise((resolve) => vendor.close(resolve));
  await worker.close();
});

/** A task whose video is rendered and is to be copied. */
async function aRenderedTask(): Promise<Task> {
  const moves = createTaskMoves(worker.database);
  const taken = await withPlace(worker.database, await worker.aTask('x'));
  const submitting = await moves.claimSubmission(taken);
  if (submitting === 'lost') throw new Error('not claimed');
  const running = await moves.move(submitting, 'accepted', {
    changes: { step: 'poll', vendorTaskId: 'vendor-1' },
  });
  if (running === undefined) throw new Error('not accepted');
  const { port } = vendor.address() as AddressInfo;
  const rendered = await moves.stay(running, {
    step: 'ingest',
    stepFailures: 0,
    vendorOutput: { videoUrl: `http://127.0.0.1:${port}/v.mp4` },
  });
  if (rendered === undefined) throw new Error('not rendered');
  return rendered;
}

/** The step of one worker; `beforeCopy` runs once its epoch is claimed. */
async function ingestOf(beforeCopy: () => Promise<void> = () => Promise.resolve()) {
  const storage = await openFileSystemStorage({ folder: worker.storageDir });
  const copier = createFileCopier({
    storage,
    removeFile: async (key) => {
      await storage.delete(key);
      return 'gone';
    },
    newSuffix: () => randomBytes(6).toString('hex'),
    outbound: createOutboundClient({
      allowCidrs: parseCidrs('127.0.0.0/8'),
      allowHttp: true,
      userAgent: 'test',
    }),
    fileHeaders: () => ({}),
    readInline: () => Promise.resolve({ kind: 'error', detail: 'this vendor has links' }),
    cutLastFrame: undefined,
    makePoster: undefined,
    maxVideoBytes: 10_000_000,
    timeoutMs: 10_000,
    log: recordingLog(),
  });
  const copy: IngestTaskPorts['copy'] = async (...copied) => {
    await beforeCopy();
    return copier.copy(...copied);
  };
  const moves = createTaskMoves(worker.database) as unknown as Moves;
  return createIngestTask({
    watermarkOf: () => undefined,
    vendorOf: () => {
      throw new Error('a first copy asks no vendor');
    },
    fileGraceMs: 0,
    copy,
    discard: copier.discard,
    moves,
    clock: { now: Date.now, random: () => 0.5 },
  });
}

describe('two workers that hold the same epoch, because a fail-over took a commit back', () => {
  it('keep the file of the one that finishes, whoever copied last', async () => {
    const task = await aRenderedTask();
    const signal = AbortSignal.timeout(20_000);
    const second = await ingestOf();

    // The first worker's claim is lost with the primary; the second one claims the same epoch,
    // copies and finishes before the first has copied.
    const first = await ingestOf(async () => {
      await worker.database.pool.query('UPDATE task SET epoch = epoch - 1 WHERE id = $1', [
        task.id,
      ]);
      await second(task, signal);
    });
    await first(task, signal);

    expect((await worker.find(task.id)).status).toBe('succeeded');
    const { rows } = await worker.database.pool.query<{ key: string }>(
      'SELECT storage_key AS key FROM media WHERE task_id = $1',
      [task.id],
    );
    expect(
      (await readFile(path.join(worker.storageDir, rows[0]?.key ?? ''))).length,
    ).toBeGreaterThan(100);
    expect(await readdir(path.join(worker.storageDir, 'videos'))).toEqual([
      path.basename(rows[0]?.key ?? ''),
    ]);
  });
});
