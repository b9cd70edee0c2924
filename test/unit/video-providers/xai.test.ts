import { describe, expect, it } from '@jest/globals';
import { xaiRequestBody } from '../../../packages/video-providers/src/xai/request.ts';
import {
  readPollResponse,
  readSubmitResponse,
} from '../../../packages/video-providers/src/xai/response.ts';
import { aResponse } from './responses.ts';
import { anImage, aSubmission, firstFrame } from './submissions.ts';

describe('the body of a submission to xAI', () => {
  it('states what the format has a place for, and nothing else', () => {
    expect(xaiRequestBody(aSubmission())).toEqual({
      model: 'model-1',
      prompt: 'a cat',
      duration: 5,
      aspect_ratio: '16:9',
      resolution: '720p',
      generate_audio: true,
    });
  });

  it('has one image as the first frame, or a list of references', () => {
    expect(
      xaiRequestBody(aSubmission({ references: [firstFrame], unsupported: ['generate_audio'] })),
    ).toMatchObject({ image: { url: 'https://files.example/first.png' } });
    expect(xaiRequestBody(aSubmission({ references: [anImage, anImage] }))).toMatchObject({
      reference_images: [
        { url: 'https://files.example/image.png' },
        { url: 'https://files.example/image.png' },
      ],
    });
  });
});

const usage = { cost_in_usd_ticks: 12_345 };
const cost = { amount: '0.0000012345', currency: 'USD' };
const videoUrl = 'https://files.example/v.mp4';

describe('what the responses of xAI mean', () => {
  it.each([
    [400, 'invalid-argument', 'Duration 15s exceeds …', { failure: 'invalid_request' }],
    [400, 'invalid-argument', 'Incorrect API key provided', { cause: 'account' }],
    [403, 'permission-denied', 'No access', { cause: 'account' }],
    [404, 'not-found', 'The model x does not exist', { cause: 'model' }],
    [429, 'resource-exhausted', 'Too many requests', { kind: 'busy' }],
    [500, 'internal-error', 'Try again', { kind: 'unknown' }],
  ])('at creation: %i %s %s', (status, code, error, outcome) => {
    expect(readSubmitResponse(aResponse({ status, json: { code, error } }))).toMatchObject(outcome);
  });

  it.each([401, 403, 408, 409, 429, 500, 503])('a poll with %i says nothing', (status) => {
    const json = { code: 'some', error: 'something' };

    expect(readPollResponse(aResponse({ status, json }))).toMatchObject({ kind: 'error' });
  });

  it.each([
    [400, 'imagine:content-moderated', 'content_policy'],
    [400, 'invalid-argument', 'invalid_request'],
    [422, 'unheard-of', 'invalid_request'],
  ])('a poll with %i %s is the verdict, and what it cost stands', (status, code, failure) => {
    const json = { code, error: 'why', usage };

    expect(readPollResponse(aResponse({ status, json }))).toMatchObject({
      kind: 'failed',
      failure,
      usage: { cost },
    });
  });

  it.each<[string, object, object]>([
    ['a link without a status', { video: { url: videoUrl } }, { output: { videoUrl } }],
    [
      'a success with its cost',
      { status: 'done', video: { url: videoUrl, duration: 5 }, usage },
      { output: { videoUrl, seconds: 5, cost } },
    ],
    [
      'a video that is withheld',
      { status: 'done', video: { url: videoUrl, respect_moderation: false }, usage },
      { failure: 'content_policy', usage: { cost } },
    ],
    ['a success without a link', { status: 'done', video: { url: '' } }, { failure: 'no_output' }],
    ['the end of its time', { status: 'expired' }, { failure: 'expired' }],
    ['a page that says failed', { status: 'failed', error: 'Forbidden' }, { kind: 'error' }],
  ])('a 200 with %s', (_name, json, outcome) => {
    expect(readPollResponse(aResponse({ json }))).toMatchObject(outcome);
  });
});
