import { GatewayError, judgeResponse, signatureHeader, type Judgement } from '@gateway/domain';
import type { SharedLimits } from '@gateway/limits';
import type { OutboundClient } from '@gateway/outbound';
import type { CallbackSecrets } from '@gateway/store';

export interface TestCallbackPorts {
  /** What is wrong with an address, as a callback's; undefined when nothing is. */
  readonly problemOf: (url: string) => string | undefined;
  /** Through the guarded client. */
  readonly post: OutboundClient['post'];
  readonly validSecrets: CallbackSecrets['valid'];
  readonly limits: Pick<SharedLimits, 'rate' | 'slots'>;
  readonly now: () => Date;
  readonly newId: () => string;
  readonly newChallenge: () => string;
  readonly redact: (text: string) => string;
}

export interface SentTestMessage extends Judgement {
  readonly durationMs: number;
}

export interface CallbackTest {
  readonly id: string;
  readonly url: string;
  readonly challenge: SentTestMessage;
  /** Null: not sent, because the challenge failed. */
  readonly event: SentTestMessage | null;
}

const testsPerMinute = 6;
const retryAfterMs = 1_000;
/** Of one message: the request waits for two of them. */
const timeouts = { responseMs: 9_000, totalMs: 10_000 } as const;
const mostResponseBytes = 4_096;

/**
 * Sends a challenge and, once that is answered, a test event to an address, signed as pushes are. No
 * attempt is repeated or kept. Throws invalid_callback_url and rate_limit_exceeded.
 */
export function createTestCallback(
  ports: TestCallbackPorts,
): (accountId: string, url: string) => Promise<CallbackTest> {
  return async (accountId, url) => {
    const problem = ports.problemOf(url);
    if (problem !== undefined) {
      throw new GatewayError('invalid_callback_url', `callback_url ${problem}`, {
        param: 'callback_url',
      });
    }
    return inTurn(ports, accountId, async () =>
      sendBoth({ url, secrets: await secretsOf(ports, accountId) }, ports),
    );
  };
}

/** Asks an address for its consent; answers with what came back. */
export type AskConsent = (url: string) => Promise<SentTestMessage>;

/**
 * Work that asks addresses for their consent, under the limits of test events. Throws
 * rate_limit_exceeded before anything is done.
 */
export type WithConsent = <Result>(
  accountId: string,
  work: (ask: AskConsent) => Promise<Result>,
) => Promise<Result>;

export const createWithConsent =
  (ports: Omit<TestCallbackPorts, 'problemOf'>): WithConsent =>
  (accountId, work) =>
    inTurn(ports, accountId, () =>
      work(async (url) => {
        const receiver = { url, secrets: await secretsOf(ports, accountId) };
        return sendChallenge(receiver, ports, ports.newId());
      }),
    );

type SendPorts = Omit<TestCallbackPorts, 'problemOf'>;

const secretsOf = async ({ validSecrets }: SendPorts, accountId: string): Promise<string[]> =>
  (await validSecrets(accountId)).map(({ secret }) => secret);

async function inTurn<Result>(
  ports: SendPorts,
  accountId: string,
  work: () => Promise<Result>,
): Promise<Result> {
  const slot = await takeTurn(ports, accountId);
  try {
    return await work();
  } finally {
    slot.release();
  }
}

/** One at a time and a few a minute for an account, over all replicas: others own the address. */
async function takeTurn(
  { limits: { rate, slots } }: SendPorts,
  accountId: string,
): Promise<{ release(): void }> {
  const subject = `callback-test:${accountId}`;
  const slot = await slots.acquire(subject, 1);
  if (slot === undefined) {
    throw new GatewayError(
      'rate_limit_exceeded',
      'a callback of this account is being tested by another request; wait for it to end',
      { retryAfterMs },
    );
  }
  const decision = await rate.take(subject, testsPerMinute);
  if (decision.allowed) return slot;
  slot.release();
  throw new GatewayError(
    'rate_limit_exceeded',
    `an account may test callbacks ${testsPerMinute} times a minute; wait as long as retry-after says`,
    { retryAfterMs: decision.retryAfterMs },
  );
}

interface Receiver {
  readonly url: string;
  readonly secrets: readonly string[];
}

async function sendBoth(receiver: Receiver, ports: SendPorts): Promise<CallbackTest> {
  const id = ports.newId();
  const { url } = receiver;
  const asked = await sendChallenge(receiver, ports, id);
  if (asked.attemptClass !== 'success') return { id, url, challenge: asked, event: null };
  const event = await send(receiver, ports, {
    id,
    event: 'callback.test',
    challenge: null,
    body: { type: 'callback.test', id, created_at: ports.now().toISOString() },
  });
  return { id, url, challenge: asked, event };
}

function sendChallenge(receiver: Receiver, ports: SendPorts, id: string): Promise<SentTestMessage> {
  const challenge = ports.newChallenge();
  return send(receiver, ports, {
    id,
    event: 'callback.challenge',
    challenge,
    body: { type: 'url_verification', challenge },
  });
}

interface TestMessage {
  readonly id: string;
  readonly event: 'callback.challenge' | 'callback.test';
  /** What must be echoed; null where nothing must be. */
  readonly challenge: string | null;
  readonly body: object;
}

async function send(
  { url, secrets }: Receiver,
  { post, now, redact }: SendPorts,
  message: TestMessage,
): Promise<SentTestMessage> {
  const body = Buffer.from(JSON.stringify(message.body));
  const id = `msg_${message.id.slice(message.id.indexOf('_') + 1)}_${message.challenge === null ? 'test' : 'challenge'}`;
  const timestampSeconds = Math.floor(now().getTime() / 1_000);
  const outcome = await post({
    url,
    body,
    timeouts,
    maxResponseBytes: mostResponseBytes,
    headers: {
      'content-type': 'application/json',
      'webhook-id': id,
      'webhook-timestamp': String(timestampSeconds),
      'webhook-signature': signatureHeader({ id, timestampSeconds, body }, secrets),
      'x-gateway-event': message.event,
      'x-gateway-attempt': '1',
      'x-gateway-task': message.id,
    },
  });
  const against = { url, challenge: message.challenge, now: now(), redact };
  return { ...judgeResponse(outcome, against), durationMs: outcome.durationMs };
}
