/** First bytes of real files, padded to a length that every reader takes. */
const bytes = (text: string, length = 64): Buffer =>
  Buffer.concat([Buffer.from(text, 'latin1'), Buffer.alloc(Math.max(0, length - text.length))]);

/** A PNG header with this size. */
export function aPng(width: number, height: number): Buffer {
  const png = bytes('\x89PNG\r\n\x1a\n\0\0\0\rIHDR');
  png.writeUInt32BE(width, 16);
  png.writeUInt32BE(height, 20);
  return png;
}

/**
 * A JPEG header with an APP0 segment, a quantisation table, a fill byte, and then the frame of this
 * size.
 */
export function aJpeg(width: number, height: number, startOfFrame = 0xc0): Buffer {
  const frame = Buffer.from([
    0xff,
    0xff,
    startOfFrame,
    0,
    17,
    8,
    height >> 8,
    height & 255,
    width >> 8,
    width & 255,
    3,
  ]);
  return Buffer.concat([
    bytes('\xff\xd8\xff\xe0\0\x10JFIF\0\x01\x01\0\0\x01\0\x01\0\0', 0),
    bytes('\xff\xc4\0\x05\0\0\0', 0),
    frame,
    Buffer.alloc(20),
  ]);
}

export const samples: readonly (readonly [
  name: string,
  content: Buffer,
  type: string | undefined,
])[] = [
  ['an MP4', bytes('\0\0\0\x18ftypmp42'), 'video/mp4'],
  ['an MP4 of brand isom', bytes('\0\0\0\x18ftypisom'), 'video/mp4'],
  ['a QuickTime file', bytes('\0\0\0\x14ftypqt  '), 'video/quicktime'],
  ['an old QuickTime file', bytes('\0\0\x01\0moov'), 'video/quicktime'],
  ['an AVIF', bytes('\0\0\0\x18ftypavif'), undefined],
  ['a HEIC', bytes('\0\0\0\x18ftypheic'), undefined],
  ['an M4A', bytes('\0\0\0\x18ftypM4A '), undefined],
  ['a JPEG', aJpeg(1, 1), 'image/jpeg'],
  ['a PNG', aPng(1, 1), 'image/png'],
  ['a WebP', bytes('RIFF\x10\0\0\0WEBPVP8 '), 'image/webp'],
  ['a GIF', bytes('GIF89a'), 'image/gif'],
  ['an older GIF', bytes('GIF87a'), 'image/gif'],
  ['a GIF of no version', bytes('GIF90a'), undefined],
  ['a BMP', bytes('BM\x46\0\0\0\0\0\0\0\x36\0\0\0'), 'image/bmp'],
  ['a text that begins with BM', bytes('BMW is a car maker'), undefined],
  ['a WAV', bytes('RIFF\x24\0\0\0WAVEfmt '), 'audio/wav'],
  ['an AVI', bytes('RIFF\x24\0\0\0AVI LIST'), undefined],
  ['an MP3 with a tag', bytes('ID3\x04\0'), 'audio/mpeg'],
  ['an MP3', bytes('\xff\xfb\x90\x64'), 'audio/mpeg'],
  ['an MP3 of MPEG 2', bytes('\xff\xf3\x84\xc4'), 'audio/mpeg'],
  ['an MP3 of an impossible bit rate', bytes('\xff\xfb\xf0\x64'), undefined],
  ['an MP3 of an impossible sampling rate', bytes('\xff\xfb\x9c\x64'), undefined],
  ['an MP3 of a reserved version', bytes('\xff\xeb\x90\x64'), undefined],
  ['an AAC stream', bytes('\xff\xf1\x50\x80'), undefined],
  ['a text in UTF-16', bytes('\xff\xfeh\0i\0'), undefined],
  ['an SVG', bytes('<svg xmlns="http://www.w3.org/2000/svg">'), undefined],
  ['a page', bytes('<!doctype html>'), undefined],
  ['nothing', Buffer.alloc(0), undefined],
  ['too little', Buffer.from([0xff]), undefined],
];
