/** What the first bytes of a file prove it to be. */
export type SniffedType =
  | 'video/mp4'
  | 'video/quicktime'
  | 'image/jpeg'
  | 'image/png'
  | 'image/webp'
  | 'image/gif'
  | 'image/bmp'
  | 'audio/wav'
  | 'audio/mpeg';

/** As many bytes as `sniffMediaType` looks at. */
export const sniffBytes = 16;

interface Signature {
  readonly type: SniffedType;
  readonly matches: (bytes: Uint8Array) => boolean;
}

const textAt = (bytes: Uint8Array, start: number, length: number): string =>
  Buffer.from(bytes.subarray(start, start + length)).toString('latin1');
const startsWith =
  (prefix: string) =>
  (bytes: Uint8Array): boolean =>
    textAt(bytes, 0, prefix.length) === prefix;
const riff =
  (form: string) =>
  (bytes: Uint8Array): boolean =>
    textAt(bytes, 0, 4) === 'RIFF' && textAt(bytes, 8, 4) === form;

/** Major brands of the same container that are no MP4 video: still pictures and pure audio. */
const otherBrands = /^(avif|avis|mif1|msf1|hei.|hev.|M4A |M4B |M4P |crx )$/;

const isMp4 = (bytes: Uint8Array): boolean => {
  const brand = textAt(bytes, 8, 4);
  return (
    textAt(bytes, 4, 4) === 'ftyp' &&
    brand.length === 4 &&
    brand !== 'qt  ' &&
    !otherBrands.test(brand)
  );
};

/** QuickTime, also of before 2001, when files began without a brand. */
const isQuickTime = (bytes: Uint8Array): boolean => {
  const box = textAt(bytes, 4, 4);
  return (box === 'ftyp' && textAt(bytes, 8, 4) === 'qt  ') || box === 'moov' || box === 'wide';
};

/**
 * Frame header of MPEG audio layer III: sync, a version, the layer, a usable bit rate and sampling
 * rate.
 */
const isMp3Frame = ([sync = 0, kind = 0, rates = 0]: Uint8Array): boolean =>
  sync === 0xff &&
  (kind & 0xe6) === 0xe2 &&
  (kind & 0x18) !== 0x08 &&
  (rates & 0xf0) !== 0xf0 &&
  (rates & 0xf0) !== 0 &&
  (rates & 0x0c) !== 0x0c;

const signatures: readonly Signature[] = [
  { type: 'image/jpeg', matches: startsWith('\xff\xd8\xff') },
  { type: 'image/png', matches: startsWith('\x89PNG\r\n\x1a\n') },
  { type: 'image/gif', matches: (bytes) => /^GIF8[79]a$/.test(textAt(bytes, 0, 6)) },
  { type: 'image/webp', matches: riff('WEBP') },
  {
    type: 'image/bmp',
    matches: (bytes) =>
      bytes.length >= 14 && textAt(bytes, 0, 2) === 'BM' && textAt(bytes, 6, 4) === '\0\0\0\0',
  },
  { type: 'audio/wav', matches: riff('WAVE') },
  { type: 'audio/mpeg', matches: startsWith('ID3') },
  { type: 'audio/mpeg', matches: isMp3Frame },
  { type: 'video/mp4', matches: isMp4 },
  { type: 'video/quicktime', matches: isQuickTime },
];

/** The media type that the first bytes prove, or undefined when they prove none that we take. */
export function sniffMediaType(bytes: Uint8Array): SniffedType | undefined {
  return signatures.find(({ matches }) => matches(bytes))?.type;
}

/** Names in use for the types above; all others stay as they are. */
const aliases: Readonly<Partial<Record<string, SniffedType>>> = {
  'image/jpg': 'image/jpeg',
  'image/pjpeg': 'image/jpeg',
  'image/x-png': 'image/png',
  'image/x-ms-bmp': 'image/bmp',
  'audio/mp3': 'audio/mpeg',
  'audio/wave': 'audio/wav',
  'audio/x-wav': 'audio/wav',
  'audio/vnd.wave': 'audio/wav',
};

/** The registered spelling of a declared type, in lower case and without parameters. */
export function canonicalMediaType(declared: string): string {
  const type = declared.split(';', 1)[0]?.trim().toLowerCase() ?? '';
  return aliases[type] ?? type;
}
