import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { WrittenReference } from '@gateway/contracts';
import { parseDataUrl } from '@gateway/media';
import { createOutboundClient, parseCidrs } from '@gateway/outbound';
import { openPeer, type Peer } from '@gateway/testing';
import { anMp4 } from '../../integration/media/mp4-files.ts';
import { createReferenceMeter } from '../../../services/api/src/adapters/reference-meter.ts';
import type { Measured, PriceVideoPorts } from '../../../services/api/src/use-cases/price-video.ts';
import { wav } from './asset-files.ts';

type Meter = PriceVideoPorts['measure'];

let clip: Buffer;
let peer: Peer;
/** Responses that are not ended yet, by their release. */
let held: (() => void)[] = [];
beforeAll(async () => {
  clip = await anMp4(24);
  peer = await openPeer(({ path }, response) => {
    if (path === '/held') held.push(() => response.end(clip));
    else if (path === '/moved') response.writeHead(302, { location: '/clip.mp4' }).end();
    else if (path === '/away') {
      response.writeHead(302, { location: 'http://169.254.169.254/latest' }).end();
    } else if (path === '/large') response.end(Buffer.alloc(16_777_217));
    else if (path === '/lies') {
      response.writeHead(206, { 'content-range': 'bytes 5-9/10' }).end(clip.subarray(0, 5));
    } else if (path === '/gone') response.writeHead(404).end();
    else response.end(clip);
  });
});
afterAll(() => peer.close());

const aMeter = (cidrs = '127.0.0.0/8', timeoutMs = 5_000): Meter =>
  createReferenceMeter({
    outbound: createOutboundClient({
      allowCidrs: parseCidrs(cidrs),
      allowHttp: true,
      userAgent: 'tests',
    }),
    judge: parseDataUrl,
    maxBytes: { image: 1_000_000, video: 1_000_000, audio: 1_000_000 },
    timeoutMs,
  });

const at = (path: string): WrittenReference => ({
  kind: 'video',
  role: 'reference_video',
  source: { type: 'url', text: `${peer.url}${path}` },
  param: 'references[0].url',
});
const measured = async (
  reference: WrittenReference,
  meter = aMeter(),
): Promise<Measured | undefined> => (await meter([reference], 'acct_one')).get(reference);

describe('a reference', () => {
  it('is measured where it has moved to', async () => {
    expect(await measured(at('/moved'))).toEqual({ seconds: expect.closeTo(2.4, 3) });
  });

  it('is measured in a data URL', async () => {
    const sound: WrittenReference = {
      ...at(''),
      kind: 'audio',
      role: 'reference_audio',
      source: { type: 'data', text: `data:audio/wav;base64,${wav.toString('base64')}` },
    };

    expect(await measured(sound)).toEqual({ seconds: 1 });
  });

  it('is fetched once in a request that names it twice', async () => {
    const before = peer.received.length;
    const [one, same] = [at('/clip.mp4'), at('/clip.mp4')];

    const lengths = await aMeter()([one, same], 'acct_one');

    expect([...lengths.keys()]).toEqual([one, same]);
    expect(peer.received).toHaveLength(before + 1);
  });

  it.each([
    ['in a private network', '/away', 'must point to a public address'],
    ['that is too large for a server without parts', '/large', 'larger than 16777216 bytes'],
    ['whose server serves other parts', '/lies', 'does not serve the parts of the file'],
    ['that is not there', '/gone', 'HTTP 404'],
  ])('%s has no length, and its customer is told why', async (_what, path, why) => {
    expect(await measured(at(path))).toEqual({ problem: expect.stringContaining(why) });
  });

  it('at an address that may not be reached has no length, and nothing is sent', async () => {
    const before = peer.received.length;

    expect(await measured(at('/clip.mp4'), aMeter(''))).toEqual({
      problem: expect.stringContaining('must point to a public address'),
    });
    expect(peer.received).toHaveLength(before);
  });
});

describe('requests that measure at once', () => {
  it('are four of an account; others of it are put off, and other accounts are not', async () => {
    const meter = aMeter('127.0.0.0/8', 20_000);
    held = [];
    const four = [1, 2, 3, 4].map(() => meter([at('/held')], 'acct_one'));

    await expect(meter([at('/clip.mp4')], 'acct_one')).rejects.toMatchObject({
      code: 'overloaded',
    });
    const other = at('/clip.mp4');
    expect((await meter([other], 'acct_two')).get(other)).toHaveProperty('seconds');

    while (held.length < 4) await new Promise((resolve) => setImmediate(resolve));
    for (const release of held) release();
    await Promise.all(four);
    const again = at('/clip.mp4');
    expect((await meter([again], 'acct_one')).get(again)).toHaveProperty('seconds');
  });

  it('end in time, whatever the address does', async () => {
    expect(await measured(at('/held'), aMeter('127.0.0.0/8', 200))).toEqual({
      problem: 'it was not read in time',
    });
  });
});
