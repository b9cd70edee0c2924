import { describe, expect, it } from '@jest/globals';
import {
  cancelFormat,
  readListResponse,
  readPollResponse,
} from '../../../packages/video-providers/src/ark/response.ts';
import { readCancelResponse } from '../../../packages/video-providers/src/cancel-while-queued.ts';
import { aTask, aResponse, anError, id } from './responses.ts';

const video_url = 'https://files.example/v.mp4?X-Tos-Expires=86400';
const poll = (fields: object) => readPollResponse(aTask(fields), id);
const failedWith = (error: unknown) => poll({ status: 'failed', error });

describe('one look at an Ark task', () => {
  it.each([
    ['queued', 'queued'],
    ['running', 'running'],
    ['Running', 'running'],
  ])('%s is pending', (status, vendorStatus) => {
    expect(poll({ status })).toEqual({ kind: 'pending', vendorStatus });
  });

  it.each(['contemplating', 'constructor'])('%s is pending, and news', (status) => {
    expect(poll({ status })).toEqual({
      kind: 'pending',
      vendorStatus: status,
      drift: { kind: 'status', example: status },
    });
  });

  it.each([
    ['expired', 'expired'],
    ['cancelled', 'cancelled'],
    ['canceled', 'cancelled'],
    ['EXPIRED', 'expired'],
  ])('%s is a failure of its own', (status, failure) => {
    expect(poll({ status, error: null })).toMatchObject({ kind: 'failed', failure });
  });

  it.each([
    ['InternalServiceError', 'vendor_error'],
    ['ServerOverloaded', 'vendor_error'],
    ['RateLimitExceeded.EndpointRPMExceeded', 'vendor_error'],
    ['BrandNewCode', 'vendor_error'],
    ['OutputVideoSensitiveContentDetected', 'content_policy'],
    ['OutputVideoSensitiveContentDetected.PolicyViolation', 'content_policy'],
    ['OutputImageSensitiveContentDetected', 'content_policy'],
    ['OutputTextSensitiveContentDetected', 'content_policy'],
    ['OutputAudioSensitiveContentDetected', 'content_policy'],
    ['OutputVideoRiskDetection', 'content_policy'],
    ['InvalidParameter.TaskTypeConstraint', 'invalid_request'],
    ['InvalidParameter.TaskTypeMismatch', 'invalid_request'],
    ['AccountOverdueError', 'vendor_account'],
  ])('failed with %s is %s', (code, failure) => {
    expect(failedWith({ code, message: 'm' })).toMatchObject({ kind: 'failed', failure });
  });

  it.each([
    ['a number', { code: 1300, message: 'The render failed.' }],
    ['absent', { message: 'The render failed.' }],
    ['bare text', 'The render failed.'],
  ])('reads an error whose code is %s', (_name, error) => {
    expect(failedWith(error)).toMatchObject({
      failure: 'vendor_error',
      reason: 'The render failed.',
      detail: expect.stringContaining('The render failed.'),
    });
  });

  it.each([[undefined], [null], [[]], [7]])(
    'fails without a reason when the error is %p',
    (error) => {
      const outcome = failedWith(error);

      expect(outcome).toMatchObject({ kind: 'failed', failure: 'vendor_error' });
      expect(outcome).not.toHaveProperty('reason');
    },
  );

  it.each([
    [{ code: 'OutputVideoSensitiveContentDetected', message: 'no' }],
    ['OutputVideoSensitiveContentDetected'],
  ])('reads failure_reason, as lists write it: %p', (failure_reason) => {
    expect(poll({ status: 'failed', failure_reason })).toMatchObject({ failure: 'content_policy' });
  });

  it('gives everything the vendor says about the video', () => {
    const outcome = poll({
      status: 'succeeded',
      content: { video_url, last_frame_url: 'https://files.example/v.jpg' },
      usage: { completion_tokens: 108900, total_tokens: 108900 },
      seed: 10,
      resolution: '720p',
      ratio: '16:9',
      duration: 5,
      framespersecond: 24,
      error: null,
    });

    expect(outcome).toEqual({
      kind: 'succeeded',
      output: {
        videoUrl: video_url,
        lastFrameUrl: 'https://files.example/v.jpg',
        seconds: 5,
        ratio: '16:9',
        resolution: '720p',
        seed: 10,
        completionTokens: 108900,
        totalTokens: 108900,
      },
    });
  });

  it.each<[string, object, object]>([
    [
      'numbers as strings',
      { duration: '5', seed: '-1', usage: { completion_tokens: '7', total_tokens: '8' } },
      { seconds: 5, seed: -1, completionTokens: 7, totalTokens: 8 },
    ],
    ['a fraction of a second', { duration: 5.04 }, { seconds: 5 }],
    ['frames in place of a duration', { frames: 125 }, { seconds: 5 }],
    [
      'nonsense',
      {
        duration: 'long',
        frames: {},
        seed: 1.5,
        ratio: 'x'.repeat(99),
        resolution: '7 20',
        usage: [],
      },
      {},
    ],
    ['too little', { duration: 0, usage: { completion_tokens: -1, total_tokens: '1e9' } }, {}],
  ])('reads %s', (_name, fields, output) => {
    expect(poll({ status: 'succeeded', content: { video_url }, ...fields })).toEqual({
      kind: 'succeeded',
      output: { videoUrl: video_url, ...output },
    });
  });

  it.each([
    [undefined],
    [null],
    [{}],
    [{ video_url: '' }],
    [{ video_url: 'not an address' }],
    [{ video_url: 'file:///etc/passwd' }],
    [{ video_url: 3 }],
  ])('is no_output when it succeeded with content %p', (content) => {
    expect(poll({ status: 'succeeded', content })).toMatchObject({
      kind: 'failed',
      failure: 'no_output',
    });
  });

  it('is content_policy when it succeeded without a video and the error says so', () => {
    expect(
      poll({
        status: 'succeeded',
        content: {},
        error: { code: 'OutputVideoSensitiveContentDetected', message: 'Hidden.' },
      }),
    ).toMatchObject({ failure: 'content_policy', reason: 'Hidden.' });
  });

  it('keeps links with their signature out of the log', () => {
    const outcome = failedWith({ code: 'X', message: `could not write ${video_url}` });

    expect(outcome).toMatchObject({
      detail: expect.stringContaining('https://files.example/v.mp4?…'),
    });
  });

  it('is missing on the vendor’s own 404 only', () => {
    expect(readPollResponse(anError(404, 'ResourceNotFound'), id)).toMatchObject({
      kind: 'missing',
    });
    expect(
      readPollResponse(aResponse({ status: 404, text: 'default backend - 404' }), id),
    ).toMatchObject({ kind: 'error' });
    expect(
      readPollResponse(aResponse({ status: 404, json: { message: 'no route' } }), id),
    ).toMatchObject({ kind: 'error' });
  });

  it('does not believe a task that comes with an error status', () => {
    expect(readPollResponse({ ...aTask({ status: 'failed' }), status: 500 }, id)).toMatchObject({
      kind: 'error',
    });
  });

  it.each([400, 401, 403, 408, 429, 500, 503])('says nothing about the task on %i', (status) => {
    expect(
      readPollResponse({ ...anError(status, 'InvalidParameter'), retryAfterMs: 5 }, id),
    ).toMatchObject({ kind: 'error', retryAfterMs: 5 });
  });
});

