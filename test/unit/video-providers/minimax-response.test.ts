import { describe, expect, it } from '@jest/globals';
import {
  readPollResponse,
  readSubmitResponse,
} from '../../../packages/video-providers/src/minimax/response.ts';
import { aResponse } from './responses.ts';

const id = '176843862716480';
const invalid = { kind: 'refused', failure: 'invalid_request' };
const moderated = { kind: 'refused', failure: 'content_policy' };
const account = { kind: 'unavailable', cause: 'account' };
const busy = { kind: 'busy' };
const unknown = { kind: 'unknown' };

const anError = (status: number, message: string, fields: object = {}) =>
  aResponse({
    status,
    json: { type: 'error', error: { message, http_code: String(status), ...fields } },
  });
const aTask = (fields: object) =>
  aResponse({ json: { task: { id, status: 'succeeded', ...fields } } });

describe('the response to a MiniMax submission', () => {
  it.each<[number, number, object]>([
    [400, 2013, invalid],
    [422, 1026, moderated],
    [422, 1027, moderated],
    [401, 1004, account],
    [401, 2049, account],
    [429, 1008, account],
    [429, 1002, busy],
    [500, 1026, moderated],
    [500, 1000, unknown],
    [500, 1001, unknown],
    [504, 1024, unknown],
    [500, 1033, unknown],
  ])(
    'is read by its code before its status: %i with %i, wherever the code stands',
    (status, code, outcome) => {
      expect(readSubmitResponse(anError(status, `something (${code})`))).toMatchObject(outcome);
      expect(readSubmitResponse(anError(status, 'something', { code }))).toMatchObject(outcome);
      expect(
        readSubmitResponse(anError(status, 'something', { code: String(code) })),
      ).toMatchObject(outcome);
      expect(
        readSubmitResponse(
          aResponse({ json: { base_resp: { status_code: code, status_msg: 'something' } } }),
        ),
      ).toMatchObject(outcome);
    },
  );

  it.each<[number, string | undefined, object]>([
    [401, 'authorized_error', account],
    [400, 'bad_request_error', invalid],
    [429, 'rate_limit_error', busy],
    [402, undefined, account],
    [429, undefined, busy],
    [500, undefined, unknown],
    [529, 'overloaded_error', unknown],
    [302, 'bad_request_error', unknown],
  ])('is read by its type and status %i %s when there is no code', (status, type, outcome) => {
    expect(readSubmitResponse(anError(status, 'something', { type }))).toMatchObject(outcome);
  });

  it('is an acceptance when there is a task, whatever stands beside it', () => {
    expect(
      readSubmitResponse(aResponse({ json: { task_id: id, base_resp: { status_code: 1002 } } })),
    ).toEqual({ kind: 'accepted', vendorTaskId: id });
    expect(readSubmitResponse(aResponse({ json: { task_id: 176843862716480 } }))).toEqual({
      kind: 'accepted',
      vendorTaskId: id,
    });
  });

  it('keeps the code from the customer’s sentence, and the account from the customer', () => {
    expect(readSubmitResponse(anError(422, 'input new_sensitive (1026)'))).toMatchObject({
      reason: 'input new_sensitive',
    });
    expect(readSubmitResponse(anError(429, 'insufficient balance (1008)'))).not.toHaveProperty(
      'reason',
    );
  });
});

describe('the look at a MiniMax task', () => {
  it('gives the file with what the vendor settled, in our spelling', () => {
    expect(
      readPollResponse(
        aTask({
          content: { url: 'https://files.example/v.mp4?sig=1' },
          resolution: '2K',
          duration: 6,
          ratio: '9:16',
        }),
        id,
      ),
    ).toEqual({
      kind: 'succeeded',
      output: {
        videoUrl: 'https://files.example/v.mp4?sig=1',
        resolution: '2k',
        seconds: 6,
        ratio: '9:16',
      },
    });
  });

  it('takes the length from the usage when the task has none', () => {
    expect(
      readPollResponse(
        aTask({ content: { url: 'https://files.example/v.mp4' }, usage: { output_seconds: 7 } }),
        id,
      ),
    ).toMatchObject({ output: { seconds: 7 } });
  });

  it.each<[unknown, string]>([
    [1027, 'content_policy'],
    ['1026', 'content_policy'],
    [2013, 'invalid_request'],
    [1008, 'vendor_account'],
    [1000, 'vendor_error'],
    ['new', 'vendor_error'],
    [undefined, 'vendor_error'],
  ])('fails with the code %p as %s', (code, failure) => {
    expect(
      readPollResponse(aTask({ status: 'failed', error: { code, message: 'something' } }), id),
    ).toMatchObject({ kind: 'failed', failure });
  });

  it('looks into the envelope for the reason of a failure that the task does not tell', () => {
    const json = {
      task: { id, status: 'failed', error: null },
      base_resp: { status_code: 1027, status_msg: 'output new_sensitive' },
    };

    expect(readPollResponse(aResponse({ json }), id)).toMatchObject({
      kind: 'failed',
      failure: 'content_policy',
      reason: 'output new_sensitive',
    });
  });

  it('tells a moderated success without a file from one without a reason', () => {
    expect(
      readPollResponse(aTask({ error: { code: 1027, message: 'output new_sensitive' } }), id),
    ).toMatchObject({ failure: 'content_policy' });
    expect(
      readPollResponse(aTask({ content: { url: 'ftp://files.example/v.mp4' } }), id),
    ).toMatchObject({ failure: 'no_output' });
  });
});
