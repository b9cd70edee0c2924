import { describe, expect, it } from '@jest/globals';
import { readRetryAfterMs } from '../../../packages/video-providers/src/retry-after.ts';
import {
  known,
  readCode,
  readLink,
  readNumber,
  readWholeNumber,
} from '../../../packages/video-providers/src/vendor-value.ts';

describe('a Retry-After header', () => {
  const now = Date.parse('2026-01-01T00:00:00Z');

  it.each([
    ['7', 7_000],
    [' 0 ', 0],
    ['0.5', 500],
    ['86400', 3_600_000],
    ['Thu, 01 Jan 2026 00:00:30 GMT', 30_000],
    ['Wed, 31 Dec 2025 00:00:00 GMT', 0],
    ['soon', undefined],
    ['', undefined],
    [undefined, undefined],
    ['-5x', undefined],
  ])('%p asks for %p ms', (header, expectedMs) => {
    expect(readRetryAfterMs(header, now)).toBe(expectedMs);
  });
});

describe('an unchecked value', () => {
  it.each([
    [5, 5],
    ['5', 5],
    ['-1', -1],
    ['5.5', 5.5],
    ['5s', undefined],
    ['1e9', undefined],
    ['', undefined],
    [NaN, undefined],
    [Infinity, undefined],
    [null, undefined],
    [{}, undefined],
  ])('%p as a number is %p', (value, number) => {
    expect(readNumber(value)).toBe(number);
  });

  it.each([
    [5, 0, 5],
    [5.5, 0, undefined],
    [-1, 0, undefined],
    [-1, -1, -1],
    [2 ** 60, 0, undefined],
  ])('%p as a whole number from %p is %p', (value, least, number) => {
    expect(readWholeNumber(value, least)).toBe(number);
  });

  it.each([
    ['E1', 'E1'],
    [1300, '1300'],
    ['', undefined],
    [true, undefined],
  ])('%p as a code is %p', (value, code) => {
    expect(readCode(value)).toBe(code);
  });

  it.each([
    ['https://a.example/b?c', true],
    ['http://a.example', true],
    ['ftp://a.example', false],
    ['//a.example', false],
    ['javascript:1', false],
    [5, false],
  ])('%p is a link: %p', (value, isLink) => {
    expect(readLink(value) !== undefined).toBe(isLink);
  });

  it('is left out when it is not known', () => {
    expect(known({ a: 1, b: undefined, c: null })).toStrictEqual({ a: 1, c: null });
  });
});
