import { describe, expect, it } from '@jest/globals';
import {
  billedSeconds,
  maxQuota,
  secondQuota,
  videoTokens,
  type BilledLength,
  type VideoPrice,
} from '@gateway/domain';

describe('the price of a second', () => {
  const byResolution: VideoPrice = {
    secondQuota: { '480p': 60, '720p': 100, '1080p': 220 },
    audioSecondQuota: 20,
  };

  it.each<[VideoPrice, { resolution: string; audio: boolean }, number]>([
    [byResolution, { resolution: '480p', audio: false }, 60],
    [byResolution, { resolution: '720p', audio: false }, 100],
    [byResolution, { resolution: '1080p', audio: false }, 220],
    [byResolution, { resolution: '720p', audio: true }, 120],
    [{ secondQuota: 100, audioSecondQuota: 20 }, { resolution: '720p', audio: false }, 100],
    [{ secondQuota: 100, audioSecondQuota: 20 }, { resolution: 'whatever', audio: true }, 120],
    [{ secondQuota: 100, audioSecondQuota: 0 }, { resolution: '720p', audio: true }, 100],
    [{ secondQuota: 0, audioSecondQuota: 5 }, { resolution: '720p', audio: true }, 5],
  ])('of %j for %j is %d', (price, options, quota) => {
    expect(secondQuota(price, options)).toBe(quota);
  });

  it('is an error, never a guess, where the configuration has none', () => {
    expect(() => secondQuota(byResolution, { resolution: '4k', audio: false })).toThrow('4k');
  });

  it('times the longest video stays exact in JSON', () => {
    expect(maxQuota).toBe(2 ** 53 - 1);
  });
});

describe('the seconds that are billed', () => {
  it.each<[string, BilledLength, number]>([
    [
      'the vendor says what the file says',
      { probedSeconds: 5, vendorSeconds: 5, reservedSeconds: 5 },
      5,
    ],
    [
      'the vendor is a little above the file',
      { probedSeconds: 5.04, vendorSeconds: 6, reservedSeconds: 10 },
      6,
    ],
    [
      'the vendor is a little below the file',
      { probedSeconds: 5.04, vendorSeconds: 5, reservedSeconds: 10 },
      5,
    ],
    [
      'the vendor is exactly a second above',
      { probedSeconds: 5, vendorSeconds: 6, reservedSeconds: 10 },
      6,
    ],
    [
      'the vendor is exactly a second below',
      { probedSeconds: 6, vendorSeconds: 5, reservedSeconds: 10 },
      5,
    ],
    [
      'the vendor is more than a second above',
      { probedSeconds: 5, vendorSeconds: 7, reservedSeconds: 10 },
      5,
    ],
    [
      'the vendor is more than a second below',
      { probedSeconds: 6.01, vendorSeconds: 5, reservedSeconds: 10 },
      6,
    ],
    ['the vendor is far off', { probedSeconds: 5, vendorSeconds: 5_000, reservedSeconds: 10 }, 5],
    [
      'the vendor says nothing',
      { probedSeconds: 5, vendorSeconds: undefined, reservedSeconds: 10 },
      5,
    ],
    [
      'the file is a little longer than a whole second',
      { probedSeconds: 5.49, vendorSeconds: undefined, reservedSeconds: 10 },
      5,
    ],
    [
      'the file is half a second longer',
      { probedSeconds: 5.5, vendorSeconds: undefined, reservedSeconds: 10 },
      6,
    ],
    [
      'the file is nearly empty',
      { probedSeconds: 0.04, vendorSeconds: undefined, reservedSeconds: 10 },
      1,
    ],
    [
      'the vendor agrees on nearly nothing',
      { probedSeconds: 0.4, vendorSeconds: 0, reservedSeconds: 10 },
      1,
    ],
    [
      'the file is longer than was reserved',
      { probedSeconds: 12, vendorSeconds: undefined, reservedSeconds: 5 },
      5,
    ],
    [
      'the vendor and the file are longer than was reserved',
      { probedSeconds: 12.2, vendorSeconds: 12, reservedSeconds: 5 },
      5,
    ],
    [
      'less was made than was reserved',
      { probedSeconds: 4, vendorSeconds: 4, reservedSeconds: 15 },
      4,
    ],
  ])('when %s', (_case, length, seconds) => {
    expect(billedSeconds(length)).toBe(seconds);
  });
});

describe('the tokens of a video', () => {
  it.each([
    [{ width: 1280, height: 720, seconds: 5 }, 108_900],
    [{ width: 1920, height: 1088, seconds: 5 }, 246_840],
    [{ width: 640, height: 368, seconds: 1 }, 5_750],
    [{ width: 641, height: 361, seconds: 2 }, 11_073],
  ])('of %j are %d', (video, tokens) => {
    expect(videoTokens(video)).toBe(tokens);
  });
});
