import { isFrame } from '../frames.ts';
import type { Submission } from '../port.ts';
import { endpointOf, familyOf, type FalFamily } from './families.ts';

export type FalCall =
  | { readonly ok: true; readonly path: string; readonly body: object }
  | { readonly ok: false; readonly detail: string };

/** Segments of a path, none of which can climb. */
const endpointPath = /^[A-Za-z0-9][\w.-]*(?:\/[A-Za-z0-9][\w.-]*)*$/;

/** The path and the body of a creation. Not possible for a reference that the family has no field for. */
export function falCall(submission: Submission): FalCall {
  const endpoint = endpointOf(submission);
  if (!endpointPath.test(endpoint)) {
    return { ok: false, detail: `${endpoint} is not the path of an endpoint` };
  }
  const family = familyOf(endpoint);
  const homeless = submission.references.find(
    (reference) => fieldOf(family, reference) === undefined,
  );
  if (homeless !== undefined) {
    return { ok: false, detail: `${endpoint} has no field for a ${homeless.role}` };
  }
  return { ok: true, path: `/${endpoint}`, body: bodyOf(family, submission) };
}

type Reference = Submission['references'][number];

const fieldOf = (family: FalFamily, { role, kind }: Reference): string | undefined =>
  role === 'first_frame'
    ? family.firstFrame
    : role === 'last_frame'
      ? family.lastFrame
      : family.references?.[kind];

function bodyOf(family: FalFamily, submission: Submission): object {
  const { prompt, references, duration, ratio, resolution } = submission;
  const hasFrame = references.some(isFrame);
  return {
    prompt,
    duration: family.duration(duration),
    ...(family.resolution && { resolution: family.resolution(resolution) }),
    ...((!hasFrame || family.ratioWithFrames) && { aspect_ratio: ratio }),
    ...optionalOf(family, submission, hasFrame),
    ...mediaOf(family, references),
  };
}

function optionalOf(
  { audio, seed: seedTaken }: FalFamily,
  { seed, generateAudio, unsupported }: Submission,
  hasFrame: boolean,
): object {
  const takesSeed = seedTaken === 'always' || (seedTaken === 'with_frames' && hasFrame);
  return {
    ...(audio !== undefined &&
      !unsupported.includes('generate_audio') && { [audio]: generateAudio }),
    ...(takesSeed && seed !== null && !unsupported.includes('seed') && { seed }),
  };
}

/** One address for a frame, a list for references of a kind. */
function mediaOf(family: FalFamily, references: readonly Reference[]): object {
  const lists = new Map<string, string[]>();
  const frames = new Map<string, string>();
  for (const reference of references) {
    const field = fieldOf(family, reference);
    if (field === undefined) continue;
    if (isFrame(reference)) frames.set(field, reference.url);
    else lists.set(field, [...(lists.get(field) ?? []), reference.url]);
  }
  return Object.fromEntries<string | string[]>([...frames, ...lists]);
}
