export interface AccountRatesOptions {
  readonly bytesPerSecond: number;
  /** That an account may be ahead of its rate. */
  readonly burstBytes: number;
  /** A monotonic clock. */
  readonly nowMs: () => number;
}

/** How fast each account may go, in this process: JSON takes time from all requests. */
export interface AccountRates {
  mayGoOn(accountId: string): boolean;
  charge(accountId: string, bytes: number): void;
}

const forgetEveryMs = 1_000;

/** An account pays for what it has done, and may go on once it is within its burst. */
export function createAccountRates({
  bytesPerSecond,
  burstBytes,
  nowMs,
}: AccountRatesOptions): AccountRates {
  const charged = new Map<string, { bytes: number; atMs: number }>();
  let forgottenMs = nowMs();
  const owed = (accountId: string): number => {
    const account = charged.get(accountId);
    if (account === undefined) return 0;
    return Math.max(account.bytes - ((nowMs() - account.atMs) / 1_000) * bytesPerSecond, 0);
  };
  const forgetPaid = (): void => {
    if (nowMs() - forgottenMs < forgetEveryMs) return;
    forgottenMs = nowMs();
    for (const accountId of charged.keys()) if (owed(accountId) === 0) charged.delete(accountId);
  };
  return {
    mayGoOn: (accountId) => owed(accountId) <= burstBytes,
    charge(accountId, bytes) {
      charged.set(accountId, { bytes: owed(accountId) + bytes, atMs: nowMs() });
      forgetPaid();
    },
  };
}
