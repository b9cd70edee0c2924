import { describe, expect, it } from '@jest/globals';
import { canonicalMediaType, probeImage, sniffBytes, sniffMediaType } from '@gateway/media';
import { aJpeg, aPng, samples } from './samples.ts';

describe('the type of a file by its first bytes', () => {
  it.each(samples.map(([name, content, type]) => ({ name, content, type })))('of $name is $type', ({ content, type }) => {
    expect(sniffMediaType(content)).toBe(type);
    expect(sniffMediaType(content.subarray(0, sniffBytes))).toBe(type);
  });
});

describe('the spelling of a declared type', () => {
  it.each([
    ['image/PNG', 'image/png'],
    ['image/jpg', 'image/jpeg'],
    ['audio/mp3', 'audio/mpeg'],
    ['audio/x-wav', 'audio/wav'],
    ['video/mp4; codecs="avc1"', 'video/mp4'],
    ['text/html', 'text/html'],
  ])('%s becomes %s', (declared, expected) => {
    expect(canonicalMediaType(declared)).toBe(expected);
  });
});

describe('the size of an image by its first bytes', () => {
  it.each([[640, 368], [1, 1], [7_680, 4_320]])('%i × %i', (width, height) => {
    expect(probeImage(aPng(width, height))).toEqual({ mediaType: 'image/png', width, height });
    expect(probeImage(aJpeg(width, height))).toEqual({ mediaType: 'image/jpeg', width, height });
    expect(probeImage(aJpeg(width, height, 0xc2))).toEqual({ mediaType: 'image/jpeg', width, height });
  });

  it('is not known when the bytes end early, are broken or are no such image', () => {
    const jpeg = aJpeg(640, 368);

    expect(probeImage(aPng(640, 368).subarray(0, 20))).toBeUndefined();
    expect(probeImage(aPng(0, 368))).toBeUndefined();
    for (let length = 0; length < jpeg.length - 21; length += 1) expect(probeImage(jpeg.subarray(0, length))).toBeUndefined();
    jpeg[20] = 0; // the mark of the second segment
    expect(probeImage(jpeg)).toBeUndefined();
    expect(probeImage(Buffer.from('\xff\xd8\xff\xe0\0\0\0\0\0\0\0\0\0\0\0\0', 'latin1'))).toBeUndefined();
    expect(probeImage(Buffer.from('GIF89a\x01\0\x01\0', 'latin1'))).toBeUndefined();
  });
});
