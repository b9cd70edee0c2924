import { describe, expect, it } from '@jest/globals';
import type { Submission } from '@gateway/video-providers';
import { minimaxRequestBody } from '../../../packages/video-providers/src/minimax/request.ts';

const aSubmission = (fields: Partial<Submission> = {}): Submission => ({
  correlation: 'video_01h455vb4pex5vsknk084sn02q',
  upstreamModel: 'MiniMax-H3',
  prompt: 'a cat',
  references: [],
  ratio: '16:9',
  duration: 5,
  resolution: '768p',
  watermark: false,
  seed: 7,
  generateAudio: true,
  returnLastFrame: true,
  unsupported: ['seed', 'generate_audio', 'return_last_frame'],
  expiresAfterSeconds: 86_400,
  ...fields,
});

describe('the body of a MiniMax submission', () => {
  it('states what the format has a place for, and nothing else', () => {
    expect(minimaxRequestBody(aSubmission())).toEqual({
      model: 'MiniMax-H3',
      content: [{ type: 'text', text: 'a cat' }],
      resolution: '768P',
      duration: 5,
      ratio: '16:9',
      aigc_watermark: false,
    });
  });

  it.each([
    ['480p', '480P'],
    ['768p', '768P'],
    ['2k', '2K'],
  ])(
    'writes the resolution %s as %s, which is the only spelling there is',
    (resolution, written) => {
      expect(minimaxRequestBody(aSubmission({ resolution, watermark: true }))).toMatchObject({
        resolution: written,
        aigc_watermark: true,
      });
    },
  );

  it('has the references behind the text, with media types in lower case', () => {
    const references: Submission['references'] = [
      { kind: 'image', role: 'first_frame', url: 'DATA:image/PNG;Base64,AbC=' },
      { kind: 'video', role: 'reference_video', url: 'https://files.example/A' },
      { kind: 'audio', role: 'reference_audio', url: 'https://files.example/B' },
    ];

    expect(minimaxRequestBody(aSubmission({ references }))).toMatchObject({
      content: [
        { type: 'text' },
        {
          type: 'image_url',
          image_url: { url: 'data:image/png;base64,AbC=' },
          role: 'first_frame',
        },
        {
          type: 'video_url',
          video_url: { url: 'https://files.example/A' },
          role: 'reference_video',
        },
        {
          type: 'audio_url',
          audio_url: { url: 'https://files.example/B' },
          role: 'reference_audio',
        },
      ],
    });
  });
});
