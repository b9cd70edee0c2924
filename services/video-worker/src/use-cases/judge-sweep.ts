/** What one search of the storage has found. */
export interface SweepFinding {
  /** Files of tasks, all of them. */
  readonly files: number;
  /** Those that belong to no row and are old enough to be deleted. */
  readonly due: number;
}

export interface SweepLimits {
  readonly maxPercent: number;
  /** Files that the operator has allowed to be deleted, after looking at them. */
  readonly allowedFiles: number;
}

/** Crashes leave a file now and then: so many may go whatever share they are. */
const alwaysAllowedFiles = 20;

/**
 * Whether a sweep may delete what it has found. A database that is not the storage's, or is older
 * than its files, knows none or few of them; crashes leave a handful.
 */
export function mayDelete(
  { files, due }: SweepFinding,
  { maxPercent, allowedFiles }: SweepLimits,
): boolean {
  return due <= Math.max(alwaysAllowedFiles, (files * maxPercent) / 100, allowedFiles);
}
