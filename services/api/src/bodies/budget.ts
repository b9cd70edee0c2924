import { GatewayError } from '@gateway/domain';
import { lastResponse } from './head.ts';
import { largestInlineBytes } from './memory.ts';

export interface BodyBudgetOptions {
  /** Of all accounts together; small bodies have an eighth more, which large ones cannot take. */
  readonly processBytes: number;
  readonly accountBytes: number;
  /** Told of each body that was refused, and for want of whose bytes. */
  readonly onRefusal?: (whose: 'account' | 'process') => void;
}

/** The bytes of one body, from its admission to the end of its request. */
export interface BodyShare {
  /** The body is this long by now. Throws what `open` throws, and keeps what it had. */
  grow(sizeBytes: number): void;
  /** Gives everything back; again without effect. */
  release(): void;
}

export interface BodyBudget {
  /**
   * A share of this many bytes, which are announced or 0. Throws rate_limit_exceeded when the
   * account has too many under way, `overloaded` when the process has. A body that is its account's
   * only one, or the only one of all, is taken whatever its size.
   */
  open(accountId: string, sizeBytes: number): BodyShare;
  readonly bytes: number;
}

const retryAfterMs = 1_000;

/**
 * Counts the bytes of all bodies that are under way: arriving, waiting, or needed for their request.
 */
export function createBodyBudget({
  processBytes,
  accountBytes,
  onRefusal = () => undefined,
}: BodyBudgetOptions): BodyBudget {
  const byAccount = new Map<string, number>();
  const smallBytes = processBytes + processBytes / 8;
  let allBytes = 0;
  const move = (accountId: string, by: number): void => {
    allBytes += by;
    const bytes = (byAccount.get(accountId) ?? 0) + by;
    if (bytes === 0) byAccount.delete(accountId);
    else byAccount.set(accountId, bytes);
  };
  const check = (accountId: string, heldBytes: number, sizeBytes: number): void => {
    const others = (byAccount.get(accountId) ?? 0) - heldBytes;
    if (others > 0 && others + sizeBytes > accountBytes) {
      onRefusal('account');
      throw accountFull(accountBytes, others + sizeBytes);
    }
    const all = allBytes - heldBytes;
    const most = sizeBytes <= largestInlineBytes ? smallBytes : processBytes;
    if (all > 0 && all + sizeBytes > most) {
      onRefusal('process');
      throw processFull(processBytes);
    }
  };
  return {
    get bytes() {
      return allBytes;
    },
    open(accountId, announcedBytes) {
      let heldBytes = 0;
      let isOpen = true;
      const grow = (sizeBytes: number): void => {
        if (!isOpen || sizeBytes <= heldBytes) return;
        check(accountId, heldBytes, sizeBytes);
        move(accountId, sizeBytes - heldBytes);
        heldBytes = sizeBytes;
      };
      grow(announcedBytes);
      return {
        grow,
        release() {
          if (isOpen) move(accountId, -heldBytes);
          isOpen = false;
        },
      };
    },
  };
}

const accountFull = (limitBytes: number, wantedBytes: number): GatewayError =>
  new GatewayError(
    'rate_limit_exceeded',
    `the request bodies of this account that are under way would have ${wantedBytes} bytes with this one; they may have ${limitBytes} at once. Wait for a request to end, or send smaller bodies`,
    { ...lastResponse, retryAfterMs },
  );

const processFull = (limitBytes: number): GatewayError =>
  new GatewayError(
    'overloaded',
    `the gateway is reading as many request bodies as it has memory for (${limitBytes} bytes); nothing was done. Try again`,
    { ...lastResponse, retryAfterMs },
  );
