import { describe, expect, it } from '@jest/globals';
import { viduRequest } from '../../../packages/video-providers/src/vidu/request.ts';
import { aSubmission } from './submissions.ts';

const picture = (role: 'first_frame' | 'last_frame' | 'reference_image', url: string) =>
  ({ kind: 'image', role, url }) as const;
const body = { model: 'model-1', prompt: 'a cat', duration: 5, resolution: '720p' };

describe('the request of a creation at Vidu', () => {
  it('of a text has every field, and our name for it', () => {
    expect(viduRequest(aSubmission({ correlation: 'video_1', seed: 7 }))).toEqual({
      path: '/ent/v2/text2video',
      body: {
        ...body,
        aspect_ratio: '16:9',
        seed: 7,
        audio: true,
        watermark: true,
        payload: 'video_1',
      },
    });
  });

  it.each([
    ['img2video', [picture('first_frame', 'a')], ['a']],
    ['start-end2video', [picture('last_frame', 'b'), picture('first_frame', 'a')], ['a', 'b']],
  ])('of frames goes to %s, without a ratio', (endpoint, references, images) => {
    const { path, body: sent } = viduRequest(aSubmission({ references }));

    expect(path).toBe(`/ent/v2/${endpoint}`);
    expect(sent).toMatchObject({ ...body, images });
    expect(sent).not.toHaveProperty('aspect_ratio');
  });

  it('leaves out what a model does not take, and asks for idle machines when it may wait', () => {
    const { path, body: sent } = viduRequest(
      aSubmission({
        references: [picture('reference_image', 'a')],
        resolution: '2k',
        seed: 7,
        unsupported: ['seed', 'watermark', 'generate_audio'],
        serviceTier: 'flex',
      }),
    );

    expect(path).toBe('/ent/v2/reference2video');
    expect(sent).toMatchObject({ resolution: '2K', off_peak: true, images: ['a'] });
    expect(Object.keys(sent)).not.toEqual(
      expect.arrayContaining([expect.stringMatching(/^(seed|watermark|audio)$/)]),
    );
  });
});
