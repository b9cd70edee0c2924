import type { ReferenceRole } from '@gateway/contracts';
import type { Submission } from '../port.ts';

/** How a maker's models differ from the vendor's own. */
interface Family {
  readonly model: RegExp;
  readonly typeOf: (role: ReferenceRole) => string;
  /** A parameter that turns sound on and off; absent where sound is always on. */
  readonly audio?: string;
}

const asItIs = (role: ReferenceRole): string => role;
const families: readonly Family[] = [
  {
    model: /^vidu\//,
    typeOf: (role) => (role === 'reference_video' ? 'video' : 'image'),
    audio: 'audio',
  },
  { model: /^(kling|pixverse)\//, typeOf: asItIs, audio: 'audio' },
];
const usual: Family = { model: /^/, typeOf: asItIs };

/**
 * The JSON body of a creation. The resolution is always stated: the vendor's own default is the
 * dearest. There is no place for a name of ours.
 */
export function dashscopeRequestBody({
  upstreamModel,
  prompt,
  references,
  resolution,
  ratio,
  duration,
  seed,
  watermark,
  generateAudio,
  unsupported,
}: Submission): object {
  const { typeOf, audio } = families.find(({ model }) => model.test(upstreamModel)) ?? usual;
  const takes = (field: Submission['unsupported'][number]): boolean => !unsupported.includes(field);
  return {
    model: upstreamModel,
    input: {
      ...(prompt !== '' && { prompt }),
      ...(references.length > 0 && {
        media: references.map(({ role, url }) => ({ type: typeOf(role), url })),
      }),
    },
    parameters: {
      resolution: resolution.toUpperCase(),
      ratio,
      duration,
      ...(seed !== null && takes('seed') && { seed }),
      ...(takes('watermark') && { watermark }),
      ...(audio !== undefined && takes('generate_audio') && { [audio]: generateAudio }),
    },
  };
}
