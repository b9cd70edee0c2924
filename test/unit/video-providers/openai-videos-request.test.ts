import { describe, expect, it } from '@jest/globals';
import type { Submission } from '@gateway/video-providers';
import { openaiVideosForm } from '../../../packages/video-providers/src/openai-videos/request.ts';

const aSubmission = (fields: Partial<Submission> = {}): Submission => ({
  correlation: 'video_01h455vb4pex5vsknk084sn02q',
  upstreamModel: 'sora-2',
  prompt: 'a cat',
  references: [],
  ratio: '16:9',
  duration: 8,
  resolution: '720p',
  watermark: false,
  seed: null,
  generateAudio: false,
  returnLastFrame: false,
  unsupported: [],
  expiresAfterSeconds: 86_400,
  ...fields,
});

function fieldsOf(submission: Submission): Record<string, ReturnType<FormData['get']>> {
  const written = openaiVideosForm(submission);
  if (!written.ok) throw new Error(written.detail);
  return Object.fromEntries(written.form);
}

describe('the form of an OpenAI videos submission', () => {
  it('says everything that was priced, as text, and nothing that the format has no place for', () => {
    expect(
      fieldsOf(
        aSubmission({ seed: 7, watermark: true, returnLastFrame: true, generateAudio: true }),
      ),
    ).toEqual({ model: 'sora-2', prompt: 'a cat', seconds: '8', size: '1280x720' });
  });

  it.each([
    ['720p', '16:9', '1280x720'],
    ['720p', '9:16', '720x1280'],
    ['1024p', '7:4', '1792x1024'],
    ['1024p', '4:7', '1024x1792'],
    ['1080p', '16:9', '1920x1080'],
    ['1080p', '9:16', '1080x1920'],
  ])('writes %s at %s as %s', (resolution, ratio, size) => {
    expect(fieldsOf(aSubmission({ resolution, ratio }))).toMatchObject({ size });
  });

  it('uploads the first frame with its bytes, type and a name', async () => {
    const { input_reference: file } = fieldsOf(
      aSubmission({
        references: [{ kind: 'image', role: 'first_frame', url: 'DATA:image/PNG;base64,aGVsbG8=' }],
      }),
    );

    if (typeof file === 'string' || !file) throw new Error('there is no file');
    expect([file.name, file.type, Buffer.from(await file.arrayBuffer()).toString()]).toEqual([
      'reference.png',
      'image/png',
      'hello',
    ]);
  });

  it.each<[string, Partial<Submission>]>([
    ['a picture without a size', { ratio: '1:1' }],
    ['a resolution without sizes', { resolution: '480p' }],
    [
      'an address',
      { references: [{ kind: 'image', role: 'first_frame', url: 'https://files.example/a.png' }] },
    ],
    [
      'an image that is no first frame',
      {
        references: [
          { kind: 'image', role: 'reference_image', url: 'data:image/png;base64,aGVsbG8=' },
        ],
      },
    ],
    [
      'two images',
      {
        references: [
          { kind: 'image', role: 'first_frame', url: 'data:image/png;base64,aGVsbG8=' },
          { kind: 'image', role: 'last_frame', url: 'data:image/png;base64,aGVsbG8=' },
        ],
      },
    ],
  ])('is not possible for %s', (_case, fields) => {
    expect(openaiVideosForm(aSubmission(fields))).toMatchObject({
      ok: false,
      detail: expect.any(String),
    });
  });
});
