import { createAjv } from '../http/ajv.ts';
import type { Parameters } from '../tasks/parameters.ts';
import { readInputs } from '../tasks/inputs.ts';
import type { Task } from '../tasks/task.ts';
import type { TaskStore } from '../tasks/task-store.ts';
import { parseDirectives, type DirectiveName, type Directives } from '../tasks/directives.ts';
import { ratios, type Ratio } from '../render/video-spec.ts';
import { MiniMaxError } from './errors.ts';
import { checkContent, promptOf, type ContentItem } from './content.ts';
import { models, type Model } from './models.ts';

interface CreateBody {
  readonly model: string;
  readonly content: readonly ContentItem[];
  readonly resolution: string;
  readonly duration: number;
  readonly ratio?: string;
  readonly aigc_watermark?: boolean;
}

const media = (type: string, roles: readonly string[]): object => ({
  additionalProperties: false,
  required: ['type', type],
  properties: {
    type: { const: type },
    role: { enum: roles },
    [type]: {
      type: 'object',
      additionalProperties: false,
      required: ['url'],
      properties: {
        url: { type: 'string', pattern: '^(https?://|data:[a-z0-9.+-]+/[a-z0-9.+-]+;base64,)' },
      },
    },
  },
});

const validate = createAjv({ discriminator: true, strictTypes: false }).compile<CreateBody>({
  type: 'object',
  additionalProperties: false,
  required: ['model', 'content', 'resolution', 'duration'],
  properties: {
    model: { type: 'string' },
    content: {
      type: 'array',
      minItems: 1,
      maxItems: 64,
      items: {
        type: 'object',
        required: ['type'],
        discriminator: { propertyName: 'type' },
        oneOf: [
          {
            additionalProperties: false,
            required: ['type', 'text'],
            properties: { type: { const: 'text' }, text: { type: 'string' } },
          },
          media('image_url', ['first_frame', 'last_frame', 'reference_image']),
          media('video_url', ['reference_video']),
          media('audio_url', ['reference_audio']),
        ],
      },
    },
    resolution: { type: 'string' },
    duration: { type: 'integer' },
    ratio: { enum: ['adaptive', ...ratios] },
    aigc_watermark: { type: 'boolean' },
  },
});

export interface CreateTaskOptions {
  readonly store: Pick<TaskStore, 'has'>;
  /** Throws when the model has had too many creations. */
  readonly admit: (model: string) => void;
  readonly now: () => number;
  readonly random: () => number;
}

const refuse = (message: string): MiniMaxError =>
  new MiniMaxError(2013, `invalid params, ${message}`);

/**
 * Turns the body of a creation into a queued task, or throws the vendor's response. There are no
 * callbacks here: they need a handshake.
 */
export function createTask({
  store,
  admit,
  now,
  random,
}: CreateTaskOptions): (body: unknown) => Task {
  return (received) => {
    const body = readBody(received);
    const model = Object.hasOwn(models, body.model) ? models[body.model] : undefined;
    if (model === undefined) throw refuse(`unknown model '${body.model}'`);
    admit(body.model);
    checkContent(body.content);
    const prompt = promptOf(body.content);
    const inputs = readInputs(body.content, refuse);
    const createdAtMs = now();
    return {
      id: newTaskId(store, { now, random }),
      format: 'minimax',
      model: body.model,
      requestedModel: body.model,
      prompt,
      directives: obeyed(prompt),
      parameters: parametersOf(body, model),
      ...(inputs.length > 0 && { inputs }),
      createdAtMs,
      updatedAtMs: createdAtMs,
      status: 'queued',
    };
  };
}

function readBody(body: unknown): CreateBody {
  if (validate(body)) return body;
  const [first] = validate.errors ?? [];
  throw refuse(`${first?.instancePath ?? ''} ${first?.message ?? ''}`.trim());
}

/** The directives of a prompt, unless one of them refuses the creation. */
function obeyed(prompt: string): Directives {
  const { directives, problem } = parseDirectives(prompt);
  if (problem !== undefined) throw refuse(problem);
  const refusal = Object.entries(refusals).find(
    ([name]) => directives[name as DirectiveName] !== undefined,
  )?.[1];
  if (refusal !== undefined) throw refusal();
  return directives;
}

/** The responses of the directives that refuse a creation. */
const refusals: Readonly<Partial<Record<DirectiveName, () => MiniMaxError>>> = {
  reject: () => refuse('rejected as the prompt asks'),
  'moderate-input': () => new MiniMaxError(1026, 'input new_sensitive'),
  'rate-limited': () => new MiniMaxError(1002, 'rate limit'),
  busy: () => new MiniMaxError(1002, 'rate limit'),
  overdue: () => new MiniMaxError(1008, 'insufficient balance'),
};

/** How long this vendor works on a task before it gives up; a request cannot change it. */
const expiresAfterSeconds = 172_800;

function parametersOf(
  {
    content,
    resolution,
    duration,
    ratio = 'adaptive',
    aigc_watermark: watermark = false,
  }: CreateBody,
  { resolutions, seconds }: Model,
): Parameters {
  if (!Object.hasOwn(resolutions, resolution)) {
    throw refuse(`resolution must be one of ${Object.keys(resolutions).join(', ')}`);
  }
  if (duration < seconds.min || duration > seconds.max) {
    throw refuse(`duration must be from ${seconds.min} to ${seconds.max}`);
  }
  if (ratio === 'adaptive' && content.length === 1) {
    throw refuse('ratio must not be adaptive for a text alone');
  }
  return {
    resolution: resolutions[resolution] ?? '720p',
    drawnResolution: resolution,
    ratio: ratio === 'adaptive' ? '16:9' : (ratio as Ratio),
    seconds: duration,
    watermark,
    seed: 0,
    returnLastFrame: false,
    serviceTier: 'default',
    expiresAfterSeconds,
    priority: 0,
    echo: {},
  };
}

/** Fifteen digits, as the vendor writes them. */
function newTaskId(
  store: CreateTaskOptions['store'],
  clock: Pick<CreateTaskOptions, 'now' | 'random'>,
): string {
  const id = `${clock.now()}${String(Math.floor(clock.random() * 100)).padStart(2, '0')}`;
  return store.has(id) ? newTaskId(store, clock) : id;
}
