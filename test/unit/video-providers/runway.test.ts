import { describe, expect, it } from '@jest/globals';
import { capabilitiesOf, videoVendors } from '@gateway/video-providers';
import { runwayCall } from '../../../packages/video-providers/src/runway/request.ts';
import {
  readPollResponse,
  readSubmitResponse,
} from '../../../packages/video-providers/src/runway/response.ts';
import { aResponse, id } from './responses.ts';
import { aClip, anImage, aSubmission, firstFrame, lastFrame } from './submissions.ts';

describe('a submission to Runway', () => {
  it.each<[string, Parameters<typeof aSubmission>[0], object]>([
    ['gen4.5', { ratio: '21:9' }, { ratio: '1584:672', seed: 7 }],
    ['gen4_turbo', { ratio: '9:16', seed: null }, { ratio: '720:1280' }],
    ['veo3.1', { resolution: '1080p' }, { ratio: '1920:1080', audio: true }],
    ['seedance2_5', { resolution: '480p' }, { ratio: '854:480', audio: true }],
    ['seedance2', { resolution: '480p' }, { ratio: '864:496', audio: true }],
    ['wan3', { ratio: 'adaptive', resolution: '480p' }, { ratio: 'auto_480p', audio: true }],
    ['hailuo3', { resolution: '2k' }, { ratio: '16:9', resolution: '2K' }],
    ['grok_imagine_1_5', { ratio: '3:2' }, { ratio: '3:2', resolution: '720p' }],
    // Of a model that nobody knows everything is said, and the configuration leaves out what it must.
    ['gen9', { unsupported: ['seed'] }, { ratio: '16:9', resolution: '720p', audio: true }],
  ])('says of the picture of %s what this model understands', (upstreamModel, fields, words) => {
    expect(runwayCall(aSubmission({ upstreamModel, ...fields }))).toEqual({
      ok: true,
      path: '/v1/text_to_video',
      body: { model: upstreamModel, promptText: 'a cat', duration: 5, ...words },
    });
  });

  it('is not possible in a size that the model does not have', () => {
    expect(runwayCall(aSubmission({ upstreamModel: 'gen4.5', resolution: '1080p' }))).toEqual({
      ok: false,
      detail: 'gen4.5 has no size for 16:9 at 1080p',
    });
  });

  it('goes to another path with frames', () => {
    const references = [firstFrame, lastFrame];

    expect(runwayCall(aSubmission({ upstreamModel: 'veo3.1', references }))).toMatchObject({
      path: '/v1/image_to_video',
      body: {
        promptImage: [
          { uri: 'https://files.example/first.png', position: 'first' },
          { uri: 'data:image/PNG;base64,AbC=', position: 'last' },
        ],
      },
    });
  });

  it('has references by their kind', () => {
    const references = [anImage, aClip];

    expect(runwayCall(aSubmission({ upstreamModel: 'seedance2', references }))).toMatchObject({
      path: '/v1/text_to_video',
      body: {
        references: [{ uri: 'https://files.example/image.png' }],
        referenceVideos: [{ type: 'video', uri: 'https://files.example/clip.mp4' }],
      },
    });
  });
});

describe('what a model of Runway can be asked for', () => {
  it('is known before anything is sent, down to its lengths', () => {
    expect(capabilitiesOf('runway', 'veo3.1').format?.seconds).toEqual([4, 6, 8]);
    expect(capabilitiesOf('runway', 'hailuo3').format).toBeUndefined();
    expect(capabilitiesOf('runway', 'gen9')).toBe(capabilitiesOf('runway'));
    expect(videoVendors['runway']?.upstreamModels?.['gen4.5']).toMatchObject({
      resolutions: ['720p'],
      frames: ['first_frame'],
      unsupported: ['watermark', 'generate_audio'],
    });
  });
});

describe('what the responses of Runway mean', () => {
  it.each([
    [400, 'Invalid ratio', { kind: 'refused', failure: 'invalid_request' }],
    [400, 'You do not have enough credits', { kind: 'unavailable', cause: 'account' }],
    [401, 'The API key is invalid', { kind: 'unavailable', cause: 'account' }],
    [429, 'Daily limit', { kind: 'busy' }],
    [502, 'Try again', { kind: 'unknown' }],
  ])('at creation: %i %s', (status, error, outcome) => {
    expect(readSubmitResponse(aResponse({ status, json: { error } }))).toMatchObject(outcome);
  });

  it.each([
    ['SAFETY.INPUT.TEXT', 'content_policy'],
    ['SAFETY.OUTPUT.VIDEO.3', 'content_policy'],
    ['INPUT_PREPROCESSING.SAFETY.TEXT', 'content_policy'],
    ['INPUT_PREPROCESSING.INTERNAL', 'invalid_request'],
    ['ASSET.INVALID', 'invalid_request'],
    ['INTERNAL.BAD_OUTPUT.CODE01', 'vendor_error'],
    ['SOMETHING.NEW', 'vendor_error'],
  ])('of a task that failed with %s', (failureCode, failure) => {
    const json = { id, status: 'FAILED', failure: 'why', failureCode };

    expect(readPollResponse(aResponse({ json }), id)).toMatchObject({ kind: 'failed', failure });
  });

  it.each([
    [{ credits: 60 }, { cost: { amount: '0.6000', currency: 'USD' } }],
    [undefined, {}],
    [{ credits: -1 }, {}],
    [{ credits: 'many' }, {}],
  ])('says what a task has cost, where it is told: %j', (cost, told) => {
    const json = { id, status: 'SUCCEEDED', output: ['https://files.example/v.mp4'], cost };

    expect(readPollResponse(aResponse({ json }), id)).toEqual({
      kind: 'succeeded',
      output: { videoUrl: 'https://files.example/v.mp4', ...told },
    });
  });
});
