import { describe, expect, it } from '@jest/globals';
import { readSubmitResponse } from '../../../packages/video-providers/src/ark/response.ts';
import { aResponse, anError } from './responses.ts';

const invalid = { kind: 'refused', failure: 'invalid_request' };
const moderated = { kind: 'refused', failure: 'content_policy' };
const account = { kind: 'unavailable', cause: 'account' };
const model = { kind: 'unavailable', cause: 'model' };
const page = { kind: 'unavailable', cause: 'page' };
const busy = { kind: 'busy' };
const unknown = { kind: 'unknown' };

/** Every code that Ark documents, with its status. */
const documented: readonly (readonly [status: number, code: string, outcome: object])[] = [
  [400, 'MissingParameter', invalid],
  [400, 'MissingParameter.model', invalid],
  [400, 'InvalidParameter', invalid],
  [400, 'InvalidParameter.duration', invalid],
  [400, 'InvalidParameter.UnsupportedParameter', invalid],
  [400, 'InvalidParameter.TaskTypeConstraint', invalid],
  [400, 'InvalidParameter.TaskTypeMismatch', invalid],
  [400, 'InvalidImageURL.EmptyURL', invalid],
  [400, 'InvalidEndpoint.ClosedEndpoint', model],
  [400, 'InputTextSensitiveContentDetected', moderated],
  [400, 'InputImageSensitiveContentDetected', moderated],
  [400, 'InputVideoSensitiveContentDetected.PolicyViolation', moderated],
  [400, 'InputAudioSensitiveContentDetected', moderated],
  [400, 'InputImageSensitiveContentDetected.PrivacyInformation', moderated],
  [400, 'SensitiveContentDetected', moderated],
  [400, 'SensitiveContentDetected.SevereViolation', moderated],
  [400, 'SensitiveContentDetected.Violence', moderated],
  [400, 'InputTextRiskDetection', moderated],
  [400, 'InputImageRiskDetection', moderated],
  [400, 'ContentSecurityDetectionError', moderated],
  [401, 'AuthenticationError', account],
  [401, 'InvalidAccountStatus', account],
  [403, 'AccessDenied', account],
  [403, 'OperationDenied.PermissionDenied', account],
  [403, 'OperationDenied.ServiceNotOpen', account],
  [403, 'OperationDenied.ServiceOverdue', account],
  [403, 'AccountOverdueError', account],
  [404, 'InvalidEndpointOrModel.NotFound', model],
  [404, 'InvalidEndpointOrModel.ModelIDAccessDisabled', model],
  [404, 'ModelNotOpen', model],
  [404, 'NotFound.Endpoint', model],
  [429, 'RateLimitExceeded.EndpointRPMExceeded', busy],
  [429, 'RateLimitExceeded.EndpointTPMExceeded', busy],
  [429, 'ModelAccountRpmRateLimitExceeded', busy],
  [429, 'ModelAccountTpmRateLimitExceeded', busy],
  [429, 'ModelAccountIpmRateLimitExceeded', busy],
  [429, 'APIAccountRpmRateLimitExceeded', busy],
  [429, 'AccountRateLimitExceeded', busy],
  [429, 'RequestBurstTooFast', busy],
  [429, 'InflightBatchsizeExceeded', busy],
  [429, 'ServerOverloaded', busy],
  [429, 'QuotaExceeded', account],
  [429, 'SetLimitExceeded', account],
  [429, 'AccountOverdueError', account],
  [500, 'InternalServiceError', unknown],
];

