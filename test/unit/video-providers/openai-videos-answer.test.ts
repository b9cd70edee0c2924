import { describe, expect, it } from '@jest/globals';
import type { VendorResponse } from '../../../packages/video-providers/src/http.ts';
import {
  readPollAnswer,
  readSubmitAnswer,
} from '../../../packages/video-providers/src/openai-videos/answer.ts';

const answer = (status: number, json: unknown): VendorResponse => ({
  kind: 'answered',
  status,
  headers: { 'content-type': 'application/json' },
  json,
  text: JSON.stringify(json),
});
const refusal = (
  status: number,
  code: string | null,
  type = 'invalid_request_error',
): VendorResponse =>
  answer(status, { error: { message: 'something about it', type, param: null, code } });

describe('the answer to an OpenAI videos submission', () => {
  it.each<[number, string | null, string, object]>([
    [
      400,
      'invalid_value',
      'invalid_request_error',
      { kind: 'refused', failure: 'invalid_request' },
    ],
    [400, null, 'video_generation_user_error', { kind: 'refused', failure: 'invalid_request' }],
    [
      400,
      'moderation_blocked',
      'invalid_request_error',
      { kind: 'refused', failure: 'content_policy' },
    ],
    [
      400,
      'content_policy_violation',
      'image_generation_user_error',
      { kind: 'refused', failure: 'content_policy' },
    ],
    [
      401,
      'invalid_api_key',
      'invalid_request_error',
      { kind: 'refused', failure: 'vendor_account' },
    ],
    [403, null, 'permission_error', { kind: 'refused', failure: 'vendor_account' }],
    [
      404,
      'model_not_found',
      'invalid_request_error',
      { kind: 'refused', failure: 'vendor_account' },
    ],
    [404, null, 'invalid_request_error', { kind: 'refused', failure: 'vendor_account' }],
    [429, 'rate_limit_exceeded', 'requests', { kind: 'busy' }],
    [429, null, 'tokens', { kind: 'busy' }],
    [
      429,
      'insufficient_quota',
      'insufficient_quota',
      { kind: 'refused', failure: 'vendor_account' },
    ],
    [429, null, 'insufficient_quota', { kind: 'refused', failure: 'vendor_account' }],
    [500, null, 'server_error', { kind: 'unknown' }],
    [503, 'service_unavailable', 'server_error', { kind: 'unknown' }],
    [409, null, 'invalid_request_error', { kind: 'unknown' }],
  ])('%i with the code %s and the type %s', (status, code, type, outcome) => {
    expect(readSubmitAnswer(refusal(status, code, type))).toMatchObject(outcome);
  });

  it('tells the customer nothing about the operator’s account', () => {
    expect(readSubmitAnswer(refusal(429, 'insufficient_quota'))).not.toHaveProperty('reason');
    expect(readSubmitAnswer(refusal(400, 'invalid_value'))).toMatchObject({
      reason: 'something about it',
    });
  });

  it.each(['../files', '', 'a b', '-1'])('is not clear with the id %j', (id) => {
    expect(readSubmitAnswer(answer(200, { id, object: 'video', status: 'queued' }))).toMatchObject({
      kind: 'unknown',
    });
  });
});

describe('a look at an OpenAI video', () => {
  const nowMs = 1_767_225_600_000;
  const contentUrl = 'https://vendor.example/v1/videos/video_1/content';
  const look = (fields: object) =>
    readPollAnswer(
      answer(200, {
        id: 'video_1',
        object: 'video',
        status: 'completed',
        seconds: '8',
        size: '1792x1024',
        expires_at: null,
        error: null,
        ...fields,
      }),
      { vendorTaskId: 'video_1', contentUrl, nowMs },
    );

  it('tells length and picture of a completed one, which come as text', () => {
    expect(look({})).toEqual({
      kind: 'succeeded',
      output: { videoUrl: contentUrl, seconds: 8, resolution: '1024p', ratio: '7:4' },
    });
  });

  it.each([
    [{ seconds: 'long', size: '1x1' }],
    [{ seconds: null, size: null }],
    [{ seconds: '-1', size: 7 }],
  ])('leaves out what cannot be read: %j', (fields) => {
    expect(look(fields)).toEqual({ kind: 'succeeded', output: { videoUrl: contentUrl } });
  });

  it.each<[number, string]>([
    [nowMs / 1_000, 'failed'],
    [nowMs / 1_000 - 3_600, 'failed'],
    [nowMs / 1_000 + 1, 'succeeded'],
  ])('whose file is kept until %i is %s', (expiresAt, kind) => {
    expect(look({ expires_at: expiresAt })).toMatchObject(
      kind === 'failed' ? { kind, failure: 'no_output' } : { kind },
    );
  });

  it.each<[object, string]>([
    [{ status: 'failed', error: { code: 'moderation_blocked', message: 'x' } }, 'content_policy'],
    [
      { status: 'completed', error: { code: 'content_policy_violation', message: 'x' } },
      'content_policy',
    ],
    [{ status: 'failed', error: { code: 'invalid_value', message: 'x' } }, 'invalid_request'],
    [{ status: 'failed', error: { code: 'something_new', message: 'x' } }, 'vendor_error'],
    [{ status: 'failed', error: null }, 'vendor_error'],
    [{ status: 'expired' }, 'expired'],
    [{ status: 'cancelled' }, 'cancelled'],
    [{ status: 'Canceled' }, 'cancelled'],
  ])('with %j has failed as %s', (fields, failure) => {
    expect(look(fields)).toMatchObject({ kind: 'failed', failure });
  });

  it.each(['queued', 'in_progress', 'NOT_START', '__proto__'])(
    'that is %s is pending',
    (status) => {
      expect(look({ status })).toEqual({ kind: 'pending', vendorStatus: status.toLowerCase() });
    },
  );
});
