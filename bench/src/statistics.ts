/** The value below which so large a share of them lies. NaN of nothing. */
export function quantileOf(values: readonly number[], share: number): number {
  const sorted = Float64Array.from(values).sort();
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? NaN;
}

export const meanOf = (values: readonly number[]): number =>
  values.reduce((sum, value) => sum + value, 0) / values.length;

/** Without the error of Math.max on a hundred thousand arguments. NaN of nothing. */
export const highestOf = (values: readonly number[]): number =>
  values.reduce((highest, value) => (value > highest ? value : highest), values[0] ?? NaN);
