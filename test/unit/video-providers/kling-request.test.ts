import { describe, expect, it } from '@jest/globals';
import { klingRequest } from '../../../packages/video-providers/src/kling/request.ts';
import type { Submission } from '@gateway/video-providers';

const submission: Submission = {
  correlation: 'video_1',
  upstreamModel: 'kling-3.0',
  prompt: 'a cat',
  references: [],
  ratio: '9:16',
  duration: 7,
  resolution: '1080p',
  watermark: false,
  seed: 3,
  generateAudio: true,
  returnLastFrame: false,
  unsupported: ['seed', 'return_last_frame'],
  expiresAfterSeconds: 60,
};
const first = { kind: 'image', role: 'first_frame', url: 'data:image/PNG;base64,QUJD' } as const;
const picture = { kind: 'image', role: 'reference_image', url: 'https://a.example/1.png' } as const;
const clip = { kind: 'video', role: 'reference_video', url: 'https://a.example/1.mp4' } as const;
const options = { external_task_id: 'video_1', watermark_info: { enabled: false } };

describe('the request of a creation at Kling', () => {
  it('of a text has the prompt as it is, and everything that was priced', () => {
    expect(klingRequest(submission)).toEqual({
      path: '/text-to-video/kling-3.0',
      body: {
        prompt: 'a cat',
        settings: { resolution: '1080p', aspect_ratio: '9:16', duration: 7, audio: 'native' },
        options,
      },
    });
  });

  it('of frames goes elsewhere, with bare base64 and no ratio', () => {
    expect(klingRequest({ ...submission, references: [first], generateAudio: false })).toEqual({
      path: '/image-to-video/kling-3.0',
      body: {
        contents: [
          { type: 'prompt', text: 'a cat' },
          { type: 'first_frame', url: 'QUJD' },
        ],
        settings: { resolution: '1080p', duration: 7, audio: 'off' },
        options,
      },
    });
  });

  it('of references names them, so that a prompt can', () => {
    const { path, body } = klingRequest({
      ...submission,
      upstreamModel: 'kling-3.0-omni',
      references: [picture, picture],
    });

    expect(path).toBe('/omni-video/kling-3.0-omni');
    expect(body).toMatchObject({
      contents: [
        { type: 'prompt' },
        { type: 'refer_image', id: 'image_1', url: picture.url },
        { type: 'refer_image', id: 'image_2' },
      ],
      settings: { aspect_ratio: '9:16', duration: 7 },
    });
  });

  it('of a clip leaves length and ratio to it, and has no sound', () => {
    const { body } = klingRequest({
      ...submission,
      upstreamModel: 'kling-3.0-omni',
      references: [clip],
    });

    expect(body).toMatchObject({ contents: [{}, { type: 'feature_video', id: 'video_1' }] });
    expect(body).toHaveProperty('settings', { resolution: '1080p', audio: 'off' });
  });

  it('leaves sound out for a model that has no field for it', () => {
    const { body } = klingRequest({ ...submission, unsupported: ['generate_audio'] });

    expect(body).not.toHaveProperty('settings.audio');
  });
});
