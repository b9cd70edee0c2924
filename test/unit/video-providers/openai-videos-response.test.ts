import { describe, expect, it } from '@jest/globals';
import type { VendorResponse } from '../../../packages/video-providers/src/http.ts';
import {
  readPollResponse,
  readSubmitResponse,
} from '../../../packages/video-providers/src/openai-videos/response.ts';

const respond = (status: number, json: unknown): VendorResponse => ({
  kind: 'responded',
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
  respond(status, { error: { message: 'something about it', type, param: null, code } });

describe('the response to an OpenAI videos submission', () => {
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
    [401, 'invalid_api_key', 'invalid_request_error', { kind: 'unavailable', cause: 'account' }],
    [403, null, 'permission_error', { kind: 'unavailable', cause: 'account' }],
    [404, 'model_not_found', 'invalid_request_error', { kind: 'unavailable', cause: 'model' }],
    [404, null, 'invalid_request_error', { kind: 'unavailable', cause: 'model' }],
    [429, 'rate_limit_exceeded', 'requests', { kind: 'busy' }],
    [429, null, 'tokens', { kind: 'busy' }],
    [429, 'insufficient_quota', 'insufficient_quota', { kind: 'unavailable', cause: 'account' }],
    [429, null, 'insufficient_quota', { kind: 'unavailable', cause: 'account' }],
    [500, null, 'server_error', { kind: 'unknown' }],
    [503, 'service_unavailable', 'server_error', { kind: 'unknown' }],
    [409, null, 'invalid_request_error', { kind: 'unknown' }],
  ])('%i with the code %s and the type %s', (status, code, type, outcome) => {
    expect(readSubmitResponse(refusal(status, code, type))).toMatchObject(outcome);
  });

  it('tells the customer nothing about the operator’s account', () => {
    expect(readSubmitResponse(refusal(429, 'insufficient_quota'))).not.toHaveProperty('reason');
    expect(readSubmitResponse(refusal(400, 'invalid_value'))).toMatchObject({
      reason: 'something about it',
    });
  });

  it.each(['../files', '', 'a b', '-1'])('is not clear with the id %j', (id) => {
    expect(
      readSubmitResponse(respond(200, { id, object: 'video', status: 'queued' })),
    ).toMatchObject({
      kind: 'unknown',
    });
  });
});

describe('a look at an OpenAI video', () => {
  const nowMs = 1_767_225_600_000;
  const contentUrl = 'https://vendor.example/v1/videos/video_1/content';
  const look = (fields: object) =>
    readPollResponse(
      respond(200, {
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

  it.each(['queued', 'in_progress', 'NOT_START'])('that is %s is pending', (status) => {
    expect(look({ status })).toEqual({ kind: 'pending', vendorStatus: status.toLowerCase() });
  });

  it('that has a status nobody knows is pending, and news', () => {
    expect(look({ status: '__proto__' })).toEqual({
      kind: 'pending',
      vendorStatus: '__proto__',
      drift: { kind: 'status', example: '__proto__' },
    });
  });
});
