import { Gauge, type Registry } from '@gateway/runtime';
import { invariantNames, type AuditState } from '@gateway/store';

/** What is known of the books, for every replica the same. */
export function auditGauges(registers: Registry[]): (state: AuditState) => void {
  const violations = new Gauge({
    name: 'gateway_ledger_violations',
    help: 'Rows that break a money invariant; anything but 0 is an alarm.',
    labelNames: ['invariant'],
    registers,
  });
  const failed = new Gauge({
    name: 'gateway_ledger_check_failed',
    help: '1 while the check of an invariant does not go through.',
    labelNames: ['invariant'],
    registers,
  });
  const checkedAt = new Gauge({
    name: 'gateway_ledger_verified_timestamp_seconds',
    help: 'Since when every money invariant has been checked: the time of the check that went through longest ago; 0 before the first.',
    registers,
  });
  const full = new Gauge({
    name: 'gateway_ledger_full_violations',
    help: 'Rows that broke a money invariant when all of them were checked last.',
    labelNames: ['invariant'],
    registers,
  });
  const fullAt = new Gauge({
    name: 'gateway_ledger_fully_verified_timestamp_seconds',
    help: 'When all rows were checked last; 0 when never.',
    registers,
  });
  const exposures = new Gauge({
    name: 'gateway_exposures',
    help: 'Vendor work that nobody has been billed for so far.',
    labelNames: ['kind'],
    registers,
  });
  for (const invariant of invariantNames) {
    violations.set({ invariant }, 0);
    failed.set({ invariant }, 0);
    full.set({ invariant }, 0);
  }
  return (state) => {
    const checks = invariantNames.map((invariant) => checkOf(state, invariant));
    for (const { invariant, violations: count, isFailed } of checks) {
      violations.set({ invariant }, count);
      failed.set({ invariant }, Number(isFailed));
    }
    checkedAt.set(Math.min(...checks.map((check) => check.checkedAt)));
    const { found, finishedAt } = state.full ?? { found: [], finishedAt: 0 };
    for (const invariant of invariantNames) {
      full.set(
        { invariant },
        found.filter((violation) => violation.invariant === invariant).length,
      );
    }
    fullAt.set(finishedAt);
    for (const [kind, count] of Object.entries(state.exposures)) exposures.set({ kind }, count);
  };
}

const checkOf = ({ checks }: AuditState, invariant: string): AuditState['checks'][number] =>
  checks.find((check) => check.invariant === invariant) ?? {
    invariant,
    checkedAt: 0,
    isFailed: false,
    violations: 0,
  };
