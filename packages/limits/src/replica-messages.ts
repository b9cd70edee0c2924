import type { Redis } from 'ioredis';

/**
 * What replicas tell each other. Any of it may be lost. The kinds are part of the protocol between
 * replicas of different releases.
 */
export type ReplicaMessage =
  | { readonly kind: 'slots_wanted'; readonly name: string }
  | {
      readonly kind: 'circuit_opened';
      readonly name: string;
      readonly coolDownMs: number;
      readonly openings: number;
    }
  | { readonly kind: 'circuit_closed' | 'probe_wanted' | 'probe_free'; readonly name: string };

/** Undefined for our own messages and for anything that is none. */
export function readMessage(text: string, replicaId: string): ReplicaMessage | undefined {
  try {
    const message = JSON.parse(text) as ReplicaMessage & { readonly from?: string };
    return message.from === replicaId ? undefined : message;
  } catch {
    return undefined;
  }
}

/** Resolves when it has subscribed for the first time. */
export function listenTo(
  subscriber: Redis,
  channel: string,
  hear: (text: string) => void,
): Promise<void> {
  subscriber.on('error', () => undefined); // the other connection reports outages
  subscriber.on('message', (_channel: string, text: string) => {
    hear(text);
  });
  return new Promise((resolve) => {
    subscriber.on('ready', () => {
      subscriber.subscribe(channel).then(
        () => {
          resolve();
        },
        () => undefined,
      );
    });
  });
}
