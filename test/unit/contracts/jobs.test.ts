import { describe, expect, it } from '@jest/globals';
import {
  createAjv,
  holdResponseSchema,
  holdRequestSchema,
  jobEnvelopeSchema,
  jobs,
  type HoldRequest,
  type JobEnvelope,
  type JobName,
} from '@gateway/contracts';

const ajv = createAjv();

describe('the jobs', () => {
  it('are these, each named after its queue', () => {
    expect(Object.entries(jobs).map(([name, { queue }]) => [name, queue])).toEqual([
      ['video.advance', 'video'],
      ['callback.push', 'callback'],
      ['billing.settle', 'billing'],
      ['metering.apply', 'metering'],
    ]);
    expect(
      Object.entries(jobs).filter(([name, { queue }]) => !name.startsWith(`${queue}.`)),
    ).toEqual([]);
  });

  it.each(Object.entries(jobs))('%s works on more than one at once', (_name, { concurrency }) => {
    expect(concurrency).toBeGreaterThan(1);
  });
});

describe('what travels through the queue', () => {
  const validate = ajv.compile(jobEnvelopeSchema('video.advance'));
  const envelope: JobEnvelope = {
    version: 2,
    payload: { id: 'video_01h455vb4pex5vsknk084sn02q' },
    trace: { requestId: 'req_1' },
  };

  it('is a version, an id and a request id', () => {
    expect(validate(envelope)).toBe(true);
  });

  it('may carry fields of a newer producer', () => {
    expect(
      validate({
        ...envelope,
        payload: { ...envelope.payload, urgent: true },
        trace: { requestId: 'r', traceparent: '00-1' },
        more: 1,
      }),
    ).toBe(true);
  });

  it.each<[string, unknown]>([
    ['nothing', undefined],
    ['an empty object', {}],
    ['another version', { ...envelope, version: 1 }],
    ['no version', { payload: envelope.payload, trace: envelope.trace }],
    ['no payload', { version: 2, trace: envelope.trace }],
    ['no trace', { version: 2, payload: envelope.payload }],
    ['no id', { ...envelope, payload: {} }],
    ['an id of another kind', { ...envelope, payload: { id: 'acct_01h455vb4pex5vsknk084sn02q' } }],
    ['an id that is too short', { ...envelope, payload: { id: 'video_1' } }],
    [
      'an id with something behind it',
      { ...envelope, payload: { id: `${envelope.payload.id}; DROP` } },
    ],
    ['no request id', { ...envelope, trace: {} }],
    ['a request id that is no text', { ...envelope, trace: { requestId: 1 } }],
    ['a request id without end', { ...envelope, trace: { requestId: 'x'.repeat(129) } }],
  ])('is refused with %s', (_case, value) => {
    expect(validate(value)).toBe(false);
  });

  it('carries the kind of id that its job is for', () => {
    const batch = { ...envelope, payload: { id: 'batch_01h455vb4pex5vsknk084sn02q' } };
    const jobsThatTake = (value: unknown): string[] =>
      (Object.keys(jobs) as JobName[]).filter((job) => ajv.compile(jobEnvelopeSchema(job))(value));

    expect(jobsThatTake(batch)).toEqual(['metering.apply']);
    expect(jobsThatTake(envelope)).toEqual(['video.advance', 'callback.push', 'billing.settle']);
  });
});

describe('asking billing for a hold', () => {
  const validate = ajv.compile(holdRequestSchema);
  const request: HoldRequest = {
    task_id: 'video_1',
    account_id: 'acct_1',
    quota: 500,
    seconds: 5,
    second_quota: 100,
  };

  it.each<[string, HoldRequest]>([
    ['an ordinary video', request],
    ['a video that costs nothing', { ...request, quota: 0, second_quota: 0 }],
    [
      'the shortest of all',
      { task_id: 't', account_id: 'a', quota: 100, seconds: 1, second_quota: 100 },
    ],
    ['the largest quota', { ...request, quota: Number.MAX_SAFE_INTEGER, seconds: 3_600 }],
  ])('is possible for %s', (_case, value) => {
    expect(validate(value)).toBe(true);
  });

  it.each<[string, object]>([
    ['a negative quota', { ...request, quota: -1 }],
    ['a quota that JSON cannot hold exactly', { ...request, quota: Number.MAX_SAFE_INTEGER + 1 }],
    ['a broken quota', { ...request, quota: 0.5 }],
    ['a quota as text', { ...request, quota: '500' }],
    ['a negative price', { ...request, second_quota: -1 }],
    ['no seconds', { ...request, seconds: 0 }],
    ['more than an hour', { ...request, seconds: 3_601 }],
    ['an empty task id', { ...request, task_id: '' }],
    ['an endless task id', { ...request, task_id: 'x'.repeat(65) }],
    ['an empty account id', { ...request, account_id: '' }],
    ['an endless account id', { ...request, account_id: 'x'.repeat(65) }],
    ['a field too many', { ...request, currency: 'EUR' }],
    ...Object.keys(request).map((field): [string, object] => [
      `no ${field}`,
      Object.fromEntries(Object.entries(request).filter(([name]) => name !== field)),
    ]),
  ])('is refused for %s', (_case, value) => {
    expect(validate(value)).toBe(false);
  });
});

describe('billing’s response', () => {
  const validate = ajv.compile(holdResponseSchema);

  it.each(['held', 'exists', 'insufficient', 'closed'])('may be %s', (outcome) => {
    expect(validate({ outcome, available_quota: 0 })).toBe(true);
  });

  it.each<[string, object]>([
    ['another outcome', { outcome: 'maybe', available_quota: 0 }],
    ['no outcome', { available_quota: 0 }],
    ['no quota', { outcome: 'held' }],
    ['a broken quota', { outcome: 'held', available_quota: 0.5 }],
  ])('is not understood with %s', (_case, value) => {
    expect(validate(value)).toBe(false);
  });
});

/** Compiled, never run. */
export const promises = (): unknown[] => [
  // @ts-expect-error a job that is not in the catalogue
  'video.poll' satisfies JobName,
  // @ts-expect-error a job carries an id, never the task itself
  { version: 2, payload: { task: {} }, trace: { requestId: 'r' } } satisfies JobEnvelope,
  // @ts-expect-error a version that nobody reads
  { version: 1, payload: { id: 'video_1' }, trace: { requestId: 'r' } } satisfies JobEnvelope,
];