describe('the response to an Ark submission', () => {
  it.each(documented)('%i %s', (status, code, outcome) => {
    expect(readSubmitResponse(anError(status, code))).toMatchObject(outcome);
  });

  it.each<[number, string, object]>([
    [500, 'InvalidParameter.ratio', invalid],
    [503, 'ServerOverloaded', busy],
    [400, 'AccountOverdueError', account],
    [400, 'inputtextsensitivecontentdetected', moderated],
    [400, 'NotFoundation', invalid],
    [307, 'InvalidParameter', unknown],
  ])('is classified by its code before its status: %i %s', (status, code, outcome) => {
    expect(readSubmitResponse(anError(status, code))).toMatchObject(outcome);
  });

  it.each<[number, object]>([
    [400, invalid],
    [401, account],
    [402, account],
    [403, account],
    [404, model],
    [405, account],
    [413, invalid],
    [415, invalid],
    [422, invalid],
    [429, busy],
    [300, unknown],
    [408, unknown],
    [409, unknown],
    [425, unknown],
    [499, unknown],
    [500, unknown],
    [502, unknown],
    [503, unknown],
    [504, unknown],
    [524, unknown],
  ])(
    'is classified by its status %i when the code is new, absent or a number',
    (status, outcome) => {
      for (const code of ['BrandNewCode', undefined, 12345]) {
        expect(readSubmitResponse(anError(status, code))).toMatchObject(outcome);
      }
    },
  );

  it.each<[number, object]>([
    [401, page],
    [403, page],
    [404, page],
    [405, page],
    [413, page],
    [400, page],
    [422, page],
    [429, busy],
    [502, unknown],
  ])(
    'is a page with the status %i without JSON: certain only where nothing in front passes it on',
    (status, outcome) => {
      expect(readSubmitResponse(aResponse({ status, text: '<html>no</html>' }))).toMatchObject(
        outcome,
      );
    },
  );

  it.each<[string, unknown]>([
    ['an error envelope', { error: { code: 'InvalidParameter', message: 'no' } }],
    ['an empty id', { id: '' }],
    ['an id with a blank', { id: 'a b' }],
    ['an id that climbs', { id: '../keys' }],
    ['an id of another type', { id: {} }],
    ['an array', [{ id: 'cgt-1' }]],
    ['null', null],
  ])('is unknown for a success with %s', (_name, json) => {
    expect(readSubmitResponse(aResponse({ json }))).toMatchObject(unknown);
  });

  it.each([
    ['cgt-20260101000000-abcde', 'cgt-20260101000000-abcde'],
    ['cgt-batch-1', 'cgt-batch-1'],
    [42, '42'],
  ])('gives the id %p as text', (written, vendorTaskId) => {
    expect(
      readSubmitResponse(aResponse({ json: { id: written, safety_identifier: 'video_1' } })),
    ).toEqual({ kind: 'accepted', vendorTaskId });
  });

  it('passes on Retry-After of a busy vendor, and none when there is none', () => {
    expect(
      readSubmitResponse({ ...anError(429, 'ServerOverloaded'), retryAfterMs: 3_000 }),
    ).toMatchObject({ kind: 'busy', retryAfterMs: 3_000 });
    expect(readSubmitResponse(anError(429, 'ServerOverloaded'))).not.toHaveProperty('retryAfterMs');
  });

  it('shows the customer a clean reason, and the log the whole response', () => {
    const outcome = readSubmitResponse(
      aResponse({
        status: 400,
        headers: { 'content-type': 'application/json', 'x-request-id': 'r-77' },
        json: {
          error: {
            code: 'InvalidParameter.duration',
            message: 'duration must be 4 to 15. Request id: 021718067849899d92fcbe0865fdffdde',
          },
        },
      }),
    );

    expect(outcome).toEqual({
      kind: 'refused',
      failure: 'invalid_request',
      reason: 'duration must be 4 to 15.',
      detail: expect.stringMatching(
        /^HTTP 400 \(application\/json\) request r-77 .*InvalidParameter\.duration.*0217/,
      ),
    });
  });

  it('tells the customer nothing about the operator’s account', () => {
    expect(
      readSubmitResponse(
        anError(403, 'AccountOverdueError', 'The account acme has an overdue balance'),
      ),
    ).not.toHaveProperty('reason');
  });
});
