import { describe, expect, it } from '@jest/globals';
import { lumaRequestBody } from '../../../packages/video-providers/src/luma/request.ts';
import {
  readPollResponse,
  readSubmitResponse,
} from '../../../packages/video-providers/src/luma/response.ts';
import { aResponse, id } from './responses.ts';
import { aSubmission, firstFrame, lastFrame } from './submissions.ts';

describe('the body of a submission to Luma', () => {
  it('states what the format has a place for, and nothing else', () => {
    expect(lumaRequestBody(aSubmission({ upstreamModel: 'ray-3.2', duration: 10 }))).toEqual({
      model: 'ray-3.2',
      type: 'video',
      prompt: 'a cat',
      aspect_ratio: '16:9',
      video: { resolution: '720p', duration: '10s' },
    });
  });

  it('has frames as addresses, or as bytes apart from their type', () => {
    expect(lumaRequestBody(aSubmission({ references: [firstFrame, lastFrame] }))).toMatchObject({
      video: {
        start_frame: { url: 'https://files.example/first.png' },
        end_frame: { data: 'AbC=', media_type: 'image/png' },
      },
    });
  });
});

describe('what the responses of Luma mean', () => {
  it.each([
    [400, 'prompt is too long', { kind: 'refused', failure: 'invalid_request' }],
    [400, 'Model ray-4 not found', { kind: 'unavailable', cause: 'model' }],
    [401, 'Missing API key', { kind: 'unavailable', cause: 'account' }],
    [402, 'Insufficient credits', { kind: 'unavailable', cause: 'account' }],
    [403, 'Account suspended', { kind: 'unavailable', cause: 'account' }],
    [413, 'Payload too large', { kind: 'refused', failure: 'invalid_request' }],
    [422, 'The image could not be read', { kind: 'refused', failure: 'invalid_request' }],
    [429, 'Rate limit exceeded', { kind: 'busy' }],
    [429, 'Too many concurrent jobs', { kind: 'busy' }],
    [502, 'Bad gateway', { kind: 'unknown' }],
    [503, 'Image URL ingestion unavailable', { kind: 'busy' }],
    [503, 'Service unavailable', { kind: 'unknown' }],
  ])('at creation: %i %s', (status, detail, outcome) => {
    expect(readSubmitResponse(aResponse({ status, json: { detail } }))).toMatchObject(outcome);
  });

  it.each([
    ['content_moderated', 'content_policy'],
    ['generation_failed', 'vendor_error'],
    ['output_not_found', 'vendor_error'],
    ['budget_exhausted', 'vendor_account'],
    ['another', 'vendor_error'],
  ])('of a generation that failed with %s', (code, failure) => {
    const json = { id, state: 'failed', failure_code: code, failure_reason: 'why' };

    expect(readPollResponse(aResponse({ json }), id)).toMatchObject({ kind: 'failed', failure });
  });

  it('takes the video among several files', () => {
    const output = [
      { type: 'exr', url: 'https://files.example/frames.zip' },
      { type: 'video', url: 'https://files.example/v.mp4' },
    ];

    expect(readPollResponse(aResponse({ json: { id, state: 'completed', output } }), id)).toEqual({
      kind: 'succeeded',
      output: { videoUrl: 'https://files.example/v.mp4' },
    });
  });
});
