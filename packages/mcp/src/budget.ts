import { isEnded, ToolError, unlessGone, type Video } from './gateway.ts';

/**
 * What an agent may spend. Quota is set aside under the idempotency key of a creation before the
 * creation is asked for, and given back as far as the video turns out to cost less.
 */
export interface Budget {
  /**
   * Whether this call has set the quota aside: only then is it this call's to give back. False
   * where an earlier call with the same key did. Throws `budget_exceeded` when less is left.
   */
  hold(key: string, quota: number, signal: AbortSignal): Promise<boolean>;
  /** The creation made this video; false when that holds more than is left of the budget. */
  made(key: string, video: Video): Promise<boolean>;
  /** The creation made nothing. */
  release(key: string): Promise<void>;
  /** A video was seen; if it has ended, what it did not cost is free again. */
  seen(video: Video): Promise<void>;
}

export const budgetExceeded = (quota: number, left: number): ToolError =>
  new ToolError(
    'budget_exceeded',
    `this would set ${quota} quota aside, and ${left} of this connection's budget are left; nothing was created`,
  );

/** Later the gateway may have forgotten the key, and would make another video. */
export const tooOldKey = (key: string): ToolError =>
  new ToolError(
    'idempotency_key_reused',
    `the idempotency_key ${JSON.stringify(key)} was first used more than 23 hours ago, and the gateway knows a key for a day: list_videos finds the video that it made; use a new key for another one`,
    'idempotency_key',
  );

/** The gateway knows a key for 24 hours. */
const keyIsGoodForMs = 23 * 3_600_000;
const keyIsForgottenAfterMs = 25 * 3_600_000;

interface Creation {
  readonly at: number;
  /** Set aside until it is settled; then nothing is. */
  quota: number;
  videoId?: string;
  isSettled?: true;
}

export interface ConnectionBudgetPorts {
  readonly current: (id: string, signal: AbortSignal) => Promise<Video>;
  readonly now: () => number;
}

/**
 * The budget of one connection, in memory: it ends with the connection. Nothing is awaited between
 * the comparison and the entry, so creations at the same time never get more than there is.
 */
export function createConnectionBudget(maxQuota: number, ports: ConnectionBudgetPorts): Budget {
  const creations = new Map<string, Creation>();
  let spent = 0;
  const left = (): number =>
    maxQuota - spent - [...creations.values()].reduce((sum, { quota }) => sum + quota, 0);
  const settle = (creation: Creation, cost: number): void => {
    if (creation.isSettled) return;
    Object.assign(creation, { isSettled: true, quota: 0 });
    spent += cost;
  };
  const settleIfEnded = (video: Video): void => {
    if (!isEnded(video)) return;
    for (const creation of creations.values()) {
      if (creation.videoId === video.id) settle(creation, video.portal_billing.billed_quota ?? 0);
    }
  };
  const settleEnded = async (signal: AbortSignal): Promise<void> => {
    for (const creation of [...creations.values()]) {
      if (signal.aborted) return;
      if (creation.videoId === undefined || creation.isSettled) continue;
      const video = await ports.current(creation.videoId, signal).catch(unlessGone);
      if (video === undefined) settle(creation, creation.quota);
      else settleIfEnded(video);
    }
  };
  /** Whether an earlier call has set quota aside; throws for a key that the gateway may not know any more. */
  const isKnown = (key: string): boolean => {
    const age = ports.now() - (creations.get(key)?.at ?? Infinity);
    if (age > keyIsForgottenAfterMs && creations.get(key)?.isSettled) creations.delete(key);
    else if (age > keyIsGoodForMs) throw tooOldKey(key);
    return creations.has(key);
  };
  return {
    async hold(key, quota, signal) {
      if (isKnown(key)) return false;
      if (quota > left()) await settleEnded(signal);
      if (isKnown(key)) return false;
      if (quota > left()) throw budgetExceeded(quota, left());
      creations.set(key, { quota, at: ports.now() });
      return true;
    },
    made(key, video) {
      const { quota: before = 0, at = ports.now(), videoId } = creations.get(key) ?? {};
      if (videoId !== undefined) return Promise.resolve(true);
      const holds = video.portal_billing.max_billing_quota;
      const isWithin = holds - before <= Math.max(0, left());
      creations.set(key, { quota: holds, at, videoId: video.id });
      settleIfEnded(video);
      return Promise.resolve(isWithin);
    },
    release(key) {
      if (creations.get(key)?.videoId === undefined) creations.delete(key);
      return Promise.resolve();
    },
    seen(video) {
      settleIfEnded(video);
      return Promise.resolve();
    },
  };
}

/** Where nobody set one: the account's quota is the only bound. */
export const noBudget: Budget = {
  hold: () => Promise.resolve(false),
  made: () => Promise.resolve(true),
  release: () => Promise.resolve(),
  seen: () => Promise.resolve(),
};
