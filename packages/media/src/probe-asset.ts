import { MediaError } from './media-error.ts';
import { probeImage } from './probe-image.ts';
import { withBoundedReads, type ProbeBounds } from './probe-reads.ts';
import type { ProbeSource } from './probe-source.ts';
import { probeMp4 } from './probe.ts';
import type { SniffedType } from './sniff.ts';

export interface AssetProbe {
  readonly width?: number;
  readonly height?: number;
  /** Not rounded. Left out for MP3, which does not say it. */
  readonly durationSeconds?: number;
}

/** A JPEG may carry profiles and previews of some hundred kilobytes before it says its size. */
const imageHeadBytes = 1_048_576;
const waveHeadBytes = 65_536;

/**
 * What a stored file of this type says of itself. Throws MediaError for an image without a readable
 * size and a video that is cut off or broken; passes on what `source.read` throws.
 */
export const probeAsset = (
  type: SniffedType,
  source: ProbeSource,
  bounds?: ProbeBounds,
): Promise<AssetProbe> =>
  type.startsWith('video/')
    ? probeVideo(source, bounds)
    : withBoundedReads(source, (bounded) => probeHead(type, bounded), bounds);

async function probeVideo(source: ProbeSource, bounds?: ProbeBounds): Promise<AssetProbe> {
  const { width, height, seconds } = await probeMp4(source, bounds);
  return { width, height, durationSeconds: seconds };
}

async function probeHead(type: SniffedType, source: ProbeSource): Promise<AssetProbe> {
  const headOf = (most: number): Promise<Uint8Array> =>
    source.read(0, Math.min(source.sizeBytes, most) - 1);
  if (type.startsWith('image/')) {
    const image = probeImage(await headOf(imageHeadBytes));
    if (image === undefined) {
      throw new MediaError('unreadable_image', 'the image does not state its dimensions');
    }
    return { width: image.width, height: image.height };
  }
  const seconds = type === 'audio/wav' ? waveSeconds(await headOf(waveHeadBytes)) : undefined;
  return seconds === undefined ? {} : { durationSeconds: seconds };
}

/**
 * Length by the format chunk's bytes a second; undefined when the chunks do not say, as in a file
 * that was streamed.
 */
function waveSeconds(bytes: Uint8Array): number | undefined {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let bytesPerSecond = 0;
  for (let at = 12; at + 8 <= view.byteLength;) {
    const name = String.fromCharCode(...bytes.subarray(at, at + 4));
    const size = view.getUint32(at + 4, true);
    if (name === 'fmt ' && at + 20 <= view.byteLength) {
      bytesPerSecond = view.getUint32(at + 16, true);
    }
    if (name === 'data') {
      return bytesPerSecond > 0 && size > 0 && size < 0xffff_ffff
        ? size / bytesPerSecond
        : undefined;
    }
    at += 8 + size + (size % 2);
  }
  return undefined;
}
