import { mkdtemp, readFile, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { describe, expect, it } from '@jest/globals';
import type { Task } from '@gateway/contracts';
import { openFileSystemStorage, type MediaStorage } from '@gateway/media';
import { createOutboundClient } from '@gateway/outbound';
import { recordingLog } from '@gateway/testing';
import type { FileOutcome } from '@gateway/video-providers';
import { renderVideo } from '../../../services/sandbox-vendor/src/render/render-video.ts';
import { createFileCopier } from '../../../services/video-worker/src/adapters/file-copier.ts';

describe("copying a vendor's file", () => {
  it("from a private address is refused, and only the operator's log names the address", async () => {
    const log = recordingLog();
    const outbound = createOutboundClient({
      allowCidrs: [],
      allowHttp: false,
      userAgent: 'x',
      resolve: () => ['10.1.2.3'],
      dial: () => {
        throw new Error('nothing may be dialled');
      },
    });
    const copier = createFileCopier({
      storage: {} as MediaStorage,
      removeFile: () => Promise.resolve('gone'),
      newSuffix: () => 'x',
      outbound,
      fileHeaders: () => ({}),
      readInline: () => Promise.resolve({ kind: 'error', detail: 'nobody asks' }),
      cutLastFrame: undefined,
      makePoster: undefined,
      maxVideoBytes: 1,
      timeoutMs: 1_000,
      log,
    });

    const outcome = await copier.copy(
      { id: 'video_1', epoch: 1, vendor: { baseUrl: 'https://vendor.example' } } as unknown as Task,
      { videoUrl: 'https://vendor.example/v.mp4' },
      new AbortController().signal,
    );

    expect(outcome).toEqual({
      kind: 'unavailable',
      detail: 'blocked_address: the address is not public',
    });
    expect(log.lines).toEqual([
      {
        level: 'warn',
        message: 'vendor file not copied',
        fields: {
          taskId: 'video_1',
          outcome: 'unavailable',
          detail: 'blocked_address: the address is not public',
          blockedAddress: '10.1.2.3',
        },
      },
    ]);
  });
});

describe("a file in a vendor's own response", () => {
  const spec = { prompt: 'x', seconds: 1, ratio: '16:9', resolution: '720p' } as const;

  async function copyInline(read: FileOutcome, maxVideoBytes = 50_000_000) {
    const folder = await mkdtemp(path.join(os.tmpdir(), 'gateway-inline-'));
    const copier = createFileCopier({
      storage: await openFileSystemStorage({ folder }),
      removeFile: () => Promise.resolve('gone'),
      newSuffix: () => 'x',
      outbound: createOutboundClient({ allowCidrs: [], allowHttp: true, userAgent: 'x' }),
      fileHeaders: () => ({}),
      readInline: () => Promise.resolve(read),
      cutLastFrame: undefined,
      makePoster: undefined,
      maxVideoBytes,
      timeoutMs: 1_000,
      log: recordingLog(),
    });
    const task = {
      id: 'video_1',
      epoch: 1,
      request: { returnLastFrame: false },
      vendor: { baseUrl: 'https://vendor.example' },
    } as unknown as Task;
    const output = { videoUrl: 'https://vendor.example/tasks/1', isInline: true } as const;
    try {
      const outcome = await copier.copy(task, output, AbortSignal.timeout(10_000));
      return outcome.kind === 'stored'
        ? { outcome, stored: await readFile(path.join(folder, outcome.media[0]!.storageKey)) }
        : { outcome };
    } finally {
      await rm(folder, { recursive: true });
    }
  }

  it('is stored as it came, and measured', async () => {
    const { mp4 } = await renderVideo({ ...spec, watermark: false, quality: 'fast' });

    const { outcome, stored } = await copyInline({ kind: 'file', bytes: mp4 });

    expect(outcome).toMatchObject({ kind: 'stored', video: { seconds: expect.closeTo(1, 1) } });
    expect(stored?.equals(mp4)).toBe(true);
  });

  it.each<[string, FileOutcome, number, string]>([
    ['is asked for again when it is not there', { kind: 'error', detail: 'x' }, 10, 'unavailable'],
    ['is no video', { kind: 'file', bytes: new Uint8Array(9) }, 10, 'rejected'],
    ['is larger than a video may be', { kind: 'file', bytes: new Uint8Array(11) }, 10, 'rejected'],
  ])('%s', async (_name, read, maxBytes, kind) => {
    expect((await copyInline(read, maxBytes)).outcome.kind).toBe(kind);
  });
});
