import { describeError } from '@gateway/domain';

/** Codes of the system, and of PostgreSQL for a wrong user, password or database. */
const connectionFailures =
  /^(?:ECONN[A-Z]+|ENOTFOUND|EAI_AGAIN|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|28\w{3}|3D000)$/;

/**
 * What a failed command prints: the error's own message, and the remedy when no connection could be
 * made.
 */
export function explainFailure(error: unknown): string {
  const sentence = describeError(error);
  const code = String((error as { code?: unknown } | null | undefined)?.code);
  return connectionFailures.test(code)
    ? `${sentence}; check DATABASE_URL, or run the doctor: npm run admin -- doctor`
    : sentence;
}
