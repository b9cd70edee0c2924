import { describe, expect, it } from '@jest/globals';
import { falCall } from '../../../packages/video-providers/src/fal/request.ts';
import {
  readResultResponse,
  readSubmitResponse,
} from '../../../packages/video-providers/src/fal/response.ts';
import { pathOf, readTaskId } from '../../../packages/video-providers/src/fal/task-id.ts';
import { aResponse } from './responses.ts';
import { aClip, anImage, aSubmission, firstFrame, lastFrame } from './submissions.ts';

describe('a submission to fal', () => {
  it.each<[string, Parameters<typeof aSubmission>[0], string, object]>([
    [
      'fal-ai/kling-video/v3/pro/{mode}',
      {},
      '/fal-ai/kling-video/v3/pro/text-to-video',
      { prompt: 'a cat', duration: '5', aspect_ratio: '16:9', generate_audio: true },
    ],
    [
      'fal-ai/kling-video/v3/pro/{mode}',
      { references: [firstFrame, lastFrame] },
      '/fal-ai/kling-video/v3/pro/image-to-video',
      {
        prompt: 'a cat',
        duration: '5',
        generate_audio: true,
        start_image_url: firstFrame.url,
        end_image_url: lastFrame.url,
      },
    ],
    [
      'minimax/h3/{mode}',
      { resolution: '768p' },
      '/minimax/h3/text-to-video',
      { prompt: 'a cat', duration: 5, aspect_ratio: '16:9', resolution: '768P', seed: 7 },
    ],
    [
      'bytedance/seedance-2.5/{mode}',
      { references: [anImage, anImage, aClip], duration: -1 },
      '/bytedance/seedance-2.5/reference-to-video',
      {
        prompt: 'a cat',
        duration: 'auto',
        aspect_ratio: '16:9',
        resolution: '720p',
        generate_audio: true,
        image_urls: [anImage.url, anImage.url],
        video_urls: [aClip.url],
      },
    ],
    [
      'alibaba/wan-3.0/{mode}',
      { unsupported: ['generate_audio', 'seed'] },
      '/alibaba/wan-3.0/text-to-video',
      { prompt: 'a cat', duration: 5, aspect_ratio: '16:9', resolution: '720p' },
    ],
    [
      'somebody/new-model',
      { references: [firstFrame], seed: null },
      '/somebody/new-model',
      {
        prompt: 'a cat',
        duration: 5,
        aspect_ratio: '16:9',
        resolution: '720p',
        image_url: firstFrame.url,
      },
    ],
  ])('speaks as the family of %s does: %j', (upstreamModel, fields, path, body) => {
    expect(falCall(aSubmission({ upstreamModel, ...fields }))).toEqual({ ok: true, path, body });
  });

  it.each([
    ['somebody/new-model', [lastFrame], 'somebody/new-model has no field for a last_frame'],
    ['a/../../b', [], 'a/../../b is not the path of an endpoint'],
    ['a/b?c', [], 'a/b?c is not the path of an endpoint'],
  ])('is not possible at %s with %j', (upstreamModel, references, detail) => {
    expect(falCall(aSubmission({ upstreamModel, references }))).toEqual({ ok: false, detail });
  });
});

describe('the id of a request in the queue', () => {
  const endpointPath = '/bytedance/seedance-2.5/text-to-video';
  const accepted = (response_url: unknown, basePath = '') =>
    readSubmitResponse(aResponse({ json: { request_id: 'r-1', response_url } }), {
      endpointPath,
      basePath,
    });

  it.each([
    ['of the path that it names', 'https://queue.fal.run/a/b/requests/r-1', '', 'a/b/r-1'],
    ['below our base', 'https://proxy.example/fal/a/b/requests/r-1', '/fal', 'a/b/r-1'],
    ['of the endpoint without one', undefined, '', 'bytedance/seedance-2.5/r-1'],
    [
      'of the endpoint for another request',
      'https://x.example/a/b/requests/r-2',
      '',
      'bytedance/seedance-2.5/r-1',
    ],
    [
      'of the endpoint for a strange path',
      'https://x.example/..%2f/requests/r-1',
      '',
      'bytedance/seedance-2.5/r-1',
    ],
  ])('is made %s', (_name, url, basePath, vendorTaskId) => {
    expect(accepted(url, basePath)).toEqual({ kind: 'accepted', vendorTaskId });
  });

  it('leads back to the path of the request', () => {
    expect(pathOf(readTaskId('a/b/r-1'))).toBe('/a/b/requests/r-1');
  });
});

describe('what the result of a completed request means', () => {
  const detail = [{ loc: ['body', 'prompt'], msg: 'why', type: 'value_error' }];
  const flagged = [...detail, { loc: ['body'], msg: 'no', type: 'content_policy_violation' }];

  it.each<[number, object, string | undefined, object]>([
    [200, { video: { url: 'https://f.example/v.mp4' }, seed: 3 }, undefined, { kind: 'succeeded' }],
    [200, { images: [] }, undefined, { failure: 'no_output' }],
    [422, { detail }, undefined, { failure: 'invalid_request' }],
    [422, { detail: flagged }, undefined, { failure: 'content_policy' }],
    [400, { detail: 'Request is still in progress' }, undefined, { kind: 'error' }],
    [404, { detail: 'Request not found' }, undefined, { kind: 'missing' }],
    [401, { detail: 'Unauthorized' }, undefined, { kind: 'error' }],
    [429, { detail: 'Slow down' }, undefined, { kind: 'error' }],
    [500, { detail: 'Internal Server Error' }, undefined, { kind: 'error' }],
    [500, { detail: 'Internal Server Error' }, 'it broke', { failure: 'vendor_error' }],
    [504, { detail: 'Gateway timeout' }, undefined, { kind: 'error' }],
  ])('%i %j, with %s in its status', (status, json, statusError, outcome) => {
    expect(readResultResponse(aResponse({ status, json }), statusError)).toMatchObject(outcome);
  });

  it('was never started in time when our own time for that is over', () => {
    const headers = { 'x-fal-request-timeout-type': 'user' };

    expect(
      readResultResponse(aResponse({ status: 504, json: { detail: 'x' }, headers }), undefined),
    ).toMatchObject({ failure: 'expired' });
  });
});
