import { call } from '../customer.ts';
import type { StackCustomer } from '../stack.ts';
import type { Evidence } from './evidence.ts';

interface Verification {
  readonly ok: boolean;
  readonly invariants: readonly string[];
  readonly violations: readonly {
    readonly invariant: string;
    readonly subject: string;
    readonly detail: string;
  }[];
  readonly exposures: Readonly<Record<string, number>>;
}

export interface MoneyFindings {
  readonly problems: string[];
  readonly invariants: number;
  readonly exposures: Readonly<Record<string, number>>;
}

/** The gateway's own verification, and a calculation beside it that knows nothing of the ledger. */
export async function checkMoney(evidence: Evidence): Promise<MoneyFindings> {
  const { output } = await evidence.stack.admin('billing', 'verify', '--grace', '0', '--json');
  const verified = JSON.parse(output) as Verification;
  const balances = await Promise.all(
    evidence.customers.map((customer) => checkBalance(customer, evidence)),
  );
  return {
    invariants: verified.invariants.length,
    exposures: verified.exposures,
    problems: [
      ...verified.violations.map(
        ({ invariant, subject, detail }) => `invariant ${invariant}: ${subject}: ${detail}`,
      ),
      ...balances.flat(),
    ],
  };
}

/** What was paid in, less what the tasks say that they cost, as their customer reads them. */
async function checkBalance(
  { accountId, apiKey, quota }: StackCustomer,
  { stack, tasks, resources }: Evidence,
): Promise<string[]> {
  const billed = tasks
    .filter((task) => task.account_id === accountId)
    .reduce((sum, { id }) => sum + (resources.get(id)?.portal_billing.billed_quota ?? 0), 0);
  const response = await call({
    method: 'GET',
    url: `${stack.suite.baseUrl}/v1/billing/balance`,
    apiKey,
  });
  const told =
    response.kind === 'responded'
      ? (response.body as { balance_quota?: number; held_quota?: number })
      : {};
  if (told.balance_quota === quota - billed && told.held_quota === 0) return [];
  return [
    `${accountId} has a balance of ${String(told.balance_quota)} with ${String(told.held_quota)} held; ${quota} paid in less ${billed} billed is ${quota - billed} with 0 held`,
  ];
}
