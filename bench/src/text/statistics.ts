/** The middle value, the upper one of two. NaN of nothing. */
export function medianOf(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? NaN;
}

export type Combine = (one: number, other: number) => number;

export const ratio: Combine = (one, other) => one / other;
export const difference: Combine = (one, other) => one - other;

/**
 * Combines the figures of each round with each other and takes the middle: a drift of the machine
 * hits both sides.
 */
export function pairedMedian(
  one: readonly number[] | undefined,
  other: readonly number[] | undefined,
  combine: Combine,
): number | undefined {
  if (one === undefined || other === undefined) return undefined;
  return medianOf(one.map((value, round) => combine(value, other[round] ?? NaN)));
}
