import { videoResource, type MediaLinks, type Task } from '@gateway/contracts';
import { signatureHeader } from '@gateway/domain';
import type { ClaimedCallback } from '@gateway/store';
import type { Next } from './decide-next.ts';

/**
 * One message to a receiver. Its id and body stay the same over retries; an attempt adds time,
 * number and signature.
 */
export interface Message {
  readonly id: string;
  readonly event: 'callback.challenge' | 'video.status_changed';
  /** Of the event; null for the challenge. */
  readonly sequence: number | null;
  /** Of this message: 1 for the first. */
  readonly attempt: number;
  /** What must be echoed; null for a push. */
  readonly challenge: string | null;
  /** Serialised once: these bytes are signed, and these bytes are sent. */
  readonly body: Uint8Array;
}

export interface Composition {
  readonly task: Task;
  readonly callback: ClaimedCallback;
  readonly links: MediaLinks;
}

export function composeMessage(
  next: Extract<Next, { kind: 'challenge' | 'push' }>,
  { task, callback, links }: Composition,
): Message {
  const suffix = task.id.slice(task.id.indexOf('_') + 1);
  if (next.kind === 'challenge') {
    const { challenge, failures } = callback;
    return {
      id: `msg_${suffix}_challenge`,
      event: 'callback.challenge',
      sequence: null,
      attempt: failures + 1,
      challenge,
      body: bytesOf({ type: 'url_verification', challenge }),
    };
  }
  const { sequence, status, attempts } = next.push;
  return {
    id: `msg_${suffix}_${sequence}`,
    event: 'video.status_changed',
    sequence,
    attempt: attempts + 1,
    challenge: null,
    body: bytesOf(videoResource(task, links, status)),
  };
}

const bytesOf = (value: object): Uint8Array => Buffer.from(JSON.stringify(value));

export interface Addressing {
  readonly task: Pick<Task, 'id' | 'requestId'>;
  /** Valid now, newest first. */
  readonly secrets: readonly string[];
  /** Null: the address is the task's own. */
  readonly endpointId: string | null;
  readonly now: Date;
}

/**
 * Headers of one attempt. The Standard Webhooks names are the receiver libraries', the others are
 * ours.
 */
export function headersOf(
  message: Message,
  { task, secrets, endpointId, now }: Addressing,
): Record<string, string> {
  // Our fault, not the receiver's: an unsigned push would only be refused there.
  if (secrets.length === 0) {
    throw new Error('the account has no valid callback secret to sign with');
  }
  const timestampSeconds = Math.floor(now.getTime() / 1000);
  return {
    'content-type': 'application/json',
    'webhook-id': message.id,
    'webhook-timestamp': String(timestampSeconds),
    'webhook-signature': signatureHeader(
      { id: message.id, timestampSeconds, body: message.body },
      secrets,
    ),
    'x-gateway-event': message.event,
    ...(message.sequence !== null && { 'x-gateway-sequence': String(message.sequence) }),
    'x-gateway-attempt': String(message.attempt),
    'x-gateway-task': task.id,
    ...(endpointId !== null && { 'x-gateway-endpoint': endpointId }),
    'x-request-id': task.requestId,
  };
}
