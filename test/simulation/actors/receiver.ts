import type { SendOutcome } from '../../../services/callback-dispatcher/src/use-cases/attempt.ts';
import { signatureHeader } from '@gateway/domain';
import { deliverTwice, repeats, type Weather } from '../world/network.ts';
import type { World } from '../world/world.ts';

/** What a receiver does with one request. */
export type Reaction =
  'ok' | 'error' | 'busy' | 'hang' | 'reset' | 'redirect' | 'gone' | 'mismatch';

/** One request as a receiver saw it. */
export interface Arrival {
  readonly taskId: string;
  readonly at: number;
  /** Null for the challenge. */
  readonly push: {
    readonly webhookId: string;
    readonly sequence: number;
    readonly status: string;
    readonly taskId: string;
  } | null;
  readonly attempt: number;
  readonly reaction: Reaction;
  /** It came twice, and its sender went by the response to the other one. */
  isSpare: boolean;
  readonly isSigned: boolean;
  /** Its time is one that receivers take for now. */
  readonly isTimely: boolean;
}

/** How often a receiver does what receivers do. All are 0 in calm. */
export type ReceiverMood = Record<
  'error' | 'busy' | 'hang' | 'reset' | 'redirect' | 'gone',
  number
>;

export interface Receivers {
  readonly mood: ReceiverMood;
  readonly arrivals: readonly Arrival[];
  /** A request on its way there and back; it may arrive although its sender is gone by then. */
  post(request: PostRequest): Promise<SendOutcome>;
}

export interface PostRequest {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
}

export const callbackSecret = 'whsec_c2VjcmV0';
/** Limit of one attempt, as the product sets it; a silent receiver is given up a little earlier. */
export const attemptTimeoutMs = 15_000;
const responseTimeoutMs = 13_500;
const retryAfterSeconds = 20;
/** Of Standard Webhooks, for the time in a signature. */
const toleranceMs = 300_000;

/** Addresses whose receivers always do the same. */
const fixed: Readonly<Record<string, Reaction>> = {
  'https://dead.example': 'error',
  'https://stranger.example': 'mismatch',
};
export const receiverUrls = ['https://one.example', 'https://two.example', ...Object.keys(fixed)];

export function createReceivers(world: World, weather: Weather, mood: ReceiverMood): Receivers {
  const { dice, trace } = world;
  const arrivals: Arrival[] = [];
  const react = (url: string, isChallenge: boolean): Reaction => {
    const always = fixed[new URL(url).origin];
    if (always !== undefined) return always === 'mismatch' && !isChallenge ? 'ok' : always;
    const rolled = dice.roll();
    let share = 0;
    for (const [reaction, chance] of Object.entries(mood)) {
      share += chance;
      if (rolled < share) return reaction as Reaction;
    }
    return 'ok';
  };
  const deliver = async (
    { url, headers, body }: PostRequest,
    isSpare: boolean,
  ): Promise<Delivered> => {
    const begun = world.now();
    await world.pause(world.latency());
    const json = JSON.parse(Buffer.from(body).toString()) as Body;
    const arrived = arrivalOf({ headers, body, json }, world.now());
    const reaction = react(url, arrived.push === null);
    const arrival = { ...arrived, reaction, isSpare };
    arrivals.push(arrival);
    trace.say(`a receiver gets ${toldOf(arrival)}: ${reaction}`);
    await world.pause(reaction === 'hang' ? responseTimeoutMs : world.latency());
    return { arrival, outcome: outcomeOf(reaction, { json, durationMs: world.now() - begun }) };
  };
  const deliverBoth = async (request: PostRequest): Promise<SendOutcome> => {
    const { arrival, outcome } = await deliverTwice(
      world,
      () => deliver(request, true),
      (delivered) => delivered.outcome.kind === 'responded',
    );
    arrival.isSpare = false;
    return outcome;
  };
  return {
    mood,
    arrivals,
    post: async (request) =>
      repeats(world, weather) ? deliverBoth(request) : (await deliver(request, false)).outcome,
  };
}

interface Delivered {
  readonly arrival: Arrival;
  readonly outcome: SendOutcome;
}

function outcomeOf(
  reaction: Reaction,
  { json, durationMs }: { readonly json: Body; readonly durationMs: number },
): SendOutcome {
  if (reaction === 'hang') return failed('timeout_response', durationMs);
  if (reaction === 'reset') return failed('connection_reset', durationMs);
  return {
    kind: 'responded',
    ...responses[reaction],
    body: Buffer.from(reaction === 'ok' && json.challenge !== undefined ? json.challenge : ''),
    durationMs,
    remoteAddress: '203.0.113.7',
  };
}

interface Body {
  readonly type?: string;
  readonly challenge?: string;
  readonly id?: string;
  readonly status?: string;
}

function arrivalOf(
  { headers, body, json }: Omit<PostRequest, 'url'> & { readonly json: Body },
  at: number,
): Omit<Arrival, 'reaction' | 'isSpare'> {
  const webhookId = headers['webhook-id'] ?? '';
  const signed = { id: webhookId, timestampSeconds: Number(headers['webhook-timestamp']), body };
  return {
    taskId: headers['x-gateway-task'] ?? '',
    at,
    push:
      json.challenge === undefined
        ? {
            webhookId,
            sequence: Number(headers['x-gateway-sequence']),
            status: json.status ?? '',
            taskId: json.id ?? '',
          }
        : null,
    attempt: Number(headers['x-gateway-attempt']),
    isTimely: Math.abs(signed.timestampSeconds * 1_000 - at) <= toleranceMs,
    isSigned: headers['webhook-signature'] === signatureHeader(signed, [callbackSecret]),
  };
}

const toldOf = ({ taskId, push, attempt }: Arrival): string =>
  `${push === null ? 'the challenge' : `push ${push.sequence} (${push.status})`} of ${taskId}, attempt ${attempt}`;

const failed = (
  failure: 'timeout_response' | 'connection_reset',
  durationMs: number,
): SendOutcome => ({ kind: 'failed', class: failure, detail: failure, durationMs });

type Response = Pick<Extract<SendOutcome, { kind: 'responded' }>, 'status' | 'headers'>;

const responses: Readonly<Record<Exclude<Reaction, 'hang' | 'reset'>, Response>> = {
  ok: { status: 200, headers: {} },
  mismatch: { status: 200, headers: {} },
  error: { status: 500, headers: {} },
  busy: { status: 503, headers: { 'retry-after': String(retryAfterSeconds) } },
  redirect: { status: 307, headers: { location: 'https://elsewhere.example/' } },
  gone: { status: 410, headers: {} },
};
