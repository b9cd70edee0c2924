import { describe, expect, it } from '@jest/globals';
import { capabilitiesOf, type Submission } from '@gateway/video-providers';
import { arkRequestBody } from '../../../packages/video-providers/src/ark/request.ts';

const aSubmission = (fields: Partial<Submission> = {}): Submission => ({
  correlation: 'video_01h455vb4pex5vsknk084sn02q',
  upstreamModel: 'seedance-2-0-260128',
  prompt: 'a cat',
  references: [],
  ratio: '16:9',
  duration: 5,
  resolution: '720p',
  watermark: false,
  seed: null,
  generateAudio: false,
  returnLastFrame: false,
  unsupported: [],
  expiresAfterSeconds: 86_400,
  ...fields,
});
const a = 'https://files.example/a';

describe('the body of an Ark submission', () => {
  it('states everything that was priced, for a text alone', () => {
    expect(arkRequestBody(aSubmission())).toEqual({
      model: 'seedance-2-0-260128',
      content: [{ type: 'text', text: 'a cat' }],
      ratio: '16:9',
      duration: 5,
      resolution: '720p',
      watermark: false,
      generate_audio: false,
      return_last_frame: false,
      execution_expires_after: 86_400,
      safety_identifier: 'video_01h455vb4pex5vsknk084sn02q',
    });
  });

  it('passes on every choice of the customer', () => {
    expect(
      arkRequestBody(
        aSubmission({
          ratio: 'adaptive',
          duration: -1,
          resolution: '1080p',
          watermark: true,
          generateAudio: true,
          returnLastFrame: true,
          seed: 0,
        }),
      ),
    ).toMatchObject({
      ratio: 'adaptive',
      duration: -1,
      resolution: '1080p',
      watermark: true,
      generate_audio: true,
      return_last_frame: true,
      seed: 0,
    });
  });

  it.each<[string, Partial<Submission>, object]>([
    ['the flex tier', { serviceTier: 'flex' }, { service_tier: 'flex' }],
    ['a draft', { draft: true }, { draft: true }],
    ['a priority, the lowest too', { priority: 0 }, { priority: 0 }],
    ['extending', { task: 'extend' }, { omni_reference_task_type: 'extend' }],
    ['editing', { task: 'edit' }, { omni_reference_task_type: 'edit' }],
    ['nothing for what is usual', { serviceTier: 'standard', draft: false }, {}],
  ])('says %s in the words of Ark', (_case, options, expected) => {
    expect(arkRequestBody(aSubmission(options))).toEqual({
      ...arkRequestBody(aSubmission()),
      ...expected,
    });
  });

  it.each<[string, Submission['references'], object[]]>([
    [
      'a first frame',
      [{ kind: 'image', role: 'first_frame', url: a }],
      [{ type: 'image_url', image_url: { url: a }, role: 'first_frame' }],
    ],
    [
      'a first and a last frame',
      [
        { kind: 'image', role: 'first_frame', url: a },
        { kind: 'image', role: 'last_frame', url: `${a}2` },
      ],
      [
        { type: 'image_url', image_url: { url: a }, role: 'first_frame' },
        { type: 'image_url', image_url: { url: `${a}2` }, role: 'last_frame' },
      ],
    ],
    [
      'references of every kind',
      [
        { kind: 'image', role: 'reference_image', url: a },
        { kind: 'video', role: 'reference_video', url: a },
        { kind: 'audio', role: 'reference_audio', url: a },
      ],
      [
        { type: 'image_url', image_url: { url: a }, role: 'reference_image' },
        { type: 'video_url', video_url: { url: a }, role: 'reference_video' },
        { type: 'audio_url', audio_url: { url: a }, role: 'reference_audio' },
      ],
    ],
    [
      'an image by its bytes, whose media type Ark wants in lower case',
      [{ kind: 'image', role: 'first_frame', url: 'DATA:image/PNG;Base64,AbC=' }],
      [
        {
          type: 'image_url',
          image_url: { url: 'data:image/png;base64,AbC=' },
          role: 'first_frame',
        },
      ],
    ],
  ])('lists %s after the text, in order and with roles', (_name, references, items) => {
    expect(arkRequestBody(aSubmission({ references }))).toMatchObject({
      content: [{ type: 'text', text: 'a cat' }, ...items],
    });
  });

  it('has no text item without a prompt', () => {
    const body = arkRequestBody(
      aSubmission({ prompt: '', references: [{ kind: 'image', role: 'first_frame', url: a }] }),
    );

    expect(body).toMatchObject({ content: [{ type: 'image_url' }] });
  });

  it.each([
    [1, 3_600],
    [3_600, 3_600],
    [3_600.2, 3_601],
    [172_800, 172_800],
    [604_800, 259_200],
  ])('asks the vendor to give up after %d s as %d s', (asked, sent) => {
    expect(arkRequestBody(aSubmission({ expiresAfterSeconds: asked }))).toMatchObject({
      execution_expires_after: sent,
    });
  });
});

describe('prompt flags of Ark', () => {
  const found = (prompt: string): string | undefined =>
    capabilitiesOf('ark').promptFlags?.exec(prompt)?.[0];

  it.each([
    'rs',
    'resolution',
    'rt',
    'ratio',
    'dur',
    'duration',
    'fps',
    'framespersecond',
    'frames',
    'seed',
    'cf',
    'camerafixed',
    'wm',
    'watermark',
  ])('sees --%s', (flag) => {
    expect(found(`a cat --${flag} 9`)).toBe(`--${flag}`);
  });

  it.each([
    ['at the start', '--dur 10 a cat'],
    ['in the middle', 'a cat --rs 1080p on a roof'],
    ['at the end', 'a cat --wm'],
    ['on a line of its own', 'a cat\n--seed 1'],
    ['in capitals', 'a cat --DUR 10'],
    ['with an equals sign', 'a cat --ratio=16:9'],
    ['right after another script', '小猫--rs 1080p'],
    ['after a comma', 'a cat,--fps 60'],
  ])('sees a flag %s', (_name, prompt) => {
    expect(found(prompt)).toMatch(/^--\w+$/);
  });

  it.each([
    'a season --season 2',
    'a cat -- a dog',
    'cat--seed packets',
    'the end---dur',
    'a --durable cat',
    'a --ratio-free life',
    '--resolutions',
    'a dash -seed 1',
    '— rs 1080p',
    '--watermarked',
    '--frames_per',
  ])('takes %j for ordinary text', (prompt) => {
    expect(found(prompt)).toBeUndefined();
  });

  it('gives the same response when asked again', () => {
    expect([found('--dur 1'), found('--dur 1')]).toEqual(['--dur', '--dur']);
  });
});
