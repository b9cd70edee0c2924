import { describe, expect, it } from '@jest/globals';
import { readTask } from '../../../packages/video-providers/src/ark/response.ts';
import { readPollResponse as readMiniMaxLook } from '../../../packages/video-providers/src/minimax/response.ts';
import { readPollResponse as readVideoLook } from '../../../packages/video-providers/src/openai-videos/response.ts';
import { aResponse, anError, id } from './responses.ts';

describe('one task of a list', () => {
  it('is read as a look at it alone would be', () => {
    expect(readTask({ id, status: 'Running' }, id)).toEqual({
      kind: 'pending',
      vendorStatus: 'running',
    });
    expect(readTask({ id, status: 'expired' }, id)).toMatchObject({
      kind: 'failed',
      failure: 'expired',
    });
    expect(
      readTask(
        { id, status: 'succeeded', content: { video_url: 'https://files.example/v.mp4' } },
        id,
      ),
    ).toEqual({ kind: 'succeeded', output: { videoUrl: 'https://files.example/v.mp4' } });
  });

  it.each([[{ id: 'cgt-another', status: 'failed' }], [{ id }], [{ id, status: '' }], [{}]])(
    'says nothing of the task that was asked for when it is %j',
    (task) => {
      expect(readTask(task, id)).toBeUndefined();
    },
  );
});

describe('a look at a task, in every format', () => {
  it.each([
    [
      'MiniMax',
      () =>
        readMiniMaxLook(
          aResponse({ json: { task: { id: 'another', status: 'failed' } }, retryAfterMs: 5 }),
          id,
        ),
    ],
    [
      'OpenAI videos',
      () =>
        readVideoLook(aResponse({ json: { id: 'another', status: 'failed' }, retryAfterMs: 5 }), {
          vendorTaskId: id,
          contentUrl: '',
          nowMs: 0,
        }),
    ],
  ])('is an error that says when to look again when it shows another task: %s', (_format, look) => {
    expect(look()).toMatchObject({ kind: 'error', retryAfterMs: 5 });
  });

  it('is missing on the vendor’s own words only', () => {
    const sentence = { type: 'error', error: { message: 'invalid task_id (2013)' } };

    expect(readMiniMaxLook(aResponse({ status: 400, json: sentence }), id)).toMatchObject({
      kind: 'missing',
    });
    expect(
      readMiniMaxLook(
        aResponse({
          status: 400,
          json: { type: 'error', error: { message: 'invalid ratio (2013)' } },
        }),
        id,
      ),
    ).toMatchObject({ kind: 'error' });
    expect(
      readVideoLook(anError(404, null), { vendorTaskId: id, contentUrl: '', nowMs: 0 }),
    ).toMatchObject({ kind: 'missing' });
    expect(
      readVideoLook(aResponse({ status: 404, text: 'default backend - 404' }), {
        vendorTaskId: id,
        contentUrl: '',
        nowMs: 0,
      }),
    ).toMatchObject({ kind: 'error' });
  });
});
