import { describe, expect, it } from '@jest/globals';
import { googleOmniRequestBody } from '../../../packages/video-providers/src/google-omni/request.ts';
import {
  readPollResponse,
  readSubmitResponse,
} from '../../../packages/video-providers/src/google-omni/response.ts';
import { aResponse, id } from './responses.ts';
import { aSubmission } from './submissions.ts';

const picture = (role: 'first_frame' | 'last_frame' | 'reference_image', data: string) =>
  ({ kind: 'image', role, url: `data:image/PNG;base64,${data}` }) as const;

describe('the request of a creation at Gemini Omni', () => {
  it('does not wait for the video, and says its length as text', () => {
    expect(googleOmniRequestBody(aSubmission({ correlation: 'video_1' }))).toEqual({
      model: 'model-1',
      background: true,
      store: true,
      input: [{ type: 'text', text: 'a cat' }],
      response_format: {
        type: 'video',
        aspect_ratio: '16:9',
        resolution: '720p',
        duration: '5s',
        delivery: 'uri',
      },
      labels: { task: 'video_1' },
    });
  });

  it('puts the first frame before the last, as bytes beside their type', () => {
    const references = [picture('last_frame', 'Qg=='), picture('first_frame', 'QQ==')];

    expect(googleOmniRequestBody(aSubmission({ references }))).toMatchObject({
      input: [
        { type: 'image', data: 'QQ==', mime_type: 'image/png' },
        { type: 'image', data: 'Qg==', mime_type: 'image/png' },
        { type: 'text' },
      ],
      generation_config: { video_config: { task: 'image_to_video' } },
    });
  });

  it('says so when pictures are references', () => {
    expect(
      googleOmniRequestBody(aSubmission({ references: [picture('reference_image', 'QQ==')] })),
    ).toMatchObject({ generation_config: { video_config: { task: 'reference_to_video' } } });
  });
});

const base = 'https://google.example/v1beta/interactions/x';
const poll = (fields: object) =>
  readPollResponse(aResponse({ json: { id, ...fields } }), { vendorTaskId: id, url: base });
const video = (part: object) => ({
  status: 'completed',
  steps: [{ type: 'model_output', content: [{ type: 'video', ...part }] }],
});

describe('what Gemini Omni says of a task', () => {
  it.each([
    ['https://google.example/v1beta/files/a:download', '?alt=media'],
    ['https://google.example/v1beta/files/a:download?alt=media', ''],
    ['https://elsewhere.example/a.mp4?signature=1', ''],
  ])('the file of %s', (uri, more) => {
    expect(poll(video({ uri }))).toMatchObject({ output: { videoUrl: `${uri}${more}` } });
  });

  it.each([
    ['budget_exceeded', 'vendor_account'],
    ['incomplete', 'vendor_error'],
    ['requires_action', 'vendor_error'],
  ])('the end %s', (status, failure) => {
    expect(poll({ status })).toMatchObject({ kind: 'failed', failure });
    expect(poll({ status })).not.toHaveProperty('drift');
  });
});

describe('what Gemini Omni says to a creation', () => {
  it.each([
    [400, 'INVALID_ARGUMENT', 'API key not valid.', { kind: 'unavailable', cause: 'account' }],
    [404, 'NOT_FOUND', 'The model is gone.', { kind: 'unavailable', cause: 'model' }],
    [400, 'PROHIBITED_CONTENT', 'no', { kind: 'refused', failure: 'content_policy' }],
    [503, 'UNAVAILABLE', 'later', { kind: 'unknown' }],
  ])('%d %s %s', (status, word, message, outcome) => {
    const error = { error: { code: status, message, status: word } };

    expect(readSubmitResponse(aResponse({ status, json: error }))).toMatchObject(outcome);
    expect(readSubmitResponse(aResponse({ status, json: [error] }))).toMatchObject(outcome);
  });
});
