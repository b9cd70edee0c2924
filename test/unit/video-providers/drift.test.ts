import { describe, expect, it } from '@jest/globals';
import { firstDrift } from '@gateway/video-providers';
import {
  readPollResponse,
  readSubmitResponse,
} from '../../../packages/video-providers/src/ark/response.ts';
import { readPollResponse as readDashscopePoll } from '../../../packages/video-providers/src/dashscope/response.ts';
import { readSubmitResponse as readMiniMaxSubmit } from '../../../packages/video-providers/src/minimax/response.ts';
import { aResponse, anError, aTask, id } from './responses.ts';

const poll = (fields: object) => readPollResponse(aTask(fields), id).drift;
const newCode = { kind: 'error_code', example: 'SomethingNew' };

describe('what an adapter does not know', () => {
  it.each([
    ['a failure with a new code', { status: 'failed', error: { code: 'SomethingNew' } }, newCode],
    [
      'a failure with a known code',
      { status: 'failed', error: { code: 'InternalServiceError' } },
      undefined,
    ],
    ['a failure without a reason', { status: 'failed' }, undefined],
    [
      'a failure with a sentence alone',
      { status: 'failed', error: { message: 'no luck' } },
      undefined,
    ],
    [
      'a success',
      { status: 'succeeded', content: { video_url: 'https://v.example/v.mp4' } },
      undefined,
    ],
    ['an end that is known', { status: 'expired' }, undefined],
  ])('of a task: %s', (_case, fields, drift) => {
    expect(poll(fields)).toEqual(drift);
  });

  it.each([
    ['a refusal with a new code', anError(400, 'SomethingNew'), newCode],
    ['a refusal with a known code', anError(400, 'InvalidParameter'), undefined],
    ['a success without an id', aResponse({ json: { task: { id } } }), response('task')],
    ['an empty success', aResponse({ json: {} }), response('an empty object')],
    ['a page', aResponse({ json: undefined }), undefined],
    ['a success', aResponse({ json: { id } }), undefined],
  ])('of a submission: %s', (_case, reply, drift) => {
    expect(readSubmitResponse(reply).drift).toEqual(drift);
  });

  it('of a vendor that refuses with status 200', () => {
    const reply = (code: number) =>
      aResponse({ json: { base_resp: { status_code: code, status_msg: 'no' } } });

    expect(readMiniMaxSubmit(reply(2013)).drift).toBeUndefined();
    expect(readMiniMaxSubmit(reply(4711)).drift).toEqual({ kind: 'error_code', example: '4711' });
    expect(readMiniMaxSubmit(reply(0)).drift).toEqual(response('base_resp'));
  });

  it('of a poll: a success that shows no task, and not an error or another one’s silence', () => {
    expect(readPollResponse(aResponse({ json: { data: [] } }), id).drift).toEqual(response('data'));
    expect(readPollResponse(anError(500, 'InternalServiceError'), id).drift).toBeUndefined();
    expect(readPollResponse(aResponse({ json: undefined }), id).drift).toBeUndefined();
  });

  it('of a task: its new fields, unless there is something worse', () => {
    expect(poll({ status: 'running', z: 1, a: { b: 1 } })).toEqual({
      kind: 'field',
      example: 'a z',
    });
    expect(poll({ status: 'thinking', a: 1 })).toEqual({ kind: 'status', example: 'thinking' });
  });

  it('of a task inside something else: its new fields, and those around it', () => {
    const reply = (around: object, task: object) =>
      readDashscopePoll(
        aResponse({
          json: {
            request_id: '1',
            output: { task_id: id, task_status: 'RUNNING', ...task },
            ...around,
          },
        }),
        id,
      ).drift;

    expect(reply({}, {})).toBeUndefined();
    expect(reply({}, { inner: 1 })).toEqual({ kind: 'field', example: 'inner' });
    expect(reply({ outer: 1 }, {})).toEqual({ kind: 'field', example: 'outer' });
  });

  it('is told in one short line, without the query of a link', () => {
    const status = `https://v.example/x?signature=secret\n${'x'.repeat(100)}`;

    const { example } = poll({ status }) ?? { example: '' };

    expect(example).not.toMatch(/secret|\n/);
    expect(example.length).toBeLessThanOrEqual(64);
  });

  it('of several is the first', () => {
    const drift = { kind: 'status', example: 'x' } as const;

    expect(firstDrift([{}, { drift }, { drift: { ...drift, example: 'y' } }])).toEqual({ drift });
    expect(firstDrift([{}])).toEqual({});
  });
});

function response(example: string) {
  return { kind: 'response', example };
}
