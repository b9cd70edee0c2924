/** @workers 3: it promises no times. */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { eventually } from '@gateway/testing';

interface Line {
  readonly level: string;
  readonly message: string;
  readonly port?: number;
  readonly requestId?: string;
  readonly where?: string;
  readonly reason?: string;
  readonly error?: { readonly message: string; readonly stack: string };
}

let service: ChildProcess;
let exited: Promise<number | null>;
let lines: Line[];
let url: string;

beforeEach(async () => {
  lines = [];
  service = spawn(process.execPath, [path.join(import.meta.dirname, 'faulty-service.js')], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  exited = once(service, 'exit').then(([code]) => code as number | null);
  createInterface(service.stdout!).on('line', (line) => lines.push(JSON.parse(line) as Line));
  const { port } = await eventually(() => lineWith('listening'));
  url = `http://127.0.0.1:${port}`;
});
afterEach(async () => {
  service.kill('SIGKILL');
  await exited;
});

function lineWith(message: string): Line {
  const found = lines.find((line) => line.message === message);
  if (found === undefined) throw new Error(`no line says ${message}`);
  return found;
}

const throwIn = (where: string, account = 'acct_one') =>
  fetch(`${url}/throw/${where}`, {
    method: 'POST',
    headers: { 'x-account': account, 'x-request-id': `req-${where}` },
    body: 'a body',
  });

const counted = async (): Promise<string[]> =>
  (await (await fetch(`${url}/counts`)).text())
    .split('\n')
    .filter((line) => line.startsWith('gateway_unexpected_exceptions_total'));

describe('an exception that nobody catches, in the code of a request', () => {
  it.each(['timer', 'immediate', 'tick', 'stream', 'promise', 'body'])(
    'thrown in a %s ends that request alone, with its 500',
    async (where) => {
      const slow = await fetch(`${url}/slow`);
      const before = service.pid;

      const broken = await throwIn(where);

      expect(broken.status).toBe(500);
      expect(await broken.json()).toMatchObject({ error: { code: 'internal' } });
      expect(await eventually(() => lineWith('unexpected exception'))).toMatchObject({
        level: 'error',
        where: 'request',
        requestId: `req-${where}`,
        error: { message: 'nobody expected this', stack: expect.stringContaining('faulty') },
      });
      await fetch(`${url}/release`);
      expect(await slow.text()).toBe('begun and ended');
      expect([service.pid, service.exitCode]).toEqual([before, null]);
      expect(await counted()).toContain(
        'gateway_unexpected_exceptions_total{where="request",service="faulty"} 1',
      );
    },
  );

  it('cuts a response that has begun, so that nobody takes it for whole', async () => {
    const response = await fetch(`${url}/half`);

    await expect(response.text()).rejects.toThrow();
    expect((await fetch(`${url}/livez`)).status).toBe(200);
  });

  it('is counted, and no more, when the response is over', async () => {
    expect(await (await fetch(`${url}/late`)).text()).toBe('whole');

    await eventually(() => lineWith('unexpected exception'));
    expect((await fetch(`${url}/livez`)).status).toBe(200);
  });

  it('does not end the process however often one account meets it', async () => {
    for (let time = 0; time < 10; time += 1) {
      expect((await throwIn('timer', 'acct_one')).status).toBe(500);
    }
    expect((await throwIn('timer', 'acct_two')).status).toBe(500);

    expect((await fetch(`${url}/livez`)).status).toBe(200);
    expect(lines.map(({ message }) => message)).not.toContain('stopping');
  });
});

describe('a process that may be broken', () => {
  it('ends in order when several accounts meet exceptions: open responses first', async () => {
    const slow = await fetch(`${url}/slow`);

    for (const account of ['acct_one', 'acct_two', 'acct_three']) {
      expect((await throwIn('timer', account)).status).toBe(500);
    }
    const { reason } = await eventually(() => lineWith('stopping'));
    service.kill('SIGTERM'); // a signal changes nothing any more
    slow.body?.cancel().catch(() => undefined);

    expect(reason).toContain('several accounts');
    expect(await exited).toBe(70);
    expect(lines.at(-1)?.message).toBe('stopped');
  });

  it('ends in order after an exception of no request, and cuts no response', async () => {
    const slow = await fetch(`${url}/slow`);
    const agentOfOthers = await fetch(`${url}/background`);
    expect(agentOfOthers.status).toBe(200);
    expect(await eventually(() => lineWith('stopping'))).toMatchObject({
      reason: 'an exception outside of any request or job',
    });

    expect(lineWith('unexpected exception')).toMatchObject({ where: 'background' });
    expect(service.exitCode).toBeNull();
    await slow.body?.cancel();

    expect(await exited).toBe(70);
  });
});
