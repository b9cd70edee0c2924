import { describeError } from '@gateway/domain';

/** Throws, or takes too long, when the dependency cannot be used. */
export type HealthCheck = () => Promise<unknown>;

/** What a service does at the moment: only `running` takes work. */
export type Phase = 'starting' | 'running' | 'draining';

export interface Readiness {
  readonly ready: boolean;
  /** Ready, although something that not every request needs does not respond. */
  readonly degraded?: true;
  /** By dependency: `ok`, `timeout`, or the code of the error. No addresses: strangers may read it. */
  readonly checks: Readonly<Record<string, string>>;
  /** What the dependencies that are not `ok` say of it, with addresses: for the log. */
  readonly reasons: Readonly<Record<string, string>>;
}

export interface Health {
  check(): Promise<Readiness>;
  /**
   * Why only a restart helps; undefined while the process lives. Dependencies that do not respond
   * are no reason.
   */
  stalled(): string | undefined;
  /** Health begins as `running`; in the other phases traffic should go elsewhere. */
  enter(phase: Phase): void;
}

const checkTimeoutMs = 2_000;

/**
 * Readiness of a service: every named dependency responds, and it is not draining. Those that only
 * part of the requests need stand apart: a replica without one is no worse than the others, and
 * taking them all out would end the rest, too.
 */
export function createHealth(
  dependencies: Readonly<Record<string, HealthCheck>>,
  inPart: Readonly<Record<string, HealthCheck>> = {},
  stalled: Health['stalled'] = () => undefined,
): Health {
  let phase: Phase = 'running';
  return {
    stalled,
    async check() {
      const [needed, others] = await Promise.all([statesOf(dependencies), statesOf(inPart)]);
      const ready = phase === 'running' && areOk(needed);
      return {
        ready,
        ...(ready && !areOk(others) && { degraded: true }),
        checks: {
          ...codesOf([...needed, ...others]),
          ...(phase !== 'running' && { service: phase }),
        },
        reasons: reasonsOf([...needed, ...others]),
      };
    },
    enter(next) {
      phase = next;
    },
  };
}

interface State {
  readonly name: string;
  readonly code: string;
  readonly reason?: string;
}

const ok = 'ok';
const late = 'timeout';

const areOk = (states: readonly State[]): boolean => states.every(({ code }) => code === ok);

const codesOf = (states: readonly State[]): Record<string, string> =>
  Object.fromEntries(states.map(({ name, code }) => [name, code]));

const reasonsOf = (states: readonly State[]): Record<string, string> =>
  Object.fromEntries(
    states.flatMap(({ name, reason }) => (reason === undefined ? [] : [[name, reason] as const])),
  );

const statesOf = (checks: Readonly<Record<string, HealthCheck>>): Promise<State[]> =>
  Promise.all(
    Object.entries(checks).map(async ([name, check]) => ({ name, ...(await stateOf(check)) })),
  );

async function stateOf(check: HealthCheck): Promise<Omit<State, 'name'>> {
  let timer: NodeJS.Timeout | undefined;
  const patience = new Promise<Omit<State, 'name'>>((resolve) => {
    timer = setTimeout(() => {
      resolve({ code: late, reason: `no response within ${checkTimeoutMs} ms` });
    }, checkTimeoutMs);
  });
  try {
    return await Promise.race([check().then(() => ({ code: ok })), patience]);
  } catch (error) {
    return { code: codeOf(error), reason: describeError(error) };
  } finally {
    clearTimeout(timer);
  }
}

/** What may stand for an error in public: `ECONNREFUSED`, an SQLSTATE, never a sentence. */
const publicCode = /^[A-Z0-9][A-Za-z0-9_]{2,49}$/;
const deepestCause = 5;

/**
 * The code of the error, or of what caused it; `failed` when there is none. Whoever noticed the
 * silence, it is a `timeout`.
 */
function codeOf(thrown: unknown): string {
  let error: unknown = thrown;
  for (let depth = 0; depth < deepestCause; depth += 1) {
    if (typeof error !== 'object' || error === null) break;
    const { code, cause } = error as { code?: unknown; cause?: unknown };
    if (typeof code === 'string' && publicCode.test(code)) {
      return code === 'ETIMEDOUT' ? late : code;
    }
    error = cause;
  }
  return 'failed';
}
