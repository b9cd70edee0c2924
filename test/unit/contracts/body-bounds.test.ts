import { describe, expect, it } from '@jest/globals';
import { GatewayError } from '@gateway/domain';
import { aReader } from './samples.ts';

const read = aReader();

function refusalOf(body: unknown): GatewayError {
  try {
    read(body);
  } catch (error) {
    if (GatewayError.is(error)) return error;
    throw error;
  }
  throw new Error('the body was not refused');
}

const nested = (depth: number): unknown => (depth === 0 ? 'x' : [nested(depth - 1)]);

describe('a body that no request could have', () => {
  it.each([
    ['is nested too deeply', { prompt: nested(5_000) }],
    ['has a million entries', { references: Array.from({ length: 1_000_000 }, () => 0) }],
    [
      'has a hundred thousand fields',
      Object.fromEntries(Array.from({ length: 100_000 }, (_unused, index) => [`f${index}`, 1])),
    ],
    ['holds U+0000, which cannot be stored', { model: 'film-1', prompt: 'a\u0000b' }],
    [
      'holds half of a surrogate pair in a name',
      { model: 'film-1', prompt: 'x', metadata: { ['\ud800']: 'v' } },
    ],
  ])('%s: is refused with one short message', (_name, body) => {
    const { code, message, details } = refusalOf(body);

    expect({ code, details: details.length }).toEqual({ code: 'invalid_parameter', details: 1 });
    expect(message.length).toBeLessThan(100);
  });

  it('names at most fifty of its violations, and of a long name only the beginning', () => {
    const body = {
      model: 'film-1',
      prompt: 'x',
      ...Object.fromEntries(
        Array.from({ length: 100 }, (_unused, index) => [`f${index}${'x'.repeat(10_000)}`, 1]),
      ),
    };

    const { details, message } = refusalOf(body);

    expect(details).toHaveLength(50);
    expect(message.length).toBeLessThan(200);
  });

  it('takes emoji and every other whole character', () => {
    expect(() => read({ model: 'film-1', prompt: '🎈 猫 \u{10ffff}' })).not.toThrow();
  });
});
