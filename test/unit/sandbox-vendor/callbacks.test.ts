import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { startSandboxVendor, type RunningSandbox } from '@gateway/sandbox-vendor';
import { eventually, openPeer, type Peer, type Respond } from '@gateway/testing';
import { aCreation, arkClient, type TaskObject } from './ark-client.ts';

let vendor: RunningSandbox;
let ark: ReturnType<typeof arkClient>;
let receiver: Peer;
let respond: Respond;

beforeEach(async () => {
  respond = (_received, response) => {
    response.end('{}');
  };
  receiver = await openPeer((received, response) => respond(received, response));
  vendor = await startSandboxVendor({
    SANDBOX_CALLBACK_TIMEOUT_MS: '300',
    SANDBOX_CALLBACK_RESEND_MS: '10',
  });
  ark = arkClient(vendor);
});
afterEach(async () => {
  await vendor.stop();
  await receiver.close();
});

const bodies = (): TaskObject[] =>
  receiver.received.map(({ body }) => JSON.parse(body.toString()) as TaskObject);
const statuses = (): string[] => bodies().map(({ status }) => status);
const received = (count: number): Promise<void> =>
  eventually(() => {
    expect(statuses()).toHaveLength(count);
  });

describe('callbacks of the vendor', () => {
  it('show every status in order, with the body that a GET returns', async () => {
    const id = await ark.create(
      aCreation('A fox', { callback_url: `${receiver.url}/hook`, return_last_frame: true }),
    );
    await received(3);

    expect(statuses()).toEqual(['queued', 'running', 'succeeded']);
    expect(bodies()[2]).toEqual((await ark.get(id)).body);
    expect(receiver.received[0]).toMatchObject({ method: 'POST', path: '/hook' });
    expect(receiver.received[0]?.headers['content-type']).toBe('application/json');
  });

  it('wait for the response to the one before', async () => {
    const path: string[] = [];
    respond = async ({ body }, response) => {
      const { status } = JSON.parse(body.toString()) as TaskObject;
      path.push(`${status} came`);
      if (status === 'queued') {
        await eventually(async () => {
          expect((await ark.list('?filter.status=succeeded')).body.total).toBe(1);
        });
      }
      path.push(`${status} delivered`);
      response.end('{}');
    };

    await ark.create(aCreation('[no-output]', { callback_url: receiver.url }));
    await received(3);

    expect(path.slice(0, 4)).toEqual([
      'queued came',
      'queued delivered',
      'running came',
      'running delivered',
    ]);
  });

  it('are sent up to three times more for the end of a task, and once for what comes before', async () => {
    respond = (_received, response) => {
      response.writeHead(500).end();
    };

    await ark.create(aCreation('[fail]', { callback_url: receiver.url }));
    await eventually(async () => {
      expect((await ark.stats())['callbacks']).toEqual({ sent: 6, answered: 0, failed: 3 });
    });

    expect(statuses()).toEqual(['queued', 'running', 'failed', 'failed', 'failed', 'failed']);
  });

  it('count as failed when the receiver is silent, redirects or is not there, and the task goes on', async () => {
    respond = ({ path }, response) => {
      if (path !== '/silent') response.writeHead(302, { location: '/elsewhere' }).end();
    };

    for (const url of [
      `${receiver.url}/silent`,
      `${receiver.url}/redirect`,
      'http://127.0.0.1:1/closed',
    ]) {
      await ark.create(aCreation('[expire]', { callback_url: url }));
    }
    await eventually(
      async () => {
        expect((await ark.stats())['callbacks']).toEqual({ sent: 9, answered: 0, failed: 9 });
      },
      { withinMs: 20_000 },
    );

    expect((await ark.list('?filter.status=expired')).body.total).toBe(3);
    expect(receiver.received.filter(({ path }) => path === '/elsewhere')).toEqual([]);
  });

  it('are not sent for a cancelled task', async () => {
    await vendor.stop();
    vendor = await startSandboxVendor({ SANDBOX_QUEUE_MS: '60000' });
    ark = arkClient(vendor);
    const id = await ark.create(aCreation('A fox', { callback_url: receiver.url }));
    await received(1);

    await ark.remove(id);
    await fetch(receiver.url, { method: 'POST', body: JSON.stringify({ status: 'marker' }) });

    expect(statuses()).toEqual(['queued', 'marker']);
  });
});
