import type { AuditRound, AuditState, RunningAudit, Violation } from '@gateway/store';

export interface AuditBooksOptions {
  readonly round: RunningAudit['round'];
  readonly state: RunningAudit['state'];
  readonly everyMs: number;
  /** A word that no other round has. */
  readonly newClaim: () => string;
  readonly onState: (state: AuditState) => void;
  readonly onViolation: (violation: Violation) => void;
  readonly onFailed: (check: AuditRound['failed'][number]) => void;
}

/** Seconds before work in flight counts as stuck. */
const graceSeconds = 60;

/**
 * Audits what is new where it is this replica's turn, and tells what is known either way: also
 * when the round itself failed, so that nobody takes an old figure for a new one.
 */
export const createAuditBooks =
  ({ round, state, everyMs, newClaim, ...report }: AuditBooksOptions) =>
  async (): Promise<void> => {
    try {
      const done = await round({ graceSeconds, everyMs, claim: newClaim() });
      for (const violation of done?.found ?? []) report.onViolation(violation);
      for (const check of done?.failed ?? []) report.onFailed(check);
    } finally {
      report.onState(await state());
    }
  };
