import { sniffMediaType, type SniffedType } from './sniff.ts';

export type ImageType = Extract<SniffedType, `image/${string}`>;

export interface ImageProbe {
  readonly mediaType: ImageType;
  readonly width: number;
  readonly height: number;
}

interface Size {
  readonly width: number;
  readonly height: number;
}

/** How each format says its size. */
const sizeReaders: Readonly<Record<ImageType, (view: DataView) => Size | undefined>> = {
  'image/png': pngSize,
  'image/jpeg': jpegSize,
  'image/gif': gifSize,
  'image/webp': webpSize,
  'image/bmp': bmpSize,
};

const isImage = (type: SniffedType | undefined): type is ImageType =>
  type !== undefined && type in sizeReaders;

/**
 * Size of an image from its first bytes (64 KiB are ample, but for a JPEG with large profiles in
 * front), or undefined when they do not say.
 */
export function probeImage(bytes: Uint8Array): ImageProbe | undefined {
  const mediaType = sniffMediaType(bytes);
  if (!isImage(mediaType)) return undefined;
  const size = sizeReaders[mediaType](
    new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength),
  );
  return size === undefined || size.width === 0 || size.height === 0
    ? undefined
    : { mediaType, ...size };
}

const ihdr = 0x49484452;

function pngSize(view: DataView): Size | undefined {
  if (view.byteLength < 24 || view.getUint32(12) !== ihdr) return undefined;
  return { width: view.getUint32(16), height: view.getUint32(20) };
}

/** Walks over the segments to the first start-of-frame, which is the one that carries the size. */
function jpegSize(view: DataView): Size | undefined {
  for (let at = 2; at + 9 <= view.byteLength;) {
    if (view.getUint8(at) !== 0xff) return undefined;
    const marker = view.getUint8(at + 1);
    if (marker === 0xff) {
      at += 1;
    } // fill byte
    else if (isStartOfFrame(marker)) {
      return { height: view.getUint16(at + 5), width: view.getUint16(at + 7) };
    } else at += 2 + view.getUint16(at + 2);
  }
  return undefined;
}

/** C0 to CF, without the tables that share the range: DHT, JPG and DAC. */
const isStartOfFrame = (marker: number): boolean =>
  marker >= 0xc0 && marker <= 0xcf && marker !== 0xc4 && marker !== 0xc8 && marker !== 0xcc;

function gifSize(view: DataView): Size | undefined {
  return view.byteLength < 10
    ? undefined
    : { width: view.getUint16(6, true), height: view.getUint16(8, true) };
}

/**
 * Of the core header (twelve bytes) or any of the later ones; a negative height means that the rows
 * come from the top.
 */
function bmpSize(view: DataView): Size | undefined {
  if (view.byteLength < 26) return undefined;
  if (view.getUint32(14, true) === 12) {
    return { width: view.getUint16(18, true), height: view.getUint16(20, true) };
  }
  return { width: Math.max(0, view.getInt32(18, true)), height: Math.abs(view.getInt32(22, true)) };
}

const uint24 = (view: DataView, at: number): number =>
  view.getUint16(at, true) | (view.getUint8(at + 2) << 16);

/** Lossy, lossless or extended: by the name of the first chunk. */
function webpSize(view: DataView): Size | undefined {
  if (view.byteLength < 30) return undefined;
  switch (String.fromCharCode(...[12, 13, 14, 15].map((at) => view.getUint8(at)))) {
    case 'VP8 ':
      return {
        width: view.getUint16(26, true) & 0x3fff,
        height: view.getUint16(28, true) & 0x3fff,
      };
    case 'VP8L':
      return {
        width: (view.getUint32(21, true) & 0x3fff) + 1,
        height: ((view.getUint32(21, true) >>> 14) & 0x3fff) + 1,
      };
    case 'VP8X':
      return { width: uint24(view, 24) + 1, height: uint24(view, 27) + 1 };
    default:
      return undefined;
  }
}
