import { describeError } from '@gateway/domain';

/** Of the system, and of PostgreSQL for a user, password or database that is wrong. */
const connectionFailures =
  /^(?:ECONN[A-Z]+|ENOTFOUND|EAI_AGAIN|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|28\w{3}|3D000)$/;

/**
 * What a failed command says: the error in its own words, and the remedy where no connection came
 * about.
 */
export function explainFailure(error: unknown): string {
  const sentence = describeError(error);
  const code = String((error as { code?: unknown } | null | undefined)?.code);
  return connectionFailures.test(code)
    ? `${sentence}; check DATABASE_URL, or see all that is wrong: npm run admin -- doctor`
    : sentence;
}
