import { createHash, randomBytes } from 'node:crypto';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { run } from '../../../packages/cli/src/run.ts';
import { keepKeys, keptKeys } from '../../../packages/cli/src/receipt-keys.ts';
import type { Terminal } from '../../../packages/cli/src/terminal.ts';
import { openPeer, type Peer } from '../../../packages/testing/src/peer.ts';
import { readReceiptKeys } from '../../../services/api/src/adapters/receipt-keys.ts';

let folder: string;
let printed: string;
const peers: Peer[] = [];
beforeEach(async () => {
  folder = await mkdtemp(path.join(os.tmpdir(), 'gw-receipts-'));
  printed = '';
});
afterEach(async () => {
  await Promise.all(peers.splice(0).map((peer) => peer.close()));
  await rm(folder, { recursive: true, force: true });
});

const output = (isTTY = false) => ({
  isTTY,
  write: (text: string) => {
    printed += text;
  },
});
const terminal = (baseUrl = '', isTTY = false): Terminal => ({
  stdin: (async function* () {})(),
  stdout: output(isTTY),
  stderr: output(),
  env: { XDG_CONFIG_HOME: folder, GW_API_KEY: 'sk-gw-test', GW_BASE_URL: baseUrl },
  folder,
  signal: new AbortController().signal,
});

const seed = (): string => randomBytes(32).toString('base64');
const clip = Buffer.from('a clip');
const statementOf = (issuer: string) => ({
  version: 1,
  issuer,
  video: 'video_01h455vb4pex5vsknk084sn02q',
  model: 'sandbox-video',
  files: [{ kind: 'video', sha256: createHash('sha256').update(clip).digest('hex') }],
  duration: 5,
  resolution: '480p',
  completed_at: '2026-11-21T10:00:09.000Z',
  billed_quota: 300,
});

/** A gateway that signs in the name of whoever it likes. */
async function aGateway(keys: string, issuer?: string): Promise<Peer> {
  const { sign, published } = readReceiptKeys(keys)!;
  const peer = await openPeer(({ path: asked }, response) => {
    const statement = statementOf(issuer ?? peer.url);
    const body = asked.startsWith('/.well-known/')
      ? { keys: published }
      : { object: 'video.receipt', statement, ...sign(statement) };
    response.setHeader('content-type', 'application/json').end(JSON.stringify(body));
  });
  peers.push(peer);
  return peer;
}
const fetchReceipt = (from: Peer, name = 'receipt.json') =>
  run(['videos', 'receipt', 'video_01h455vb4pex5vsknk084sn02q', '-o', name], terminal(from.url));
const verify = async (name = 'receipt.json', isTTY = false) => {
  await writeFile(path.join(folder, 'clip.mp4'), clip);
  return run(['verify', 'clip.mp4', name], terminal('', isTTY));
};

describe('gw verify', () => {
  it('trusts the keys that came from the origin of the receipt', async () => {
    const gateway = await aGateway(`k1:${seed()}`);

    expect(await fetchReceipt(gateway)).toBe(0);
    expect(await verify()).toBe(0);
    expect(printed).toContain('yes: video_01h455vb4pex5vsknk084sn02q');
  });

  it('trusts nobody with the keys of another origin, though the name of the key be the same', async () => {
    const honest = await aGateway(`k1:${seed()}`);
    const forger = await aGateway(`k2:${seed()}`, honest.url);
    await fetchReceipt(honest, 'honest.json');

    expect(await fetchReceipt(forger, 'forged.json')).toBe(0);

    expect(printed).toContain('no keys are kept');
    expect(await verify('forged.json')).toBe(1);
    expect(await verify('honest.json')).toBe(0);
    const kept: unknown = JSON.parse(
      await readFile(path.join(folder, 'gw/receipt-keys.json'), 'utf8'),
    );
    expect(Object.keys(kept as object)).toEqual([honest.url]);
  });

  it('knows no keys of an issuer that nobody has asked', async () => {
    await fetchReceipt(await aGateway(`k1:${seed()}`, 'https://gateway.example'));

    expect(await verify()).not.toBe(0);
    expect(printed).toContain('No keys of https://gateway.example are known here');
  });

  it('says yes in a colour that a terminal understands', async () => {
    await fetchReceipt(await aGateway(`k1:${seed()}`));
    await verify('receipt.json', true);

    expect(printed).toContain('\u001B[32myes\u001B[0m');
  });
});

describe('the kept keys of receipts', () => {
  const origin = 'https://gateway.example';
  const [a, b] = [
    { kid: 'k1', x: 'a' },
    { kid: 'k1', x: 'b' },
  ];
  const next = { kid: 'k2', x: 'c' };

  it.each([[[a, b]], [[b, a]], [[a, next, b]], [[b, next, a]]])(
    'have no name for two keys, in whichever order: %j',
    async (found) => {
      await expect(keepKeys(terminal(), { origin, found })).rejects.toThrow('another key k1');
      expect(await keptKeys(terminal(), origin)).toEqual([]);
    },
  );

  it.each([
    [[b], [a]],
    [[a], [a, b]],
    [[a], [b, a]],
    [
      [a, next],
      [next, b],
    ],
  ])('of %j are not changed by %j', async (known, found) => {
    await keepKeys(terminal(), { origin, found: known });

    await expect(keepKeys(terminal(), { origin, found })).rejects.toThrow('another key k1');
    expect(await keptKeys(terminal(), origin)).toMatchObject(known);
  });

  it('grow by keys that are new, and are the same for the same keys', async () => {
    await keepKeys(terminal(), { origin, found: [a] });
    await keepKeys(terminal(), { origin, found: [next, a] });
    await keepKeys(terminal(), { origin, found: [a, next] });

    expect(await keptKeys(terminal(), origin)).toMatchObject([a, next]);
  });
});
