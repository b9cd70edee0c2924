import { describe, expect, it } from '@jest/globals';
import { createTask, unfitRatio } from '../../../services/sandbox-vendor/src/ark/create-task.ts';
import { ArkError } from '../../../services/sandbox-vendor/src/ark/errors.ts';
import { plannedOutcome } from '../../../services/sandbox-vendor/src/tasks/outcome.ts';
import type { Task } from '../../../services/sandbox-vendor/src/tasks/task.ts';
import { toTaskObject } from '../../../services/sandbox-vendor/src/ark/task-object.ts';

const text = { type: 'text', text: 'A fox' };
const url = 'https://media.test/1';
const image = (role?: string): object => ({
  type: 'image_url',
  image_url: { url },
  ...(role !== undefined && { role }),
});
const video = (role?: string): object => ({
  type: 'video_url',
  video_url: { url },
  ...(role !== undefined && { role }),
});
const audio = (role?: string): object => ({
  type: 'audio_url',
  audio_url: { url },
  ...(role !== undefined && { role }),
});

const known = new Map<string, Task>();
const create = createTask({
  store: { has: (id) => known.has(id), get: (id) => known.get(id) },
  rules: { minExpiresAfterSeconds: 3_600, random: () => 0.5 },
  admit: () => undefined,
  now: () => Date.UTC(2026, 0, 2, 3, 4, 5, 678),
});

/** The code and the parameter that a creation is refused with, or its status. */
function outcomeOf(body: unknown): string {
  try {
    return create(body).status;
  } catch (error) {
    if (!(error instanceof ArkError)) throw error;
    return `${error.code} ${error.param ?? ''}`.trim();
  }
}

const aBody = (fields: object): object => ({ model: 'sandbox-video', content: [text], ...fields });

describe('the body of a creation', () => {
  it.each<[string, unknown, string]>([
    ['nothing', undefined, 'InvalidParameter'],
    ['an empty object', {}, 'MissingParameter model'],
    ['no content', { model: 'sandbox-video' }, 'MissingParameter content'],
    ['empty content', aBody({ content: [] }), 'InvalidParameter content'],
    ['an unknown model', aBody({ model: 'x' }), 'InvalidEndpointOrModel.NotFound model'],
    [
      'a model named like a method',
      aBody({ model: 'constructor' }),
      'InvalidEndpointOrModel.NotFound model',
    ],
    ['an unknown field', aBody({ style: 'x' }), 'InvalidParameter style'],
    [
      'an unknown field of an item',
      aBody({ content: [{ ...text, role: 'x' }] }),
      'InvalidParameter content[0].role',
    ],
    [
      'an unknown kind of item',
      aBody({ content: [text, { type: 'file' }] }),
      'InvalidParameter content[1].type',
    ],
    [
      'an item without its payload',
      aBody({ content: [{ type: 'image_url' }] }),
      'MissingParameter content[0].image_url',
    ],
    ['a duration as text', aBody({ duration: '5' }), 'InvalidParameter duration'],
    ['a duration with a part', aBody({ duration: 5.5 }), 'InvalidParameter duration'],
    ['a flag as text', aBody({ watermark: 'true' }), 'InvalidParameter watermark'],
    [
      'a callback that is no URL',
      aBody({ callback_url: 'ftp://x' }),
      'InvalidParameter callback_url',
    ],
    [
      'an identifier that is too long',
      aBody({ safety_identifier: 'x'.repeat(65) }),
      'InvalidParameter safety_identifier',
    ],
    ['everything at its plainest', aBody({}), 'queued'],
  ])('with %s', (_name, body, outcome) => {
    expect(outcomeOf(body)).toBe(outcome);
  });
});

