import { randomBytes } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { readReceiptKeys } from '../../../services/api/src/adapters/receipt-keys.ts';
import { issuerIn, judgeReceipt, keysIn } from '../../../packages/cli/src/receipt.ts';

const seed = (): string => randomBytes(32).toString('base64');
const [first, second] = [seed(), seed()];
const gateway = readReceiptKeys(`k2:${second},k1:${first}`)!;
const sha256 = 'a'.repeat(64);
const statement = {
  version: 1,
  issuer: 'https://gateway.example',
  video: 'video_01h455vb4pex5vsknk084sn02q',
  model: 'sandbox-video',
  files: [{ kind: 'video', sha256, size_bytes: 10, content_type: 'video/mp4' }],
  duration: 5,
  resolution: '480p',
  ratio: '16:9',
  prompt_sha256: null,
  created_at: '2026-11-21T10:00:00.000Z',
  started_at: null,
  completed_at: '2026-11-21T10:00:09.000Z',
  billed_quota: 300,
};
const keys = keysIn(JSON.stringify({ keys: gateway.published }))!;
const receiptOf = (changed: object = {}): string =>
  JSON.stringify({ object: 'video.receipt', statement, ...gateway.sign(statement), ...changed });
const encoded = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');

describe('a receipt', () => {
  it('says yes for the file that it is of', () => {
    expect(judgeReceipt(receiptOf(), { keys, sha256 })).toMatchObject({
      valid: true,
      kind: 'video',
      statement: { billed_quota: 300 },
    });
    expect(issuerIn(receiptOf())).toBe('https://gateway.example');
  });

  it('is the same whenever it is made', () => {
    expect(receiptOf()).toBe(receiptOf());
  });

  it('stays good when another key signs the next ones', () => {
    const earlier = readReceiptKeys(`k1:${first}`)!;
    const receipt = JSON.stringify(earlier.sign(statement));

    expect(judgeReceipt(receipt, { keys, sha256 })).toMatchObject({ valid: true });
  });

  it('says no for every changed byte of what was signed', () => {
    const { payload, protected: head, signature } = gateway.sign(statement);
    for (const [name, text] of Object.entries({ payload, protected: head, signature })) {
      for (let at = 0; at < text.length - 1; at += 7) {
        const other = text[at] === 'A' ? 'B' : 'A';
        const changed = text.slice(0, at) + other + text.slice(at + 1);
        expect(judgeReceipt(receiptOf({ [name]: changed }), { keys, sha256 })).toMatchObject({
          valid: false,
        });
      }
    }
  });

  it.each([
    ['another file', receiptOf(), { sha256: 'b'.repeat(64) }, 'its hash is another'],
    ['no key', receiptOf(), { keys: [] }, 'is not among the known ones'],
    [
      'a key of the same name',
      receiptOf(),
      { keys: keysIn(JSON.stringify({ keys: readReceiptKeys(`k2:${seed()}`)!.published }))! },
      'its signature is wrong',
    ],
    ['no key at all', receiptOf(), { keys: [{ kid: 'k2', x: 'AAAA' }] }, 'its signature is wrong'],
    [
      'something else to read',
      receiptOf({ statement: { ...statement, billed_quota: 1 } }),
      {},
      'what it shows is not what was signed',
    ],
    [
      'another algorithm',
      receiptOf({ protected: encoded({ alg: 'none', kid: 'k2' }) }),
      {},
      'of another kind',
    ],
    ['no receipt', '{"object":"video"}', {}, 'this is no receipt'],
    ['no JSON', 'hello', {}, 'this is no receipt'],
    ['a list', '[]', {}, 'this is no receipt'],
  ])('says no for %s', (_title, text, given, reason) => {
    expect(judgeReceipt(text, { keys, sha256, ...given })).toEqual({
      valid: false,
      reason: expect.stringContaining(reason),
    });
  });
});

describe('the keys of receipts', () => {
  it.each([
    ['k1', 'entry 1'],
    ['k1:c2hvcnQ=', 'entry 1'],
    [`k1:${first},k 2:${second}`, 'entry 2'],
    [`k1:${first},k1:${second}`, 'two keys of the same name'],
  ])('cannot be %j, which is not repeated', (text, message) => {
    expect(() => readReceiptKeys(text)).toThrow(message);
    expect(() => readReceiptKeys(text)).not.toThrow(first);
  });

  it('are none for an empty setting', () => {
    expect(readReceiptKeys('')).toBeUndefined();
  });

  it('are published without what signs', () => {
    expect(gateway.published.map(({ kid }) => kid)).toEqual(['k2', 'k1']);
    expect(JSON.stringify(gateway.published)).not.toMatch(/"d"/);
  });
});
