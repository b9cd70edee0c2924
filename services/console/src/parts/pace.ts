import type { Video } from '@gateway/client';
import { secondsText } from './format.ts';

/** How long videos like one took to render: half of them no longer than `usualMs`, nine in ten no longer than `slowMs`. */
export interface Pace {
  readonly usualMs: number;
  readonly slowMs: number;
}

/** Fewer say nothing. */
const leastSamples = 3;

/** What the account's own finished videos say of how long this one will take; undefined: too little. */
export function paceOf(finished: readonly Video[], video: Video): Pace | undefined {
  const ofTier = finished.filter(({ service_tier: tier }) => tier === video.service_tier);
  const alike = ofTier.filter(
    ({ resolution, duration }) =>
      resolution === video.resolution && (video.duration === -1 || duration === video.duration),
  );
  const samples = [alike, ofTier]
    .map((videos) => videos.flatMap(renderedMs))
    .find(({ length }) => length >= leastSamples);
  if (samples === undefined) return undefined;
  const sorted = samples.toSorted((one, other) => one - other);
  return { usualMs: percentile(sorted, 0.5), slowMs: percentile(sorted, 0.9) };
}

function renderedMs(video: Video): readonly number[] {
  if (!('completed_at' in video) || !('started_at' in video)) return [];
  const ms = Date.parse(video.completed_at) - Date.parse(video.started_at ?? '');
  return ms > 0 ? [ms] : [];
}

const percentile = (sorted: readonly number[], share: number): number =>
  sorted[Math.ceil(sorted.length * share) - 1] ?? 0;

/** What is left of a rendering, in words that promise no more than is known. */
export function leftText({ usualMs, slowMs }: Pace, elapsedMs: number): string {
  if (elapsedMs < usualMs) return `About ${secondsAbove(usualMs - elapsedMs)} left`;
  return elapsedMs < slowMs
    ? `Up to ${secondsAbove(slowMs - elapsedMs)} left`
    : 'Taking longer than usual';
}

const secondsAbove = (ms: number): string => secondsText(Math.ceil(ms / 1_000));
