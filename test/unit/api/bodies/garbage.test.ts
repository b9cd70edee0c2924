import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it } from '@jest/globals';
import { createBodyBudget } from '../../../../services/api/src/bodies/budget.ts';
import { createBodyGarbage } from '../../../../services/api/src/bodies/garbage.ts';
import { freePiece } from '../../../../services/api/src/bodies/memory.ts';
import { createBodyPace } from '../../../../services/api/src/bodies/pace.ts';
import { receiveBody } from '../../../../services/api/src/bodies/receive.ts';
import { createDeadlines } from '../../../../services/api/src/text/hot-path/index.ts';

describe('the garbage of bodies', () => {
  it('is collected after every 12 MiB, whosever they are', () => {
    let collections = 0;
    const garbage = createBodyGarbage(() => {
      collections += 1;
    });
    const readPieces = (count: number): void => {
      for (let piece = 0; piece < count; piece += 1) garbage.read(65_536);
    };

    readPieces(191);
    expect(collections).toBe(0);
    readPieces(1);
    expect(collections).toBe(1);
    readPieces(384);
    expect(collections).toBe(3);
  });

  it('is counted for small bodies too', async () => {
    expect(await receiveOf(20_000)).toEqual({ sizeBytes: 20_000, leftBytes: 20_000 });
  });

  it('is none where the memory of each piece is given back at once', async () => {
    const sizeBytes = 300_000;

    expect(await withTransfer(() => receiveOf(sizeBytes))).toEqual({ sizeBytes, leftBytes: 0 });
  });

  it('is given back with its piece, unless others share it', async () => {
    const own = Buffer.from(new Uint8Array(8).buffer);
    const shared = Buffer.from(new Uint8Array(8).buffer, 0, 4);

    expect(await withTransfer(() => [freePiece(own), freePiece(shared)])).toEqual([true, false]);
    expect([own.length, shared.length]).toEqual([0, 4]);
  });
});

/** A body of that size, as a client sends it: what was received, and what is left to the collector. */
async function receiveOf(bytes: number): Promise<{ sizeBytes: number; leftBytes: number }> {
  let leftBytes = 0;
  const ports = {
    budget: createBodyBudget({ processBytes: 1_000_000, accountBytes: 1_000_000 }),
    pace: createBodyPace({ bytesPerSecond: 1_000_000_000 }),
    garbage: { read: (pieceBytes: number) => (leftBytes += pieceBytes) },
    deadlines: createDeadlines(),
  };
  const bounds = { limitBytes: 1_000_000, timeoutMs: 60_000 };
  const body = JSON.stringify('x'.repeat(bytes - 2));
  const server = createServer((incoming, response) => {
    void receiveBody(ports, { incoming, response, accountId: 'a', bounds }).then((received) => {
      const isWhole = received.bytes.toString() === body;
      response.end(isWhole ? String(received.bytes.length) : 'changed');
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  try {
    const response = await fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', connection: 'close' },
      body,
    });
    return { sizeBytes: Number(await response.text()), leftBytes };
  } finally {
    server.close();
  }
}

/** Node has `transfer` since version 21. */
async function withTransfer<Value>(work: () => Value | Promise<Value>): Promise<Value> {
  const prototype = ArrayBuffer.prototype as { transfer?(bytes: number): ArrayBuffer };
  if (prototype.transfer !== undefined) return work();
  prototype.transfer = function (this: ArrayBuffer) {
    structuredClone(this, { transfer: [this] });
    return new ArrayBuffer(0);
  };
  try {
    return await work();
  } finally {
    delete prototype.transfer;
  }
}
