import { describe, expect, it } from '@jest/globals';
import { canonicalMediaType, probeImage, sniffBytes, sniffMediaType } from '@gateway/media';
import { aJpeg, aPng, samples } from './samples.ts';

describe('the type of a file by its first bytes', () => {
  it.each(samples.map(([name, content, type]) => ({ name, content, type })))(
    'of $name is $type',
    ({ content, type }) => {
      expect(sniffMediaType(content)).toBe(type);
      expect(sniffMediaType(content.subarray(0, sniffBytes))).toBe(type);
    },
  );
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
  it.each([
    [640, 368],
    [1, 1],
    [7_680, 4_320],
  ])('%i × %i', (width, height) => {
    expect(probeImage(aPng(width, height))).toEqual({ mediaType: 'image/png', width, height });
    expect(probeImage(aJpeg(width, height))).toEqual({ mediaType: 'image/jpeg', width, height });
    expect(probeImage(aJpeg(width, height, 0xc2))).toEqual({
      mediaType: 'image/jpeg',
      width,
      height,
    });
  });

  const after = (start: string, length: number, write: (bytes: Buffer) => void): Buffer => {
    const bytes = Buffer.alloc(length);
    bytes.write(start, 'latin1');
    write(bytes);
    return bytes;
  };
  it.each([
    [
      'a GIF',
      'image/gif',
      after('GIF89a', 13, (bytes) => {
        bytes.writeUInt16LE(640, 6);
        bytes.writeUInt16LE(368, 8);
      }),
    ],
    [
      'a BMP from below',
      'image/bmp',
      after('BM', 54, (bytes) => {
        bytes.writeUInt32LE(40, 14);
        bytes.writeInt32LE(640, 18);
        bytes.writeInt32LE(368, 22);
      }),
    ],
    [
      'a BMP from above',
      'image/bmp',
      after('BM', 54, (bytes) => {
        bytes.writeUInt32LE(40, 14);
        bytes.writeInt32LE(640, 18);
        bytes.writeInt32LE(-368, 22);
      }),
    ],
    [
      'an old BMP',
      'image/bmp',
      after('BM', 26, (bytes) => {
        bytes.writeUInt32LE(12, 14);
        bytes.writeUInt16LE(640, 18);
        bytes.writeUInt16LE(368, 20);
      }),
    ],
    [
      'a lossy WebP',
      'image/webp',
      after('RIFF\x10\0\0\0WEBPVP8 ', 40, (bytes) => {
        bytes.writeUInt16LE(640, 26);
        bytes.writeUInt16LE(368, 28);
      }),
    ],
    [
      'a lossless WebP',
      'image/webp',
      after('RIFF\x10\0\0\0WEBPVP8L', 40, (bytes) => {
        bytes.writeUInt32LE(639 | (367 << 14), 21);
      }),
    ],
    [
      'an extended WebP',
      'image/webp',
      after('RIFF\x10\0\0\0WEBPVP8X', 40, (bytes) => {
        bytes.writeUIntLE(639, 24, 3);
        bytes.writeUIntLE(367, 27, 3);
      }),
    ],
  ])('of %s', (_name, mediaType, bytes) => {
    expect(probeImage(bytes)).toEqual({ mediaType, width: 640, height: 368 });
  });

  it('is not known when the bytes end early, are broken or are no such image', () => {
    const jpeg = aJpeg(640, 368);

    expect(probeImage(aPng(640, 368).subarray(0, 20))).toBeUndefined();
    expect(probeImage(aPng(0, 368))).toBeUndefined();
    for (let length = 0; length < jpeg.length - 21; length += 1) {
      expect(probeImage(jpeg.subarray(0, length))).toBeUndefined();
    }
    jpeg[20] = 0; // the mark of the second segment
    expect(probeImage(jpeg)).toBeUndefined();
    expect(
      probeImage(Buffer.from('\xff\xd8\xff\xe0\0\0\0\0\0\0\0\0\0\0\0\0', 'latin1')),
    ).toBeUndefined();
    expect(probeImage(Buffer.from('GIF89a\x01\0\x01', 'latin1'))).toBeUndefined();
    expect(probeImage(Buffer.from('RIFF\x10\0\0\0WEBPVP8 ', 'latin1'))).toBeUndefined();
  });
});
