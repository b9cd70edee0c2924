import dgram from 'node:dgram';
import { afterEach, describe, expect, it } from '@jest/globals';
import { createResolver, type Resolve } from '@gateway/outbound';

const typeOf = { 1: 'A', 28: 'AAAA' } as const;
/** What the name server does with a question: bytes of addresses, "no such name", or silence. */
type Zone = (question: {
  readonly name: string;
  readonly type: 'A' | 'AAAA';
}) => readonly (readonly number[])[] | 'NXDOMAIN' | 'silence';

const servers: dgram.Socket[] = [];
afterEach(() => {
  servers.splice(0).forEach((server) => server.close());
});

/** A resolver that asks a name server of ours on loopback, and the questions that it asked. */
async function aResolver(
  zone: Zone,
  timeoutMs = 900,
): Promise<{ resolve: Resolve; asked: string[]; denySilent: () => void }> {
  const asked: string[] = [];
  const silent: (() => void)[] = [];
  const server = dgram.createSocket('udp4', (query, client) => {
    const question = readQuestion(query);
    asked.push(`${question.name} ${question.type}`);
    const response = zone(question);
    const send = (said: Exclude<typeof response, 'silence'>): void => {
      server.send(complete(query, said), client.port, client.address);
    };
    if (response === 'silence') {
      silent.push(() => {
        send('NXDOMAIN');
      });
    } else send(response);
  });
  servers.push(server);
  await new Promise<void>((resolve) => {
    server.bind(0, '127.0.0.1', resolve);
  });
  return {
    asked,
    denySilent: () => {
      for (const deny of silent) deny();
    },
    resolve: createResolver({ timeoutMs, servers: [`127.0.0.1:${server.address().port}`] }),
  };
}

function readQuestion(query: Buffer): Parameters<Zone>[0] {
  const labels: string[] = [];
  let at = 12;
  for (let length = query[at] ?? 0; length > 0; length = query[at] ?? 0) {
    labels.push(query.toString('latin1', at + 1, at + 1 + length));
    at += 1 + length;
  }
  return {
    name: labels.join('.'),
    type: typeOf[query.readUInt16BE(at + 1) as keyof typeof typeOf],
  };
}

function complete(query: Buffer, response: readonly (readonly number[])[] | 'NXDOMAIN'): Buffer {
  const question = query.subarray(12, query.indexOf(0, 12) + 5);
  const records = response === 'NXDOMAIN' ? [] : response;
  const header = Buffer.alloc(12);
  header.set([
    query[0] ?? 0,
    query[1] ?? 0,
    0x81,
    response === 'NXDOMAIN' ? 0x83 : 0x80,
    0,
    1,
    0,
    records.length,
  ]);
  const type = question.subarray(-4, -2);
  return Buffer.concat([
    header,
    question,
    ...records.map((data) =>
      Buffer.from([0xc0, 12, ...type, 0, 1, 0, 0, 0, 60, 0, data.length, ...data]),
    ),
  ]);
}

const ipv4 = [192, 0, 2, 7];
const ipv6 = [0x20, 0x01, 0x0d, 0xb8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 7];

describe("resolving a stranger's name", () => {
  it('gives all addresses of both families', async () => {
    const { resolve, asked } = await aResolver(({ type }) =>
      type === 'A' ? [ipv4, [192, 0, 2, 8]] : [ipv6],
    );

    const addresses = await resolve('receiver.example');

    expect([...addresses].sort()).toEqual(['192.0.2.7', '192.0.2.8', '2001:db8::7']);
    expect(asked.sort()).toEqual(['receiver.example A', 'receiver.example AAAA']);
  });

  it.each<[string, Zone, string]>([
    ['IPv6', ({ type }) => (type === 'A' ? [ipv4] : []), '192.0.2.7'],
    ['IPv4', ({ type }) => (type === 'A' ? [] : [ipv6]), '2001:db8::7'],
    ['IPv6, by denying the name', ({ type }) => (type === 'A' ? [ipv4] : 'NXDOMAIN'), '192.0.2.7'],
  ])('gives one family when it has no %s', async (_family, zone, expected) => {
    await expect((await aResolver(zone)).resolve('receiver.example')).resolves.toEqual([expected]);
  });

  it('does not wait for a family that is never responded', async () => {
    const zone: Zone = ({ type }) => (type === 'A' ? [ipv4] : 'silence');
    const { resolve, denySilent } = await aResolver(zone, 3_600_000);

    // Whoever waited for the silent question would wait an hour.
    await expect(resolve('receiver.example')).resolves.toEqual(['192.0.2.7']);
    denySilent();
  });

  it.each<[string, Zone, string]>([
    ['is not there', () => 'NXDOMAIN', 'ENOTFOUND'],
    ['has no address', () => [], 'ENODATA'],
    ['is never answered', () => 'silence', 'ETIMEOUT'],
  ])('rejects when it %s', async (_case, zone, code) => {
    await expect((await aResolver(zone)).resolve('receiver.example')).rejects.toMatchObject({
      code,
    });
  });

  it('asks the system, not the name server, for names of the own network', async () => {
    const { resolve, asked } = await aResolver(() => 'NXDOMAIN');

    await expect(resolve('localhost')).resolves.toContain('127.0.0.1');

    expect(asked).toEqual([]);
  });
});
