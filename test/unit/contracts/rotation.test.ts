import { describe, expect, it } from '@jest/globals';
import { createAdminRequestReader, createRotationReader } from '@gateway/contracts';

const readers = {
  'a customer’s': createRotationReader(),
  'an operator’s': createAdminRequestReader({
    scopes: ['text'],
    usualScopes: ['text'],
    now: () => new Date(),
  }),
};

describe.each(Object.entries(readers))('%s request to rotate a callback secret', (_whose, read) => {
  it.each<[unknown, number]>([
    [undefined, 86_400],
    [{}, 86_400],
    [{ overlap_seconds: 0 }, 0],
    [{ overlap_seconds: 604_800 }, 604_800],
  ])('%j lets the secret before sign for %d seconds', (body, seconds) => {
    expect(read.overlapSeconds(body)).toBe(seconds);
  });

  it.each<[unknown, string, string | null, string]>([
    [
      { overlap_seconds: -1 },
      'invalid_parameter',
      'overlap_seconds',
      'overlap_seconds must be an integer between 0 and 604800; got -1',
    ],
    [
      { overlap_seconds: 604_801 },
      'invalid_parameter',
      'overlap_seconds',
      'overlap_seconds must be an integer between 0 and 604800; got 604801',
    ],
    [
      { overlap_seconds: '600' },
      'invalid_parameter',
      'overlap_seconds',
      'overlap_seconds must be an integer between 0 and 604800; got "600"',
    ],
    [
      { overlap_seconds: null },
      'invalid_parameter',
      'overlap_seconds',
      'overlap_seconds must be an integer between 0 and 604800; got null',
    ],
    [
      { overlap: 1 },
      'unknown_parameter',
      'overlap',
      'overlap is not a known field; check its spelling',
    ],
    [
      [],
      'invalid_parameter',
      null,
      'the body must be a JSON object, such as {"overlap_seconds": 86400}, or left out; got []',
    ],
    [
      null,
      'invalid_parameter',
      null,
      'the body must be a JSON object, such as {"overlap_seconds": 86400}, or left out; got null',
    ],
  ])('%j is refused', (body, code, param, message) => {
    expect(() => read.overlapSeconds(body)).toThrow(
      expect.objectContaining({ code, param, message }),
    );
  });
});
