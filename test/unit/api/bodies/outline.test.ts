import { isAscii } from 'node:buffer';
import { describe, expect, it } from '@jest/globals';
import { Outline } from '../../../../services/api/src/bodies/outline.ts';

const outlineOf = (texts: readonly string[]): { whole: Buffer; outline: Outline } => {
  const content = texts.map((text) => ({ type: 'text', text }));
  const whole = Buffer.from(JSON.stringify({ messages: [{ role: 'user', content }] }));
  const bounds = { maxDepth: 64, maxValues: 1_000_000, mostBytes: 10_000_000 };
  const outline = Outline.of(whole, bounds);
  if (outline === undefined) throw new Error('nothing was cut out');
  return { whole, outline };
};

describe('an outline', () => {
  it('is ASCII unless a text begins or ends with something else', () => {
    const { outline } = outlineOf([`${'word '.repeat(400)}\u2013${' and more'.repeat(6)}`]);

    expect(isAscii(outline.bytes)).toBe(true);
  });

  it.each([1, 5_000])('of %i long texts gives the whole back, byte by byte', (count) => {
    const { whole, outline } = outlineOf(
      Array.from(
        { length: count },
        (_, index) => `${index} \u2013 "${'word '.repeat(300)}" ${index}`,
      ),
    );

    expect(outline.bytes.length).toBeLessThan(whole.length / 5);
    const restored = outline.restore(outline.bytes) ?? [];
    expect(Buffer.concat(restored).equals(whole)).toBe(true);
  });
});
