import { describe, expect, it } from '@jest/globals';
import { videoResource, type MediaLinks, type VideoResource } from '@gateway/contracts';
import { taskStatuses, type TaskStatus } from '@gateway/domain';
import { aTask, tasks } from './samples.ts';

const links: MediaLinks = {
  video: (id) => `https://gateway.example/${id}/content?token=t`,
  lastFrame: (id) => `https://gateway.example/${id}/last-frame?token=t`,
  poster: (id) => `https://gateway.example/${id}/poster?token=t`,
};
const id = 'video_01h455vb4pex5vsknk084sn02q';

const asAsked = {
  id,
  object: 'video',
  model: 'film-1',
  duration: 6,
  ratio: 'adaptive',
  aspect_ratio: 'adaptive',
  resolution: '720p',
  seed: -1,
  generate_audio: true,
  created_at: '2026-01-01T10:00:00.000Z',
  expires_at: '2026-01-01T12:00:00.000Z',
  metadata: { order: '17' },
} as const;
const reserved = {
  billing_mode: 'per_second',
  second_quota: 120,
  reserved_duration_seconds: 6,
  max_billing_quota: 720,
} as const;
const billedNothing = { ...reserved, billed_duration_seconds: 0, billed_quota: 0 } as const;
const started = { started_at: '2026-01-01T10:00:05.250Z' } as const;

describe('the task resource', () => {
  it.each<[TaskStatus, VideoResource]>([
    ['queued', { ...asAsked, status: 'queued', portal_billing: reserved }],
    ['running', { ...asAsked, ...started, status: 'running', portal_billing: reserved }],
    [
      'succeeded',
      {
        ...asAsked,
        ...started,
        status: 'succeeded',
        completed_at: '2026-01-01T10:01:00.000Z',
        duration: 5,
        ratio: '16:9',
        aspect_ratio: '16:9',
        resolution: '1080p',
        seed: 42,
        content: {
          video_url: `https://gateway.example/${id}/content?token=t`,
          last_frame_url: `https://gateway.example/${id}/last-frame?token=t`,
        },
        usage: { completion_tokens: 108_900, total_tokens: 108_901 },
        portal_billing: { ...reserved, billed_duration_seconds: 5, billed_quota: 600 },
      },
    ],
    [
      'failed',
      {
        ...asAsked,
        ...started,
        status: 'failed',
        completed_at: '2026-01-01T10:01:00.000Z',
        error: { code: 'content_policy', message: 'The request or its result was refused.' },
        portal_billing: billedNothing,
      },
    ],
    [
      'expired',
      {
        ...asAsked,
        ...started,
        status: 'expired',
        completed_at: '2026-01-01T12:00:00.000Z',
        error: { code: 'expired', message: 'The task did not finish before its deadline.' },
        portal_billing: billedNothing,
      },
    ],
    [
      'cancelled',
      {
        ...asAsked,
        status: 'cancelled',
        completed_at: '2026-01-01T10:00:01.000Z',
        error: { code: 'cancelled', message: 'The task was cancelled.' },
        portal_billing: billedNothing,
      },
    ],
  ])('of a %s task is this, and survives JSON', (status, resource) => {
    const responded = videoResource(tasks[status], links);

    expect(responded).toStrictEqual(resource);
    expect(JSON.parse(JSON.stringify(responded))).toStrictEqual(resource);
  });

  const always = [
    'id',
    'object',
    'model',
    'status',
    'duration',
    'ratio',
    'aspect_ratio',
    'resolution',
    'seed',
    'generate_audio',
    'created_at',
    'expires_at',
    'portal_billing',
    'metadata',
  ];
  it.each<[TaskStatus, { fields: string[]; billing: string[] }]>([
    ['queued', { fields: [], billing: [] }],
    ['running', { fields: ['started_at'], billing: [] }],
    [
      'succeeded',
      {
        fields: ['started_at', 'completed_at', 'content', 'usage'],
        billing: ['billed_duration_seconds', 'billed_quota'],
      },
    ],
    [
      'failed',
      {
        fields: ['started_at', 'completed_at', 'error'],
        billing: ['billed_duration_seconds', 'billed_quota'],
      },
    ],
    [
      'expired',
      {
        fields: ['started_at', 'completed_at', 'error'],
        billing: ['billed_duration_seconds', 'billed_quota'],
      },
    ],
    [
      'cancelled',
      { fields: ['completed_at', 'error'], billing: ['billed_duration_seconds', 'billed_quota'] },
    ],
  ])('of a %s task has the fields of that status and no others', (status, { fields, billing }) => {
    const resource = videoResource(tasks[status], links);

    expect(Object.keys(resource).sort()).toEqual([...always, ...fields].sort());
    expect(Object.keys(resource.portal_billing).sort()).toEqual(
      [...Object.keys(reserved), ...billing].sort(),
    );
  });

  it('has a last frame only when one was asked for', () => {
    const task = aTask({
      ...tasks.succeeded,
      request: { ...tasks.succeeded.request, returnLastFrame: false },
    });

    expect(videoResource(task, links).content).toStrictEqual({
      video_url: `https://gateway.example/${id}/content?token=t`,
    });
  });

  it('has a poster where one was made, and none once its media are purged', () => {
    const task = aTask({
      ...tasks.succeeded,
      result: { ...tasks.succeeded.result!, hasPoster: true },
    });

    expect(videoResource(task, links).content).toMatchObject({
      poster_url: `https://gateway.example/${id}/poster?token=t`,
    });
    expect(videoResource({ ...task, mediaPurgedAt: new Date() }, links)).not.toHaveProperty(
      'content',
    );
  });

  it('has no link, and all the rest, once its media are purged', () => {
    const { content, ...rest } = videoResource(tasks.succeeded, links);

    expect(content).toBeDefined();
    expect(videoResource({ ...tasks.succeeded, mediaPurgedAt: new Date() }, links)).toStrictEqual(
      rest,
    );
  });

  it('shows a seed of null and no metadata as they are', () => {
    const task = aTask({ request: { ...tasks.queued.request, seed: null, metadata: {} } });

    expect(videoResource(task, links)).toMatchObject({ seed: null, metadata: {} });
  });

  it('never names the vendor or its links', () => {
    expect(
      taskStatuses
        .map((status) => JSON.stringify(videoResource(tasks[status], links)))
        .filter((text) => /vendor\.example|studio|upstream|acct_|req_/.test(text)),
    ).toEqual([]);
  });
});

describe('a push that is delivered late', () => {
  it.each<[TaskStatus, TaskStatus]>([
    ['queued', 'running'],
    ['queued', 'succeeded'],
    ['running', 'succeeded'],
    ['queued', 'failed'],
    ['running', 'failed'],
    ['queued', 'expired'],
    ['running', 'expired'],
    ['queued', 'cancelled'],
  ])('shows %s as it was, although the task is %s', (status, now) => {
    expect(videoResource(tasks[now], links, status)).toStrictEqual(
      videoResource(tasks[status], links),
    );
  });

  it('shows no start of a task that never ran', () => {
    expect(videoResource(tasks.cancelled, links, 'queued')).not.toHaveProperty('started_at');
  });
});
