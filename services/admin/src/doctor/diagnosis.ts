/** `warning` deserves attention and fails nothing; `skipped` cannot be checked from here. */
export type DiagnosisStatus = 'ok' | 'warning' | 'failed' | 'skipped';

/** What one check has found. Never holds a secret. */
export interface Diagnosis {
  readonly check: string;
  readonly status: DiagnosisStatus;
  readonly detail: string;
  /** What to do about it, in words. */
  readonly remedy?: string;
}

export const ok = (check: string, detail: string): Diagnosis => ({ check, status: 'ok', detail });
export const skipped = (check: string, detail: string, remedy: string): Diagnosis => ({
  check,
  status: 'skipped',
  detail,
  remedy,
});
export const warning = (check: string, detail: string, remedy: string): Diagnosis => ({
  check,
  status: 'warning',
  detail,
  remedy,
});
export const failed = (check: string, detail: string, remedy: string): Diagnosis => ({
  check,
  status: 'failed',
  detail,
  remedy,
});
