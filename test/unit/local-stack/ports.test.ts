import { createServer, type AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import {
  assertPortFree,
  assertReachable,
  freePort,
  freePorts,
} from '../../../packages/local-stack/src/ports.ts';

let server: ReturnType<typeof createServer>;
let taken: number;

beforeEach(async () => {
  server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  taken = (server.address() as AddressInfo).port;
});
afterEach(() => new Promise((resolve) => server.close(resolve)));

describe('a port for the api', () => {
  it('that is in use is refused in one sentence with the remedy', async () => {
    await expect(assertPortFree(taken)).rejects.toMatchObject({
      code: 'port_in_use',
      message: `Port ${taken} is used by another program: set PORT=… to another port, or stop that program.`,
    });
  });

  it('that is free is free afterwards too', async () => {
    const port = await freePort();

    await assertPortFree(port);
    await assertPortFree(port);
  });

  it('at an address that this machine does not have is refused', async () => {
    await expect(assertPortFree(0, '192.0.2.1')).rejects.toMatchObject({
      message: expect.stringContaining('has no address 192.0.2.1'),
    });
  });
});

describe('free ports', () => {
  it('are all different', async () => {
    expect(new Set(await freePorts(20)).size).toBe(20);
  });
});

describe("an address of a server of one's own", () => {
  it('passes when somebody listens there', async () => {
    await assertReachable('REDIS_URL', `redis://:password@127.0.0.1:${taken}`);
  });

  it('is refused with the remedy, and without its password, when nobody listens', async () => {
    const port = await freePort();

    await expect(
      assertReachable('DATABASE_URL', `postgresql://user:password@127.0.0.1:${port}/database`),
    ).rejects.toMatchObject({
      code: 'server_not_startable',
      message: `Nothing responds at 127.0.0.1:${port} (ECONNREFUSED): start the server that DATABASE_URL names, or leave DATABASE_URL unset for a local one.`,
    });
  });

  it.each(['6379', 'localhost', 'http://127.0.0.1'])(
    'is refused when it is %s',
    async (address) => {
      await expect(assertReachable('REDIS_URL', address)).rejects.toThrow(
        'REDIS_URL is not an address: correct it, or leave it unset for a local server.',
      );
    },
  );

  it('without a host is left to PostgreSQL: it means a socket file', async () => {
    await assertReachable('DATABASE_URL', 'postgresql:///database?host=/run/postgresql');
  });
});
