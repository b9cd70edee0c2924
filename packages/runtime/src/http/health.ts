import { describeError } from '@gateway/domain';

/** Throws, or takes too long, when the dependency cannot be used. */
export type HealthCheck = () => Promise<unknown>;

export interface Health {
  /** `degraded`: ready, although something that not every request needs does not answer. */
  check(): Promise<{ ready: boolean; degraded?: true; checks: Record<string, string> }>;
  /**
   * Why only a restart helps; undefined while the process lives. Dependencies that do not answer
   * are no reason.
   */
  stalled(): string | undefined;
  /** From now on not ready: traffic should go elsewhere. */
  drain(): void;
}

const checkTimeoutMs = 2_000;

/**
 * Readiness of a service: every named dependency answers, and it is not draining. Those that only
 * part of the requests need stand apart: a replica without one is no worse than the others, and
 * taking them all out would end the rest, too.
 */
export function createHealth(
  dependencies: Readonly<Record<string, HealthCheck>>,
  inPart: Readonly<Record<string, HealthCheck>> = {},
  stalled: Health['stalled'] = () => undefined,
): Health {
  let draining = false;
  return {
    stalled,
    async check() {
      const [needed, others] = await Promise.all([statesOf(dependencies), statesOf(inPart)]);
      const ready = !draining && areOk(needed);
      return {
        ready,
        ...(ready && !areOk(others) && { degraded: true }),
        checks: { ...needed, ...others, ...(draining && { service: 'draining' }) },
      };
    },
    drain() {
      draining = true;
    },
  };
}

const areOk = (states: Readonly<Record<string, string>>): boolean =>
  Object.values(states).every((state) => state === 'ok');

async function statesOf(
  checks: Readonly<Record<string, HealthCheck>>,
): Promise<Record<string, string>> {
  return Object.fromEntries(
    await Promise.all(
      Object.entries(checks).map(async ([name, check]) => [name, await stateOf(check)] as const),
    ),
  );
}

async function stateOf(check: HealthCheck): Promise<string> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<string>((resolve) => {
    timer = setTimeout(() => {
      resolve(`no answer within ${checkTimeoutMs} ms`);
    }, checkTimeoutMs);
  });
  try {
    return await Promise.race([check().then(() => 'ok'), late]);
  } catch (error) {
    return describeError(error);
  } finally {
    clearTimeout(timer);
  }
}
