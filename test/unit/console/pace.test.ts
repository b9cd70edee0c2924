import { describe, expect, it } from '@jest/globals';
import type { Video } from '@gateway/client';
import { leftText, paceOf } from '../../../services/console/src/parts/pace.ts';

const base = { model: 'one', resolution: '720p', duration: 5 };
const running = { ...base, status: 'running' } as Video;
const startedAt = Date.parse('2026-05-01T12:00:00Z');
const took = (seconds: number, more: object = {}): Video =>
  ({
    ...base,
    status: 'succeeded',
    started_at: new Date(startedAt).toISOString(),
    completed_at: new Date(startedAt + seconds * 1_000).toISOString(),
    ...more,
  }) as Video;
const others = [100, 200, 300].map((seconds) => took(seconds, { duration: 10 }));

describe('how long a video takes', () => {
  it.each<[string, readonly Video[], Video, object | undefined]>([
    ['nothing, of too few', [took(1), took(2)], running, undefined],
    [
      'those like it',
      [...others, took(30), took(10), took(20)],
      running,
      { usualMs: 20_000, slowMs: 30_000 },
    ],
    [
      'all of its model, of too few like it',
      [...others, took(10)],
      running,
      { usualMs: 100_000, slowMs: 300_000 },
    ],
    [
      'any length, where the model decides',
      others,
      { ...running, duration: -1 },
      { usualMs: 200_000, slowMs: 300_000 },
    ],
    [
      'none of another tier',
      [10, 20, 30].map((seconds) => took(seconds, { service_tier: 'flex' })),
      running,
      undefined,
    ],
    [
      'none without a start',
      [took(1), took(2), took(3, { started_at: undefined })],
      running,
      undefined,
    ],
  ])('is said by %s', (_case, finished, video, expected) => {
    expect(paceOf(finished, video)).toEqual(expected);
  });

  it.each([
    [0, 'About 1 min 00 s left'],
    [59_900, 'About 1 s left'],
    [60_000, 'Up to 2 min 00 s left'],
    [180_000, 'Taking longer than usual'],
  ])('leaves after %p ms: %p', (elapsedMs, text) => {
    expect(leftText({ usualMs: 60_000, slowMs: 180_000 }, elapsedMs)).toBe(text);
  });
});
