import { describe, expect, it } from '@jest/globals';
import { recordingLog } from '@gateway/testing';
import { RequestBody } from '../../../../services/api/src/bodies/text-body.ts';
import { keepWhenComplete } from '../../../../services/api/src/text/record/keep-response.ts';
import type { TextRequest } from '../../../../services/api/src/text/request/text-request.ts';

describe('a response that cannot be kept', () => {
  it.each<[string, () => Promise<never>]>([
    [
      'at once',
      () => {
        throw new Error('no thread');
      },
    ],
    ['later', () => Promise.reject(new Error('no thread'))],
  ])('is complete all the same, and logged: %s', async (_when, items) => {
    const log = recordingLog();
    const request = { requestId: 'req_1', facts: {} } as unknown as TextRequest;
    const kept: unknown[] = [];
    const stored = {
      isOn: true,
      conversation: () => Promise.resolve(null),
      items: () => Promise.resolve(new Map<string, string>()),
      keep: (response: unknown) => {
        kept.push(response);
      },
    };

    const settled = keepWhenComplete({ stored, preparation: { items }, log }, request, {
      body: new RequestBody(Buffer.from('{}')),
      references: undefined,
      items: new Map(),
    });
    request.onResponse?.({ id: 'resp_1' });
    await settled();

    expect(kept).toEqual([]);
    expect(log.lines).toEqual([
      {
        level: 'warn',
        message: 'response not kept',
        fields: { requestId: 'req_1', reason: 'no thread' },
      },
    ]);
  });
});
