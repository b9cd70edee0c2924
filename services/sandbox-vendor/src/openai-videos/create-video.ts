import { createHash, randomBytes } from 'node:crypto';
import { loadImage } from '@napi-rs/canvas';
import type { Input } from '../tasks/inputs.ts';
import type { Resolution } from '../tasks/parameters.ts';
import type { Task } from '../tasks/task.ts';
import { parseDirectives, type DirectiveName, type Directives } from '../tasks/directives.ts';
import type { Ratio } from '../render/video-spec.ts';
import { failures, TextFailure } from '../text/failures.ts';
import type { CreateFields, UploadedImage } from './read-body.ts';

interface Size {
  readonly resolution: Resolution;
  /** The nearest that the sandbox draws. */
  readonly ratio: Ratio;
  /** Of the larger model only. */
  readonly pro: boolean;
}

/** Documented sizes. */
const sizes: Readonly<Record<string, Size>> = {
  '720x1280': { resolution: '720p', ratio: '9:16', pro: false },
  '1280x720': { resolution: '720p', ratio: '16:9', pro: false },
  '1024x1792': { resolution: '1080p', ratio: '9:16', pro: true },
  '1792x1024': { resolution: '1080p', ratio: '16:9', pro: true },
  '1080x1920': { resolution: '1080p', ratio: '9:16', pro: true },
  '1920x1080': { resolution: '1080p', ratio: '16:9', pro: true },
};
const lengths: readonly string[] = ['4', '8', '12', '16', '20'];
const imageTypes: readonly string[] = ['image/jpeg', 'image/png', 'image/webp'];
const defaults = { model: 'sora-2', seconds: '4', size: '720x1280', prompt: '' } as const;
const lifeSeconds = 86_400;

/** Models by the name a creation gives: whether they have the large sizes. */
export const openaiVideoModels: Readonly<Record<string, { readonly pro: boolean }>> = {
  'sandbox-video': { pro: true },
  'sora-2': { pro: false },
  'sora-2-pro': { pro: true },
};

const refuse = (param: string, message: string): TextFailure =>
  new TextFailure(400, message, { param, code: 'invalid_value' });

/** The responses of the directives that refuse a creation. */
const refusals: Readonly<Partial<Record<DirectiveName, () => TextFailure>>> = {
  reject: () => refuse('prompt', "Invalid value for 'prompt': rejected as the prompt asks."),
  'moderate-input': () =>
    new TextFailure(400, 'Your request was blocked by our moderation system.', {
      param: 'prompt',
      code: 'moderation_blocked',
    }),
  'rate-limited': () => failures.chat['rate-limited'](),
  busy: () => failures.chat.overloaded(),
  overdue: () =>
    new TextFailure(
      429,
      'You exceeded your current quota, please check your plan and billing details.',
      { code: 'insufficient_quota' },
    ),
};

/**
 * Turns the fields of a creation into a queued task, or throws the vendor's response. The task is
 * not stored yet.
 */
export async function createVideo(fields: CreateFields, now: () => number): Promise<Task> {
  const { model, seconds, size, prompt, image } = { ...defaults, ...fields };
  const found = Object.hasOwn(openaiVideoModels, model) ? openaiVideoModels[model] : undefined;
  if (found === undefined) throw failures.chat['missing-model'](model);
  if (prompt.trim() === '') {
    throw new TextFailure(400, "Missing required parameter: 'prompt'.", {
      param: 'prompt',
      code: 'missing_required_parameter',
    });
  }
  if (!lengths.includes(seconds)) {
    throw refuse(
      'seconds',
      `Invalid value: '${seconds}'. Supported values are: ${lengths.join(', ')}.`,
    );
  }
  const picture = readSize(size, found.pro);
  const inputs = image === undefined ? [] : [await readImage(image, size)];
  const directives = directivesIn(prompt);
  const createdAtMs = now();
  return {
    id: `video_${randomBytes(24).toString('hex')}`,
    format: 'openai-videos',
    model,
    requestedModel: model,
    prompt,
    directives,
    parameters: {
      resolution: picture.resolution,
      ratio: picture.ratio,
      seconds: Number(seconds),
      seed: -1,
      watermark: true,
      returnLastFrame: false,
      serviceTier: 'default',
      expiresAfterSeconds: lifeSeconds,
      priority: 0,
      echo: { size },
    },
    ...(inputs.length > 0 && { inputs }),
    createdAtMs,
    updatedAtMs: createdAtMs,
    status: 'queued',
  };
}

function directivesIn(prompt: string): Directives {
  const { directives, problem } = parseDirectives(prompt);
  if (problem !== undefined) throw refuse('prompt', problem);
  const refusal = Object.entries(refusals).find(
    ([name]) => directives[name as DirectiveName] !== undefined,
  )?.[1];
  if (refusal !== undefined) throw refusal();
  return directives;
}

function readSize(size: string, pro: boolean): Size {
  const possible = Object.entries(sizes).filter(([, one]) => pro || !one.pro);
  const found = possible.find(([name]) => name === size)?.[1];
  if (found === undefined) {
    throw refuse(
      'size',
      `Invalid value: '${size}'. Supported values are: ${possible.map(([name]) => name).join(', ')}.`,
    );
  }
  return found;
}

/** Documented: the picture must have the size of the video. */
async function readImage({ bytes, contentType }: UploadedImage, size: string): Promise<Input> {
  if (!imageTypes.includes(contentType)) {
    throw refuse(
      'input_reference',
      `Unsupported type '${contentType}'. Supported types are: ${imageTypes.join(', ')}.`,
    );
  }
  const picture = await loadImage(bytes).catch(() => {
    throw refuse('input_reference', 'The image of input_reference cannot be read.');
  });
  if (`${picture.width}x${picture.height}` !== size) {
    throw refuse('input_reference', 'Inpaint image must match the requested width and height.');
  }
  return {
    type: 'image_url',
    role: 'first_frame',
    via: 'data',
    contentType,
    sizeBytes: bytes.length,
    sha256: createHash('sha256').update(bytes).digest('hex'),
  };
}
