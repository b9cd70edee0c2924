import { describeError } from '@gateway/domain';

/** Throws, or takes too long, when the dependency cannot be used. */
export type HealthCheck = () => Promise<unknown>;

export interface Health {
  check(): Promise<{ ready: boolean; checks: Record<string, string> }>;
  /** From now on not ready: traffic should go elsewhere. */
  drain(): void;
}

const checkTimeoutMs = 2_000;

/** Readiness of a service: every named dependency answers, and it is not draining. */
export function createHealth(dependencies: Readonly<Record<string, HealthCheck>>): Health {
  let draining = false;
  return {
    async check() {
      const names = Object.keys(dependencies);
      const states = await Promise.all(Object.values(dependencies).map(stateOf));
      const checks = Object.fromEntries(names.map((name, index) => [name, states[index] ?? 'ok']));
      if (draining) checks['service'] = 'draining';
      return { ready: Object.values(checks).every((state) => state === 'ok'), checks };
    },
    drain() {
      draining = true;
    },
  };
}

async function stateOf(check: HealthCheck): Promise<string> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<string>((resolve) => {
    timer = setTimeout(() => { resolve(`no answer within ${checkTimeoutMs} ms`); }, checkTimeoutMs);
  });
  try {
    return await Promise.race([check().then(() => 'ok'), late]);
  } catch (error) {
    return describeError(error);
  } finally {
    clearTimeout(timer);
  }
}
