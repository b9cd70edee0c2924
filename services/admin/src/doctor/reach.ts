import { connect } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { describeError } from '@gateway/domain';
import type { CheckOutcome } from './judge.ts';

const timeoutMs = 5_000;

/**
 * One GET at an address of the operator's own configuration; its body is not read, and a redirect
 * is not followed.
 */
export async function askOnce(
  url: string,
  headers: Readonly<Record<string, string>>,
): Promise<CheckOutcome> {
  try {
    const response = await fetch(url, {
      headers,
      redirect: 'manual',
      signal: AbortSignal.timeout(timeoutMs),
    });
    await response.body?.cancel();
    return { kind: 'responded', status: response.status };
  } catch (error) {
    return { kind: 'unreachable', reason: reasonOf(error) };
  }
}

/** What a service says of itself on `/readyz`. */
export type Readiness =
  | { readonly kind: 'ready' }
  | {
      readonly kind: 'not_ready';
      readonly status: number;
      /** By dependency: `ok`, or the code of what is wrong. */
      readonly checks: Readonly<Record<string, string>>;
    }
  | { readonly kind: 'unreachable'; readonly reason: string };

/** Asks the operations port at `url`. */
export async function readiness(url: string): Promise<Readiness> {
  try {
    const response = await fetch(`${url.replace(/\/+$/, '')}/readyz`, {
      redirect: 'manual',
      signal: AbortSignal.timeout(timeoutMs),
    });
    const body = (await response.json().catch(() => ({}))) as {
      readonly checks?: Readonly<Record<string, string>>;
    };
    if (response.status === 200) return { kind: 'ready' };
    return { kind: 'not_ready', status: response.status, checks: body.checks ?? {} };
  } catch (error) {
    return { kind: 'unreachable', reason: reasonOf(error) };
  }
}

/** fetch hides what happened in the cause. */
const reasonOf = (error: unknown): string => {
  const { name, cause } = error as { name?: string; cause?: unknown };
  return name === 'TimeoutError'
    ? `no response within ${timeoutMs} ms`
    : describeError(cause ?? error);
};

/** Opens a connection, with TLS for https, and closes it. */
export function dial(url: string): Promise<CheckOutcome> {
  const { hostname, port, protocol } = new URL(url);
  const host = hostname.replace(/^\[|\]$/g, '');
  const isTls = protocol === 'https:';
  return new Promise((resolve) => {
    const target = { host, port: port === '' ? (isTls ? 443 : 80) : Number(port) };
    const socket = isTls ? connectTls({ ...target, servername: host }) : connect(target);
    const settle = (outcome: CheckOutcome): void => {
      socket.destroy();
      resolve(outcome);
    };
    socket.setTimeout(timeoutMs, () => {
      settle({ kind: 'unreachable', reason: `no response within ${timeoutMs} ms` });
    });
    socket
      .once(isTls ? 'secureConnect' : 'connect', () => {
        settle({ kind: 'connected' });
      })
      .once('error', (error) => {
        settle({ kind: 'unreachable', reason: describeError(error) });
      });
  });
}
