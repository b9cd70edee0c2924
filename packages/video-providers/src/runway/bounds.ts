import {
  optionalFields,
  type VendorCapabilities,
  type VideoFormat,
  type VideoVendorBounds,
} from '@gateway/contracts';
import { runwayModels, type RunwayModel } from './models.ts';

/** Only a model with few lengths needs the words of a format: the others take what their bounds say. */
const formatOf = ({
  sizes,
  seconds,
  bounds: { min, max },
}: RunwayModel): VideoFormat | undefined =>
  sizes === undefined
    ? undefined
    : {
        seconds: seconds ?? Array.from({ length: max - min + 1 }, (_, index) => min + index),
        sizes,
      };

type ModelBounds = NonNullable<VideoVendorBounds['upstreamModels']>[string];

function boundsOf(model: RunwayModel): ModelBounds {
  const { sizes, spells, frames, references, promptMaxCharacters, takes } = model;
  const format = formatOf(model);
  const resolutions = sizes ?? spells;
  return {
    duration: { ...model.bounds, auto: false },
    ...(resolutions === undefined ? {} : { resolutions: Object.keys(resolutions) }),
    ...(format === undefined ? {} : { format }),
    ...(promptMaxCharacters === undefined ? {} : { promptMaxCharacters }),
    frames,
    references,
    unsupported: optionalFields.filter(
      (field) => field !== 'return_last_frame' && !takes.includes(field),
    ),
  };
}

export const runwayBounds: VideoVendorBounds = {
  duration: { min: 1, max: 30, auto: false },
  lastFrame: false,
  unsupported: ['watermark'],
  upstreamModels: Object.fromEntries(
    Object.entries(runwayModels).flatMap(([name, model]) =>
      model === undefined ? [] : [[name, boundsOf(model)]],
    ),
  ),
};

/** A picture may have 5 MB inline, a clip or a sound 16 MB. */
export const runwayCapabilities: VendorCapabilities = {
  promptFlags: undefined,
  audioNeedsPicture: true,
  adaptiveNeedsReference: true,
  inlineKinds: ['image', 'video', 'audio'],
  inlineMaxBytes: 5_000_000,
  lastFrame: false,
};