describe('the parameters of a creation', () => {
  it.each<[object, string]>([
    [{ duration: 61 }, 'InvalidParameter duration'],
    [{ duration: 0 }, 'InvalidParameter duration'],
    [{ duration: -1 }, 'queued'],
    [{ model: 'seedance-2-0-260128', duration: 16 }, 'InvalidParameter duration'],
    [{ model: 'doubao-seedance-2-0-260128', duration: 15 }, 'queued'],
    [{ model: 'ep-2026-abc' }, 'queued'],
    [{ ratio: '16x9' }, 'InvalidParameter ratio'],
    [{ ratio: 'adaptive' }, 'queued'],
    [{ resolution: '8k' }, 'InvalidParameter resolution'],
    [{ model: 'seedance-2-0-fast-260128', resolution: '1080p' }, 'InvalidParameter resolution'],
    [{ seed: -2 }, 'InvalidParameter seed'],
    [{ execution_expires_after: 3_599 }, 'InvalidParameter execution_expires_after'],
    [{ execution_expires_after: 259_201 }, 'InvalidParameter execution_expires_after'],
    [
      { model: 'seedance-2-0-260128', service_tier: 'flex' },
      'InvalidParameter.UnsupportedParameter service_tier',
    ],
    [{ model: 'seedance-2-0-260128', draft: true }, 'InvalidParameter.UnsupportedParameter draft'],
    [{ service_tier: 'flex' }, 'queued'],
    [{ draft: true }, 'queued'],
    [{ model: 'seedance-1-5-pro-251215', service_tier: 'flex' }, 'queued'],
    [
      { model: 'seedance-1-5-pro-251215', draft: true, service_tier: 'flex' },
      'InvalidParameter service_tier',
    ],
    [
      { model: 'seedance-2-5-260628', draft: true, return_last_frame: true },
      'InvalidParameter return_last_frame',
    ],
    [
      { model: 'seedance-1-5-pro-251215', priority: 1 },
      'InvalidParameter.UnsupportedParameter priority',
    ],
    [{ frames: 29 }, 'InvalidParameter.UnsupportedParameter frames'],
    [{ camera_fixed: false }, 'InvalidParameter.UnsupportedParameter camera_fixed'],
    [{ output_format: 'mp4' }, 'InvalidParameter.UnsupportedParameter output_format'],
    [
      { model: 'seedance-2-5-260628', output_format: 'mov' },
      'InvalidParameter.UnsupportedParameter output_format',
    ],
    [{ tools: [{ type: 'web_search' }] }, 'queued'],
    [{ tools: [{ type: 'web_search' }], content: [text, image()] }, 'InvalidParameter tools'],
  ])('%j lead to %s', (fields, outcome) => {
    expect(outcomeOf(aBody(fields))).toBe(outcome);
  });

  it('are settled where the creation left them open', () => {
    const task = create(aBody({}));

    expect(task.id).toBe('cgt-20260102030405-sssss');
    expect(task.parameters).toEqual({
      resolution: '720p',
      ratio: '16:9',
      seconds: 5,
      seed: 1_073_741_824,
      watermark: false,
      returnLastFrame: false,
      serviceTier: 'default',
      expiresAfterSeconds: 172_800,
      priority: 0,
      echo: { generate_audio: true },
    });
  });

  it('let what is cheaper wait for the rest', () => {
    const { parameters } = create(aBody({ service_tier: 'flex' }));

    expect(parameters.priority).toBeLessThan(create(aBody({ priority: 0 })).parameters.priority);
    expect(parameters.serviceTier).toBe('flex');
  });

  it('show the name and version of the model behind an endpoint id', () => {
    expect(create(aBody({ model: 'ep-2026-abc' }))).toMatchObject({
      model: 'seedance-2-0-260128',
      requestedModel: 'ep-2026-abc',
    });
  });
});

