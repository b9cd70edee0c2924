import type { Submission } from '../port.ts';
import { runwayModel } from './models.ts';

export type RunwayCall =
  | { readonly ok: true; readonly path: string; readonly body: object }
  | { readonly ok: false; readonly detail: string };

const positionOfRole: Readonly<Partial<Record<string, string>>> = {
  first_frame: 'first',
  last_frame: 'last',
};
const referenceFields = {
  image: 'references',
  video: 'referenceVideos',
  audio: 'referenceAudio',
} as const;

/**
 * The path and the JSON body of a creation: frames make it a video of an image, and everything else
 * goes to the other path, references included. Not possible for a request from before its model was
 * moved to this format.
 */
export function runwayCall(submission: Submission): RunwayCall {
  const picture = pictureOf(submission);
  if (picture === undefined) {
    const { upstreamModel, ratio, resolution } = submission;
    return { ok: false, detail: `${upstreamModel} has no size for ${ratio} at ${resolution}` };
  }
  const { upstreamModel, prompt, duration, references } = submission;
  const frames = references.filter(({ role }) => positionOfRole[role] !== undefined);
  return {
    ok: true,
    path: frames.length > 0 ? '/v1/image_to_video' : '/v1/text_to_video',
    body: {
      model: upstreamModel,
      ...(prompt === '' ? {} : { promptText: prompt }),
      ...(frames.length === 0
        ? {}
        : {
            promptImage: frames.map(({ role, url }) => ({
              uri: url,
              position: positionOfRole[role],
            })),
          }),
      ...referencesOf(submission),
      duration,
      ...picture,
      ...optionalOf(submission),
    },
  };
}

/** A pixel pair for the models that are known to want one; ratio and resolution for the others. */
function pictureOf({ upstreamModel, ratio, resolution }: Submission): object | undefined {
  const { sizes, spells } = runwayModel(upstreamModel) ?? {};
  if (sizes === undefined) return { ratio, resolution: spells?.[resolution] ?? resolution };
  const size = Object.hasOwn(sizes, resolution) ? sizes[resolution]?.[ratio] : undefined;
  return size === undefined ? undefined : { ratio: size };
}

const referencesOf = ({ references }: Submission): object =>
  Object.fromEntries(
    Object.entries(referenceFields).flatMap(([kind, field]) => {
      const found = references.filter(
        (reference) => reference.kind === kind && positionOfRole[reference.role] === undefined,
      );
      return found.length === 0
        ? []
        : [
            [
              field,
              found.map(({ url }) => (kind === 'image' ? { uri: url } : { type: kind, uri: url })),
            ],
          ];
    }),
  );

/** The vendor refuses a field that its model does not know. */
function optionalOf({ upstreamModel, seed, generateAudio, unsupported }: Submission): object {
  const model = runwayModel(upstreamModel);
  const takes = (field: 'seed' | 'generate_audio'): boolean =>
    !unsupported.includes(field) && (model === undefined || model.takes.includes(field));
  return {
    ...(takes('seed') && seed !== null ? { seed } : {}),
    ...(takes('generate_audio') ? { audio: generateAudio } : {}),
  };
}
