import { createHmac } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { createVideoProvider } from '@gateway/video-providers';
import {
  bearerOf,
  mintToken,
  splitKey,
} from '../../../packages/video-providers/src/minted-token.ts';
import { startScriptedVendor } from '../../contracts/scripted-vendor.ts';

const apiKey = 'access-0123456789:secret-0123456789';
const nowMs = 1_700_000_000_900;

describe('a token made from the two halves of a key', () => {
  it('says who asks and for half an hour, and is signed with the secret half', () => {
    const [header = '', claims = '', signature] = mintToken(splitKey(apiKey)!, nowMs).split('.');
    const read = (part: string): unknown => JSON.parse(Buffer.from(part, 'base64url').toString());

    expect(read(header)).toEqual({ alg: 'HS256', typ: 'JWT' });
    expect(read(claims)).toEqual({
      iss: 'access-0123456789',
      exp: 1_700_001_800,
      nbf: 1_699_999_995,
    });
    expect(signature).toBe(
      createHmac('sha256', 'secret-0123456789').update(`${header}.${claims}`).digest('base64url'),
    );
  });

  it.each(['key', 'a:b:c', ':b', 'a:'])('is not made from %j, which is sent as it is', (key) => {
    expect(splitKey(key)).toBeUndefined();
    expect(bearerOf(key)).toBe(key);
  });

  it('is what the vendor gets; neither half leaves this process or comes back', async () => {
    const vendor = await startScriptedVendor(() => 'poll');
    const echo = `no: ${apiKey} ${apiKey.split(':').join(' ')}`;
    vendor.on('poll', { status: 401, body: { code: 1002, message: echo } });
    try {
      const provider = createVideoProvider('kling', {
        baseUrl: vendor.url,
        apiKey,
        timeoutMs: 5_000,
      });
      const outcome = await provider.poll('1', AbortSignal.timeout(5_000));

      const [{ headers }] = vendor.seen as [(typeof vendor.seen)[number]];
      expect(headers.authorization).toMatch(/^Bearer [\w-]+\.[\w-]+\.[\w-]+$/);
      expect(JSON.stringify(headers)).not.toContain('0123456789');
      expect(JSON.stringify(outcome)).not.toContain('0123456789');
    } finally {
      await vendor.stop();
    }
  });
});
