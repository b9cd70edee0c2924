import type { Response } from 'express';
import { GatewayError } from '@gateway/domain';
import { guarded } from '@gateway/runtime';

export interface ServedBytesOptions {
  /** Of all accounts together. */
  readonly processBytes: number;
  readonly accountBytes: number;
  /** How long a client may take to read its response. */
  readonly withinMs: number;
}

/**
 * Sends a text as JSON, once there is memory for it: it stays there until its client has read it,
 * and who asks for much and reads nothing would fill the process. Throws rate_limit_exceeded where
 * the account has too much under way, `overloaded` where the process has.
 */
export type SendJson = (
  response: Response,
  json: { readonly accountId: string; readonly text: string },
) => void;

/** So little is always sent. */
const smallBytes = 65_536;
const retryAfterMs = 1_000;

export function createSendJson({
  processBytes,
  accountBytes,
  withinMs,
}: ServedBytesOptions): SendJson {
  const ofAccounts = new Map<string, number>();
  let allBytes = 0;
  const move = (accountId: string, bytes: number): void => {
    allBytes += bytes;
    const ofAccount = (ofAccounts.get(accountId) ?? 0) + bytes;
    if (ofAccount === 0) ofAccounts.delete(accountId);
    else ofAccounts.set(accountId, ofAccount);
  };
  const hold = (response: Response, accountId: string, bytes: number): void => {
    if ((ofAccounts.get(accountId) ?? 0) + bytes > accountBytes) {
      throw new GatewayError(
        'rate_limit_exceeded',
        `the stored responses that this account is reading have ${accountBytes} bytes at most; read them to their end, or fewer at once`,
        { retryAfterMs },
      );
    }
    if (allBytes + bytes > processBytes) {
      throw new GatewayError(
        'overloaded',
        'the gateway is sending as much of stored responses as it has memory for; try again',
        { retryAfterMs },
      );
    }
    move(accountId, bytes);
    const end = setTimeout(() => response.destroy(), withinMs).unref();
    response.once(
      'close',
      guarded(
        (error) => response.destroy(error as Error),
        () => {
          clearTimeout(end);
          move(accountId, -bytes);
        },
      ),
    );
  };
  return (response, { accountId, text }) => {
    const body = Buffer.from(text);
    if (body.length > smallBytes) hold(response, accountId, body.length);
    response
      .set({ 'cache-control': 'no-store', 'content-type': 'application/json; charset=utf-8' })
      .send(body);
  };
}
