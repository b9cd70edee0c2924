import { sniffMediaType } from './sniff.ts';

export interface ImageProbe {
  readonly mediaType: 'image/jpeg' | 'image/png';
  readonly width: number;
  readonly height: number;
}

/** Size of a JPEG or PNG from its first bytes (64 KiB are ample), or undefined when they do not say. */
export function probeImage(bytes: Uint8Array): ImageProbe | undefined {
  const mediaType = sniffMediaType(bytes);
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const size = mediaType === 'image/png' ? pngSize(view) : mediaType === 'image/jpeg' ? jpegSize(view) : undefined;
  if (size === undefined || size.width === 0 || size.height === 0) return undefined;
  return { mediaType: mediaType === 'image/png' ? 'image/png' : 'image/jpeg', ...size };
}

interface Size {
  readonly width: number;
  readonly height: number;
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
    if (marker === 0xff) at += 1; // fill byte
    else if (isStartOfFrame(marker)) return { height: view.getUint16(at + 5), width: view.getUint16(at + 7) };
    else at += 2 + view.getUint16(at + 2);
  }
  return undefined;
}

/** C0 to CF, without the tables that share the range: DHT, JPG and DAC. */
const isStartOfFrame = (marker: number): boolean => marker >= 0xc0 && marker <= 0xcf && marker !== 0xc4 && marker !== 0xc8 && marker !== 0xcc;
