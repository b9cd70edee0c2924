import { describe, expect, it } from '@jest/globals';
import { dashscopeRequestBody } from '../../../packages/video-providers/src/dashscope/request.ts';
import { readSubmitResponse } from '../../../packages/video-providers/src/dashscope/response.ts';
import { aResponse } from './responses.ts';
import { aSubmission } from './submissions.ts';

const clip = {
  kind: 'video',
  role: 'reference_video',
  url: 'https://clips.example/1.mp4',
} as const;

describe('the request of a creation at DashScope', () => {
  it('states what was priced, the resolution above all', () => {
    expect(
      dashscopeRequestBody(
        aSubmission({
          upstreamModel: 'wan3.0-video',
          references: [clip],
          duration: -1,
          seed: 7,
          unsupported: ['generate_audio'],
        }),
      ),
    ).toEqual({
      model: 'wan3.0-video',
      input: {
        prompt: 'a cat',
        media: [{ type: 'reference_video', url: 'https://clips.example/1.mp4' }],
      },
      parameters: {
        resolution: '720P',
        ratio: '16:9',
        duration: -1,
        seed: 7,
        watermark: true,
      },
    });
  });

  it('has the words of another maker for its models', () => {
    expect(
      dashscopeRequestBody(
        aSubmission({
          upstreamModel: 'vidu/viduq3-mix_reference2video',
          references: [clip, { ...clip, kind: 'image', role: 'reference_image' }],
          generateAudio: true,
        }),
      ),
    ).toMatchObject({
      input: { media: [{ type: 'video' }, { type: 'image' }] },
      parameters: { audio: true },
    });
  });
});

describe('what DashScope says to a creation', () => {
  it.each([
    [400, 'Arrearage', { kind: 'unavailable', cause: 'account' }],
    [403, 'AllocationQuota.FreeTierOnly', { kind: 'unavailable', cause: 'account' }],
    [403, 'Model.AccessDenied', { kind: 'unavailable', cause: 'model' }],
    [429, 'Throttling.AllocationQuota', { kind: 'busy' }],
    [400, 'InvalidParameter.DataInspection', { kind: 'refused', failure: 'invalid_request' }],
    [400, 'DataInspectionFailed', { kind: 'refused', failure: 'content_policy' }],
    [500, 'InternalError.Algo', { kind: 'unknown' }],
  ])('%d %s', (status, code, outcome) => {
    const json = { code, message: 'a sentence', request_id: 'r-1' };

    expect(readSubmitResponse(aResponse({ status, json }))).toMatchObject(outcome);
  });
});
