import { randomBytes } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { createFeedPositions } from '../../../services/api/src/adapters/feed-positions.ts';

const aKey = () => ({ secret: randomBytes(32) });
const [older, newer] = [aKey(), aKey()];
const positions = createFeedPositions([older]);

describe('a position in the feed of events', () => {
  it.each([0, 1, 4_711, Number.MAX_SAFE_INTEGER])('%s is found again', (position) => {
    const sealed = positions.seal(position, 'acc_1');
    expect(sealed).toHaveLength(48);
    expect(positions.open(sealed, 'acc_1')).toBe(position);
  });

  it('looks different each time, and is of one account', () => {
    const sealed = positions.seal(7, 'acc_1');
    expect(positions.seal(7, 'acc_1')).not.toBe(sealed);
    expect(positions.open(sealed, 'acc_2')).toBeUndefined();
  });

  it('is found after a change of keys, as long as its own is there', () => {
    const sealed = positions.seal(7, 'acc_1');
    expect(createFeedPositions([newer, older]).open(sealed, 'acc_1')).toBe(7);
    expect(createFeedPositions([newer]).open(sealed, 'acc_1')).toBeUndefined();
  });

  it('cannot be changed, made up or cut short', () => {
    const sealed = positions.seal(7, 'acc_1');
    for (let at = 0; at < sealed.length; at += 1) {
      const other = sealed[at] === 'A' ? 'B' : 'A';
      const changed = sealed.slice(0, at) + other + sealed.slice(at + 1);
      expect(positions.open(changed, 'acc_1')).toBeUndefined();
    }
    expect(positions.open(sealed.slice(0, 40), 'acc_1')).toBeUndefined();
    expect(positions.open(randomBytes(36).toString('base64url'), 'acc_1')).toBeUndefined();
  });

  it('needs a key', () => {
    expect(() => createFeedPositions([])).toThrow(/need a key/);
  });
});
