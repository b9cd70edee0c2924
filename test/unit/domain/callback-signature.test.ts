import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { Webhook } from 'standardwebhooks';
import { signatureHeader } from '@gateway/domain';

const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
const olderSecret = 'whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD';
const signable = (body: string, timestampSeconds = 1_614_265_330) => ({
  id: 'msg_p5jXN8AQM9LWM0D4loKWxJek',
  timestampSeconds,
  body: Buffer.from(body),
});

describe('the signature of a push', () => {
  it.each([
    [
      'the vector of the Standard Webhooks specification',
      '{"test": 2432232314}',
      'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
    ],
    [
      'a body beyond ASCII',
      '{"id":"video_1","status":"succeeded","prompt":"猫🐱"}',
      'v1,OwMM0hTLLATxynXs9ekpUG6iN4ZznBc1Q7f2LGS7j0g=',
    ],
  ])('is right for %s', (_name, body, expected) => {
    expect(signatureHeader(signable(body), [secret])).toBe(expected);
  });

  it('is one signature for each valid secret, in the order given', () => {
    const both = signatureHeader(signable('{}'), [secret, olderSecret]);

    expect(both).toBe(
      `${signatureHeader(signable('{}'), [secret])} ${signatureHeader(signable('{}'), [olderSecret])}`,
    );
  });

  it('is accepted by the published receiver library, with either secret, for any body', () => {
    fc.assert(
      fc.property(fc.json(), (body) => {
        const now = Math.floor(Date.now() / 1000);
        const headers = {
          'webhook-id': 'msg_p5jXN8AQM9LWM0D4loKWxJek',
          'webhook-timestamp': String(now),
          'webhook-signature': signatureHeader(signable(body, now), [secret, olderSecret]),
        };

        for (const each of [secret, olderSecret]) {
          expect(new Webhook(each).verify(body, headers)).toEqual(JSON.parse(body));
        }
        expect(() => new Webhook(secret).verify(`${body} `, headers)).toThrow(
          'No matching signature',
        );
      }),
      { numRuns: 50 },
    );
  });
});
