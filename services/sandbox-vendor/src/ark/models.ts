import type { Ratio } from '../render/video-spec.ts';
import type { Resolution } from '../tasks/parameters.ts';

/** Fields of a creation that only some models take. */
export type ModelField =
  'generate_audio' | 'draft' | 'priority' | 'tools' | 'omni_reference_task_type' | 'output_format';

export interface Model {
  readonly resolutions: readonly Resolution[];
  readonly seconds: { readonly min: number; readonly max: number };
  /** Used when nothing is said; −1: the vendor decides. */
  readonly defaultSeconds: number;
  readonly defaultRatio: Ratio | 'adaptive';
  readonly references: { readonly image: number; readonly video: number; readonly audio: number };
  readonly fields: readonly ModelField[];
  /** Takes the cheaper offline queue. */
  readonly flex: boolean;
  /** Takes sound without any picture. */
  readonly audioAlone: boolean;
  /**
   * Frame and edit tasks need `ratio` adaptive, which this model finds out only after it has
   * accepted the task.
   */
  readonly adaptiveFrames: boolean;
}

const two: Model = {
  resolutions: ['480p', '720p', '1080p', '4k'],
  seconds: { min: 4, max: 15 },
  defaultSeconds: 5,
  defaultRatio: '16:9',
  references: { image: 9, video: 3, audio: 3 },
  fields: ['generate_audio', 'priority', 'tools'],
  flex: false,
  audioAlone: false,
  adaptiveFrames: false,
};
const light: Model = { ...two, resolutions: ['480p', '720p'] };

/**
 * The models this vendor offers. Real ids have the limits of the documented models; `sandbox-video`
 * has wide ones.
 */
export const models: Readonly<Record<string, Model>> = {
  'sandbox-video': {
    ...two,
    seconds: { min: 1, max: 60 },
    fields: [...two.fields, 'draft', 'omni_reference_task_type'],
    flex: true,
  },
  'seedance-2-5-260628': {
    ...two,
    resolutions: ['480p', '720p', '1080p'],
    seconds: { min: 4, max: 30 },
    defaultSeconds: -1,
    defaultRatio: 'adaptive',
    references: { image: 30, video: 10, audio: 10 },
    fields: [
      'generate_audio',
      'draft',
      'priority',
      'tools',
      'omni_reference_task_type',
      'output_format',
    ],
    audioAlone: true,
    adaptiveFrames: true,
  },
  'seedance-2-0-260128': two,
  'seedance-2-0-fast-260128': light,
  'seedance-2-0-mini-260615': light,
  'seedance-1-5-pro-251215': {
    ...two,
    resolutions: ['480p', '720p', '1080p'],
    seconds: { min: 4, max: 12 },
    references: { image: 0, video: 0, audio: 0 },
    fields: ['generate_audio', 'draft'],
    flex: true,
  },
};

const endpointModel = 'seedance-2-0-260128';

export interface FoundModel {
  /** As tasks show it: name and version, also when an endpoint id was sent. */
  readonly name: string;
  readonly model: Model;
}

/** Looks a model up by id, by id with the prefix of either cloud, or by an `ep-…` endpoint id. */
export function findModel(id: string): FoundModel | undefined {
  const known = /^ep-[\w-]+$/.test(id) ? endpointModel : id.replace(/^(doubao|dreamina)-/, '');
  const model = Object.hasOwn(models, known) ? models[known] : undefined;
  return model === undefined
    ? undefined
    : { name: id.startsWith('ep-') ? endpointModel : id, model };
}
