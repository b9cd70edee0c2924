import type { VideoModel } from './configuration.ts';
import type { OptionalField } from './video-fields.ts';
import { ratiosAt, sizeOf } from './video-format.ts';
import type { WrittenReference } from './video-references.ts';
import type { VideoRequestBody } from './video-request-schema.ts';
import type { VendorCapabilities } from './video-vendors.ts';
import type { Violation } from './violation.ts';

/** The first of a field's names that was sent, or the default. */
export const given = <Value>(sent: readonly (Value | undefined)[], otherwise: Value): Value =>
  sent.find((value) => value !== undefined) ?? otherwise;

/** The vendor is not asked for what we make ourselves; the worker sees by this that it has to. */
export const isCut = ({ lastFrame }: Pick<VideoModel, 'lastFrame'>): boolean =>
  lastFrame === 'extract';

/** Whether the ratio is to follow a reference, and there is none. */
export const wrongWithoutReference = (
  ratio: string,
  references: readonly unknown[],
  { adaptiveNeedsReference }: VendorCapabilities,
): boolean => adaptiveNeedsReference === true && references.length === 0 && ratio === 'adaptive';

export function adaptiveViolations(
  { ratio, aspect_ratio: aspectRatio }: VideoRequestBody,
  {
    model,
    references,
    capabilities,
  }: {
    model: VideoModel;
    references: readonly WrittenReference[];
    capabilities: VendorCapabilities;
  },
): Violation[] {
  const wanted = given([ratio, aspectRatio], model.ratio.default);
  if (!wrongWithoutReference(wanted, references, capabilities)) return [];
  const param = aspectRatio === undefined ? 'ratio' : 'aspect_ratio';
  const others = model.ratio.allowed.filter((value) => value !== 'adaptive').join(', ');
  return [
    {
      code: 'invalid_parameter',
      param,
      message: `${param} must be one of ${others} without a reference: adaptive takes the ratio of a reference`,
    },
  ];
}

/**
 * A format that has one word for the picture has no word for every pair of a resolution and a
 * ratio.
 */
export function sizeViolations(
  body: VideoRequestBody,
  { model, capabilities: { format } }: { model: VideoModel; capabilities: VendorCapabilities },
): Violation[] {
  const resolution = given([body.resolution], model.resolution.default);
  const ratio = given([body.ratio, body.aspect_ratio], model.ratio.default);
  if (format === undefined || sizeOf(format, { resolution, ratio }) !== undefined) return [];
  const param = body.aspect_ratio !== undefined ? 'aspect_ratio' : 'ratio';
  const possible = ratiosAt(format, resolution).filter((value) =>
    model.ratio.allowed.includes(value),
  );
  return [
    {
      code: 'invalid_parameter',
      param,
      message: `${param} must be one of ${possible.map((value) => JSON.stringify(value)).join(', ')} at the resolution ${JSON.stringify(resolution)}; got ${JSON.stringify(ratio)}`,
    },
  ];
}

/** The optional fields that were sent, by the name they were sent under. */
export const sentFields = (body: VideoRequestBody): Record<OptionalField, string | undefined> => ({
  seed: body.seed === undefined ? undefined : 'seed',
  watermark:
    body.watermark === undefined
      ? body.aigc_watermark === undefined
        ? undefined
        : 'aigc_watermark'
      : 'watermark',
  generate_audio: body.generate_audio === undefined ? undefined : 'generate_audio',
  return_last_frame: body.return_last_frame === true ? 'return_last_frame' : undefined,
});

export function unsupportedViolations(
  body: VideoRequestBody,
  { model, capabilities }: { model: VideoModel; capabilities: VendorCapabilities },
): Violation[] {
  const sent = sentFields(body);
  const hasNoLastFrame = capabilities.lastFrame === false && !isCut(model);
  const unsupported = new Set<OptionalField>([
    ...model.unsupported,
    ...(hasNoLastFrame ? (['return_last_frame'] as const) : []),
  ]);
  return [...unsupported].flatMap((field): Violation[] => {
    const param = sent[field];
    return param === undefined
      ? []
      : [
          {
            code: 'unsupported_parameter',
            param,
            message: `${param} is not supported by ${model.name}; leave it out`,
          },
        ];
  });
}
