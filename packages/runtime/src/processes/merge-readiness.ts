/** What /readyz of one process said; undefined: nothing, although it is there. */
export type ProcessReadiness =
  | { readonly status: string; readonly checks: Readonly<Record<string, string>> }
  | typeof absent
  | undefined;

export interface GroupReadiness {
  readonly status: 'ok' | 'degraded' | 'unavailable';
  /** By dependency: what the first process says that is not content with it. */
  readonly checks: Readonly<Record<string, string>>;
  /** By the number of the process. */
  readonly processes: Readonly<Record<string, string>>;
}

const ok = 'ok';
/** What a process says of itself that does not respond to a probe. */
const silent = 'silent';
/** A place whose process is gone or has not started: no connection reaches it. */
const absent = 'absent';

/**
 * A group is ready when every process that is there is, since a connection may reach any of those;
 * where one is missing it is degraded.
 */
export function mergeReadiness(responses: readonly ProcessReadiness[]): GroupReadiness {
  const statuses = responses.map((response) =>
    response === absent ? absent : (response?.status ?? silent),
  );
  const checks: Record<string, string> = {};
  for (const [dependency, code] of responses.flatMap((response) =>
    response === absent ? [] : Object.entries(response?.checks ?? {}),
  )) {
    if ((checks[dependency] ?? ok) === ok) checks[dependency] = code;
  }
  const present = statuses.filter((status) => status !== absent);
  const isReady =
    present.length > 0 && present.every((status) => status === ok || status === 'degraded');
  const isWhole = statuses.every((status) => status === ok);
  return {
    status: !isReady ? 'unavailable' : isWhole ? ok : 'degraded',
    checks,
    processes: Object.fromEntries(statuses.map((status, at) => [String(at + 1), status])),
  };
}