describe('a page of the Ark task list', () => {
  it('gives id, correlation and time of each item it can read', () => {
    const items = [
      { id: 'cgt-1', safety_identifier: 'video_1', created_at: 1767225600 },
      { id: 'cgt-2', created_at: '1767225601' },
      { id: null },
      'x',
    ];

    expect(readListResponse(aResponse({ json: { total: '4', items } }))).toEqual({
      kind: 'page',
      itemCount: 4,
      total: 4,
      items: [
        { vendorTaskId: 'cgt-1', correlation: 'video_1', createdAtMs: 1767225600000 },
        { vendorTaskId: 'cgt-2', correlation: undefined, createdAtMs: 1767225601000 },
      ],
    });
  });

  it.each([[{}], [{ items: null }], [{ items: {} }], [[]], [null]])(
    'is an error when it is %p',
    (json) => {
      expect(readListResponse(aResponse({ json }))).toMatchObject({ kind: 'error' });
    },
  );

  it('is an error on a status that is none, whatever the body', () => {
    expect(readListResponse(aResponse({ status: 500, json: { items: [] } }))).toMatchObject({
      kind: 'error',
    });
  });
});

describe('the response to a cancellation at Ark', () => {
  it.each([
    [400, 'not_cancellable'],
    [404, 'not_cancellable'],
    [409, 'not_cancellable'],
    [401, 'error'],
    [429, 'error'],
    [500, 'error'],
  ])('%i with an error of the vendor’s is %s', (status, kind) => {
    expect(readCancelResponse(anError(status, 'InvalidAction'), cancelFormat)).toMatchObject({
      kind,
    });
  });

  it.each([
    [204, 'cancelled'],
    [200, 'error'],
    [409, 'error'],
  ])('%i without a body is %s', (status, kind) => {
    expect(readCancelResponse(aResponse({ status }), cancelFormat)).toMatchObject({ kind });
  });
});
