import { defaultPostTimeouts, type OutboundClient } from '@gateway/outbound';
import type { SendOutcome, SendRequest } from '../use-cases/attempt.ts';

export interface SenderOptions {
  readonly client: Pick<OutboundClient, 'post'>;
  /** Of a whole attempt. */
  readonly timeoutMs: number;
}

/** The answer may take nearly the whole attempt, and yet a missing one is told apart from one that drips. */
const responseShare = 0.9;

/** Posts through the guarded client; an attempt that a stopping process can wait for no longer is cut off. */
export function createSender({ client, timeoutMs }: SenderOptions): (request: SendRequest) => Promise<SendOutcome> {
  const timeouts = { ...defaultPostTimeouts, responseMs: Math.round(timeoutMs * responseShare), totalMs: timeoutMs };
  return async ({ url, headers, body, maxBytes, ending }) => {
    try {
      return await client.post({ url, headers, body, timeouts, maxResponseBytes: maxBytes, signal: ending });
    } catch (error) {
      if (ending.aborted) return { kind: 'interrupted' };
      throw error;
    }
  };
}
