import { describe, expect, it } from '@jest/globals';
import type { Task } from '@gateway/contracts';
import type { MediaStorage } from '@gateway/media';
import { createOutboundClient } from '@gateway/outbound';
import { recordingLog } from '@gateway/testing';
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
      cutLastFrame: undefined,
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
