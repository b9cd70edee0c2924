import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it } from '@jest/globals';
import { createBodyBudget } from '../../../../services/api/src/bodies/budget.ts';
import { createBodyGarbage } from '../../../../services/api/src/bodies/garbage.ts';
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
    let readBytes = 0;
    const ports = {
      budget: createBodyBudget({ processBytes: 1_000_000, accountBytes: 1_000_000 }),
      pace: createBodyPace({ bytesPerSecond: 1_000_000 }),
      garbage: { read: (bytes: number) => (readBytes += bytes) },
      deadlines: createDeadlines(),
    };
    const bounds = { limitBytes: 1_000_000, timeoutMs: 60_000 };
    const server = createServer((incoming, response) => {
      void receiveBody(ports, { incoming, response, accountId: 'a', bounds }).then(({ bytes }) =>
        response.end(String(bytes.length)),
      );
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    try {
      const response = await fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', connection: 'close' },
        body: JSON.stringify('x'.repeat(19_998)),
      });

      expect([await response.text(), readBytes]).toEqual(['20000', 20_000]);
    } finally {
      server.close();
    }
  });
});
