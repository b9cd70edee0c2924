import { readFile } from 'node:fs/promises';
import net from 'node:net';
import { describe, expect, it } from '@jest/globals';
import {
  createOutboundClient,
  OutboundError,
  outboundFailures,
  parseCidrs,
  type Dial,
  type OutboundFailure,
  type PostOutcome,
  type Resolve,
} from '@gateway/outbound';

const documented = async (): Promise<Record<string, string>> => {
  const text = await readFile(new URL('../../../docs/security.md', import.meta.url), 'utf8');
  const table = text.slice(
    text.indexOf('### What customers see'),
    text.indexOf('## Keys and tokens'),
  );
  return Object.fromEntries(
    [...table.matchAll(/^\| `(\w+)` \| (.+) \|$/gm)].map(([, name = '', sentence = '']) => [
      name,
      sentence,
    ]),
  );
};

const classes = Object.keys(outboundFailures) as OutboundFailure[];
const address = /\d+\.\d+\.\d+\.\d+|[0-9a-f]*:[0-9a-f]*:/i;

describe('the sentence of an outbound failure', () => {
  it('is documented for every class, word for word', async () => {
    expect(await documented()).toEqual(outboundFailures);
  });

  it.each(classes)('of %s names no address', (name) => {
    const error = new OutboundError(name, {
      blockedAddress: '10.1.2.3',
      cause: new Error('connect 10.1.2.3:80'),
    });

    expect(error.message).toBe(outboundFailures[name]);
    expect(error.message).not.toMatch(address);
  });
});

describe('the outcome that a customer reads', () => {
  const secretAddress = '10.9.8.7';
  const failing =
    (code: string): Dial =>
    () => {
      const socket = new net.Socket();
      process.nextTick(() => {
        socket.destroy(
          Object.assign(new Error(`${code} ${secretAddress}:80`), { code, address: secretAddress }),
        );
      });
      return socket;
    };
  const post = (resolve: Resolve, dial: Dial): Promise<PostOutcome> =>
    createOutboundClient({
      allowCidrs: parseCidrs('10.9.8.0/24'),
      allowHttp: true,
      userAgent: 'x',
      resolve,
      dial,
    }).post({
      url: 'http://receiver.example/',
      body: '',
      timeouts: { lookupMs: 50, connectMs: 50 },
    });
  const lookupFails = (): never => {
    throw Object.assign(new Error(`no ${secretAddress}`), { code: 'ENOTFOUND' });
  };

  it.each<[string, Promise<PostOutcome>]>([
    ['connection_refused', post(() => [secretAddress], failing('ECONNREFUSED'))],
    ['connection_reset', post(() => [secretAddress], failing('ECONNRESET'))],
    ['network_error', post(() => [secretAddress], failing('EHOSTUNREACH'))],
    [
      'timeout_connect',
      post(
        () => [secretAddress],
        () => new net.Socket(),
      ),
    ],
    ['dns_error', post(lookupFails, failing('unused'))],
    ['timeout_lookup', post(() => new Promise(() => undefined), failing('unused'))],
    ['blocked_address', post(() => ['10.1.1.1'], failing('unused'))],
  ])('with %s keeps the resolved address apart', async (name, outcome) => {
    const {
      class: failure,
      detail,
      blockedAddress,
    } = (await outcome) as Extract<PostOutcome, { kind: 'failed' }>;

    expect(failure).toBe(name);
    expect(detail).not.toMatch(address);
    expect(blockedAddress).toBe(name === 'blocked_address' ? '10.1.1.1' : undefined);
  });
});
