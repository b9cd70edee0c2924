import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually, scrapeAnew } from '@gateway/testing';
import { call } from '../chaos/customer.ts';
import { chaosEnvironment } from '../chaos/run.ts';
import { startStack, type Stack, type StackCustomer } from '../chaos/stack.ts';
import { askText } from '../chaos/text.ts';

let stack: Stack;
let customer: StackCustomer;
beforeAll(async () => {
  stack = await startStack({
    doubled: [],
    log: () => undefined,
    env: {
      ...chaosEnvironment,
      api: { API_PROCESSES: '2' },
      'sandbox-vendor': { ...chaosEnvironment['sandbox-vendor'], SANDBOX_TOKENS_PER_SECOND: '8' },
    },
  });
  customer = await stack.aCustomer(10_000_000);
});
afterAll(() => stack.stop());

const readiness = async (): Promise<{ status: number; processes: Record<string, string> }> => {
  const response = await fetch(`${stack.suite.opsUrlOf('api')}/readyz`);
  const { processes } = (await response.json()) as { processes: Record<string, string> };
  return { status: response.status, processes };
};
const scrape = async (pattern: RegExp): Promise<string[]> =>
  (await scrapeAnew(stack.suite.opsUrlOf('api'))).split('\n').filter((line) => pattern.test(line));
/** On a connection of its own each time: connections are what goes round. */
const listModels = async (): Promise<number> => {
  const response = await fetch(`${stack.suite.urlOf('api')}/v1/models`, {
    headers: { authorization: `Bearer ${customer.apiKey}`, connection: 'close' },
  });
  await response.text();
  return response.status;
};

describe('an api of two processes', () => {
  it('is ready when both are, and both of them serve its one port', async () => {
    expect(await readiness()).toEqual({ status: 200, processes: { 1: 'ok', 2: 'ok' } });

    const statuses: number[] = [];
    for (let asked = 0; asked < 20; asked += 1) statuses.push(await listModels());

    expect(new Set(statuses)).toEqual(new Set([200]));
    const counted = await scrape(/^http_server_request_duration_seconds_count.*models/);
    expect(counted.map((line) => /process="(\d)"/.exec(line)?.[1]).sort()).toEqual(['1', '2']);
    expect(await scrape(/^gateway_process_up/)).toEqual([
      'gateway_process_up{process="1",service="api"} 1',
      'gateway_process_up{process="2",service="api"} 1',
    ]);
  });

  it('replaces one that is killed, and serves meanwhile', async () => {
    const first = stack.suite.pidOf('api');
    const others = readFileSync(`/proc/${first}/task/${first}/children`, 'utf8').trim().split(' ');
    expect(others).toHaveLength(2);
    process.kill(Number(others[1]), 'SIGKILL');

    await eventually(
      async () => {
        expect(await scrape(/^gateway_process_restarts_total/)).toEqual([
          'gateway_process_restarts_total{service="api"} 1',
        ]);
      },
      { withinMs: 20_000 },
    );
    const { status } = await call({
      method: 'GET',
      url: `${stack.suite.urlOf('api')}/v1/videos?limit=1`,
      apiKey: customer.apiKey,
    }).then((outcome) => (outcome.kind === 'responded' ? outcome : { status: 0 }));
    expect(status).toBe(200);
    await eventually(
      async () => {
        expect(await readiness()).toEqual({ status: 200, processes: { 1: 'ok', 2: 'ok' } });
      },
      { withinMs: 60_000 },
    );
    expect(stack.ended.filter(({ process: name }) => name === 'api')).toEqual([]);
  });

  it('ends every stream whole when it is told to stop, and then itself with code 0', async () => {
    const streams = Array.from({ length: 6 }, (_, at) =>
      askText(
        { ref: `group-${at}`, atMs: 0, stream: true },
        { baseUrl: stack.suite.urlOf('api'), customer },
      ),
    );
    await eventually(
      async () => {
        const open = await scrape(/^gateway_text_open_answers/);
        const counts = open.map((line) => Number(line.split(' ').at(-1)));
        expect([counts.length, counts[0]! + counts[1]!]).toEqual([2, streams.length]);
        expect(Math.min(...counts)).toBeGreaterThan(0);
      },
      { withinMs: 20_000, everyMs: 50 },
    );

    stack.suite.kill('api', 'SIGTERM');

    expect((await Promise.all(streams)).filter(({ isWhole }) => !isWhole)).toEqual([]);
    await eventually(
      () => {
        expect(
          stack.ended.filter(({ process: name }) => name === 'api').map(({ how }) => how),
        ).toEqual(['exit code 0']);
      },
      { withinMs: 30_000 },
    );
  });
});