describe('the mode of a content list', () => {
  it.each<[string, readonly object[], string]>([
    ['text', [text], 'queued'],
    ['two texts', [text, text], 'InvalidParameter content'],
    ['blank text', [{ type: 'text', text: ' ' }], 'MissingParameter content'],
    ['an image alone', [image()], 'queued'],
    ['a first frame', [text, image('first_frame')], 'queued'],
    ['a last frame alone', [text, image('last_frame')], 'InvalidParameter content'],
    ['first and last frame', [text, image('first_frame'), image('last_frame')], 'queued'],
    ['two images without roles', [text, image(), image()], 'InvalidParameter content'],
    [
      'a first frame and a reference',
      [text, image('first_frame'), image('reference_image')],
      'InvalidParameter content',
    ],
    [
      'an image without a role and a reference',
      [text, image(), image('reference_image')],
      'InvalidParameter content',
    ],
    [
      'references of each kind',
      [text, image('reference_image'), video('reference_video'), audio('reference_audio')],
      'queued',
    ],
    ['a video without a role', [text, video()], 'InvalidParameter content'],
    [
      'a role of another kind',
      [text, video('reference_image')],
      'InvalidParameter content[1].role',
    ],
    ['audio alone', [text, audio('reference_audio')], 'InvalidParameter content'],
    ['nine images', Array.from({ length: 9 }, () => image('reference_image')), 'queued'],
    [
      'ten images',
      Array.from({ length: 10 }, () => image('reference_image')),
      'InvalidParameter content',
    ],
    [
      'a draft that is none',
      [{ type: 'draft_task', draft_task: { id: 'x' } }],
      'InvalidParameter content[0].draft_task.id',
    ],
  ])('with %s', (_name, content, outcome) => {
    expect(outcomeOf(aBody({ content }))).toBe(outcome);
  });

  it.each([
    [{ type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA' } }, 'queued'],
    [
      { type: 'image_url', image_url: { url: 'data:image/PNG;base64,AAAA' } },
      'InvalidImageURL.UnsupportedForm content[0].image_url.url',
    ],
    [{ type: 'image_url', image_url: { url: 'asset://a1' } }, 'queued'],
    [
      { type: 'image_url', image_url: { url: 'file:///etc/passwd' } },
      'InvalidImageURL.UnsupportedForm content[0].image_url.url',
    ],
    [
      {
        type: 'video_url',
        video_url: { url: 'data:video/mp4;base64,AAAA' },
        role: 'reference_video',
      },
      'InvalidParameter content[0].video_url.url',
    ],
    [
      {
        type: 'audio_url',
        audio_url: { url: 'data:audio/mp3;base64,AAAA' },
        role: 'reference_audio',
      },
      'InvalidParameter content',
    ],
  ])('with the media %j', (item, outcome) => {
    expect(outcomeOf(aBody({ content: [item] }))).toBe(outcome);
  });
});

describe('the newest model', () => {
  const newest = { model: 'seedance-2-5-260628' };

  it('takes audio alone and decides length and ratio itself', () => {
    const task = create(aBody({ ...newest, content: [audio('reference_audio')] }));

    expect(task.parameters).toMatchObject({ seconds: 5, ratio: '16:9' });
  });

  it('fails a frame task with a ratio of its own only after accepting it, and refuses it when the kind was named', () => {
    const task = create(aBody({ ...newest, content: [text, image()], ratio: '16:9' }));

    expect(plannedOutcome(task)).toEqual({ kind: 'failed', error: unfitRatio });
    expect(
      outcomeOf(
        aBody({
          ...newest,
          content: [text, image()],
          ratio: '16:9',
          omni_reference_task_type: 'edit',
        }),
      ),
    ).toBe('InvalidParameter.TaskTypeConstraint ratio');
    expect(
      plannedOutcome(create(aBody({ ...newest, content: [text, image()], ratio: 'adaptive' })))
        .kind,
    ).toBe('succeeded');
  });

  it('renders a draft again in full, but not a task that is none', () => {
    const draft: Task = {
      ...create(aBody({ ...newest, draft: true, duration: 9, ratio: '1:1' })),
      id: 'cgt-draft',
      status: 'succeeded',
    };
    known.set('cgt-draft', draft).set('cgt-other', {
      ...draft,
      id: 'cgt-other',
      parameters: { ...draft.parameters, echo: {} },
    });
    const render = (id: string): object =>
      aBody({
        ...newest,
        content: [{ type: 'draft_task', draft_task: { id } }],
        resolution: '1080p',
      });

    const task = create(render('cgt-draft'));

    expect(draft.parameters.resolution).toBe('480p');
    expect(task).toMatchObject({
      prompt: 'A fox',
      parameters: { seconds: 9, ratio: '1:1', resolution: '1080p' },
    });
    expect(toTaskObject(task)).toMatchObject({ draft_task_id: 'cgt-draft' });
    expect(outcomeOf(render('cgt-other'))).toBe('InvalidParameter content[0].draft_task.id');
  });
});
