import { isTerminal, type TaskStatus } from '@gateway/domain';
import { openPeer } from '@gateway/testing';
import type { Dice } from './random.ts';

export type Reaction = 'ok' | 'error' | 'hang' | 'reset';

/** One request as the receiver saw it, in the order of arrival. */
export interface Arrival {
  /** Of the order: the last part of the callback's path. */
  readonly ref: string;
  /** Null for the challenge. */
  readonly push: {
    readonly sequence: number;
    readonly webhookId: string;
    readonly taskId: string;
    readonly status: TaskStatus;
    readonly isTerminal: boolean;
    readonly billedQuota: number | undefined;
  } | null;
  readonly reaction: Reaction;
}

export interface ChaosReceiver {
  readonly url: string;
  readonly arrivals: readonly Arrival[];
  /** Fails everything for so long. */
  breakFor(ms: number): void;
  /** From now on every response is good, but to paths that are dead. */
  calm(): void;
  close(): Promise<void>;
}

const failures = ['error', 'error', 'hang', 'reset'] as const;

/**
 * A receiver that has bad moments and bad minutes. What is below `/dead` never gets a response that
 * is good.
 */
export async function openChaosReceiver(dice: Dice): Promise<ChaosReceiver> {
  const arrivals: Arrival[] = [];
  let brokenUntil = 0;
  let isCalm = false;
  const choose = (path: string): Reaction => {
    if (path.startsWith('/dead') || Date.now() < brokenUntil) return dice.pick(['error', 'reset']);
    return !isCalm && dice.chance(0.08) ? dice.pick(failures) : 'ok';
  };
  const peer = await openPeer(({ path, headers, body }, response) => {
    const json = JSON.parse(body.toString()) as PushBody;
    const reaction = choose(path);
    arrivals.push({
      ref: path.split('/').at(-1) ?? '',
      reaction,
      push: json.type === 'url_verification' ? null : pushOf(json, headers),
    });
    if (reaction === 'reset') response.destroy();
    else if (reaction === 'error') response.writeHead(500).end();
    else if (reaction === 'ok') {
      response
        .setHeader('content-type', 'application/json')
        .end(
          json.type === 'url_verification' ? JSON.stringify({ challenge: json.challenge }) : '{}',
        );
    }
    // `hang` leaves the caller waiting.
  });
  return {
    url: peer.url,
    arrivals,
    breakFor: (ms) => {
      brokenUntil = Date.now() + ms;
    },
    calm() {
      isCalm = true;
      brokenUntil = 0;
    },
    close: () => peer.close(),
  };
}

interface PushBody {
  readonly type?: string;
  readonly challenge?: string;
  readonly id: string;
  readonly status: TaskStatus;
  readonly portal_billing: { readonly billed_quota?: number };
}

function pushOf(
  { id, status, portal_billing: billing }: PushBody,
  headers: NodeJS.Dict<string | string[]>,
): NonNullable<Arrival['push']> {
  return {
    sequence: Number(headers['x-gateway-sequence']),
    webhookId: String(headers['webhook-id']),
    taskId: id,
    status,
    isTerminal: isTerminal(status),
    billedQuota: billing.billed_quota,
  };
}
