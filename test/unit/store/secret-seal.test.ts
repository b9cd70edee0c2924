import { describe, expect, it } from '@jest/globals';
import { secretSealOf } from '../../../packages/store/src/callbacks/secret-seal.ts';

const key = (fill: number): string => Buffer.alloc(32, fill).toString('base64');
const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';

describe('a sealed callback secret', () => {
  it('does not show itself, is never the same twice, and opens again', () => {
    const seal = secretSealOf(`k1:${key(1)}`);
    const stored = seal.close(secret, 'acct_1');

    expect(stored).toMatch(/^sealed\.k1\.[\w-]+$/);
    expect(Buffer.from(stored.slice(10), 'base64url').toString('latin1')).not.toContain('whsec');
    expect(seal.close(secret, 'acct_1')).not.toBe(stored);
    expect(seal.open(stored, 'acct_1')).toBe(secret);
  });

  it('opens under a key that was first before, and is then out of date', () => {
    const stored = secretSealOf(`k1:${key(1)}`).close(secret, 'acct_1');
    const seal = secretSealOf(`k2:${key(2)},k1:${key(1)}`);

    expect(seal.open(stored, 'acct_1')).toBe(secret);
    expect([
      seal.isCurrent(stored),
      seal.isCurrent(secret),
      seal.isCurrent(seal.close(secret, 'acct_1')),
    ]).toEqual([false, false, true]);
  });

  it('does not open for another account, under another key, or when it was altered', () => {
    const seal = secretSealOf(`k1:${key(1)}`);
    const stored = seal.close(secret, 'acct_1');
    const altered = `${stored.slice(0, -2)}${stored.endsWith('AA') ? 'BB' : 'AA'}`;

    expect(() => seal.open(stored, 'acct_2')).toThrow('cannot be opened');
    expect(() => seal.open(altered, 'acct_1')).toThrow('cannot be opened');
    expect(() => secretSealOf(`k1:${key(2)}`).open(stored, 'acct_1')).toThrow('cannot be opened');
    expect(() => secretSealOf(`k2:${key(1)}`).open(stored, 'acct_1')).toThrow(
      '"k1", which CALLBACK_SECRET_KEYS does not have',
    );
  });

  it('is in clear without keys, and what is in clear is read with keys too', () => {
    expect(secretSealOf('').close(secret, 'acct_1')).toBe(secret);
    expect(secretSealOf('').isCurrent(secret)).toBe(true);
    expect(secretSealOf(`k1:${key(1)}`).open(secret, 'acct_1')).toBe(secret);
  });

  it.each([
    [key(1), 'entry 1'],
    ['k1:short', '"k1" must be 32 bytes'],
    [`k1:${key(1)},k1:${key(2)}`, 'twice'],
  ])('refuses keys that are wrong, without showing them', (keys, message) => {
    expect(() => secretSealOf(keys)).toThrow(message);
    expect(() => secretSealOf(keys)).not.toThrow(key(1));
  });
});
