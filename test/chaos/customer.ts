import type { VideoResource } from '@gateway/contracts';
import { isTerminal, type TaskStatus } from '@gateway/domain';
import type { VideoOrder } from './plan.ts';
import type { StackCustomer } from './stack.ts';

/**
 * What one request came to. `not_sent`: nothing listened. `broken`: nobody knows what became of it.
 */
export type CallOutcome =
  | { readonly kind: 'responded'; readonly status: number; readonly body: unknown }
  | { readonly kind: 'not_sent' }
  | {
      readonly kind: 'broken';
      readonly reason: string;
      /** Its status had arrived. */ readonly begun: boolean;
    };

export interface Call {
  readonly method: 'GET' | 'POST';
  readonly url: string;
  readonly apiKey: string;
  readonly body?: object;
  readonly headers?: Readonly<Record<string, string>>;
}

const callTimeoutMs = 15_000;

/**
 * One request, as the network lets it come out. Each on a connection of its own, so that a lost one
 * harms no other.
 */
export async function call({
  method,
  url,
  apiKey,
  body,
  headers = {},
}: Call): Promise<CallOutcome> {
  let begun = false;
  try {
    const response = await fetch(url, {
      method,
      signal: AbortSignal.timeout(callTimeoutMs),
      headers: {
        authorization: `Bearer ${apiKey}`,
        'content-type': 'application/json',
        connection: 'close',
        ...headers,
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    begun = true;
    const text = await response.text();
    return {
      kind: 'responded',
      status: response.status,
      body: text.startsWith('{') ? (JSON.parse(text) as unknown) : text,
    };
  } catch (error) {
    const { code = String(error) } = ((error as Error).cause ?? {}) as { code?: string };
    return code === 'ECONNREFUSED' ? { kind: 'not_sent' } : { kind: 'broken', reason: code, begun };
  }
}

/** What a customer learned of one order. */
export interface Experience {
  readonly order: VideoOrder;
  readonly responses: CallOutcome[];
  /** Of each response with 200. */
  readonly taskIds: Set<string>;
  readonly cancels: CallOutcome[];
  /** Of another body under the same key. */
  readonly reuses: CallOutcome[];
  /** Statuses that this customer was shown, without repetitions, and when their response arrived. */
  readonly seen: { readonly status: TaskStatus; readonly arrivedAtMs: number }[];
}

export const newExperience = (order: VideoOrder): Experience => ({
  order,
  responses: [],
  taskIds: new Set(),
  cancels: [],
  reuses: [],
  seen: [],
});

const pause = (ms: number): Promise<void> =>
  new Promise((resolve) => {
    setTimeout(resolve, ms);
  });

export interface CustomerPorts {
  readonly baseUrl: string;
  readonly receiverUrl: string;
  readonly customer: StackCustomer;
  /** Nothing is asked again after this; milliseconds since the epoch. */
  readonly giveUpAt: number;
}

/** Lives one order through: asks, asks again where that is safe, repeats and cancels as planned. */
export async function liveThrough(experience: Experience, ports: CustomerPorts): Promise<void> {
  const { order } = experience;
  const body = bodyOf(order, ports.receiverUrl);
  const first = askUntilSure(experience, body, ports);
  const repeated =
    order.repeatAfterMs === undefined
      ? undefined
      : pause(order.repeatAfterMs).then(() => askUntilSure(experience, body, ports));
  await Promise.all([first, repeated]);
  if (order.reusesKey && experience.taskIds.size > 0) await reuseKey(experience, body, ports);
  const [taskId] = experience.taskIds;
  if (order.cancelAfterMs !== undefined && taskId !== undefined) {
    await pause(order.cancelAfterMs);
    experience.cancels.push(
      await call({
        ...ports.customer,
        method: 'POST',
        url: `${ports.baseUrl}/v1/videos/${taskId}/cancel`,
      }),
    );
  }
}

const promptOf = ({ kind, ref }: VideoOrder): string => `${kind.directive} ${ref}`.trim();

const bodyOf = (order: VideoOrder, receiverUrl: string): object => ({
  model: order.kind.model,
  prompt: promptOf(order),
  duration: order.kind.duration,
  resolution: '480p',
  metadata: { ref: order.ref },
  ...(order.callback !== 'none' && {
    callback_url: `${receiverUrl}${order.callback === 'dead' ? '/dead' : ''}/${order.ref}`,
  }),
});

const keyOf = ({ hasKey, ref }: VideoOrder): Record<string, string> =>
  hasKey ? { 'idempotency-key': ref } : {};

/**
 * Without a key only what was certainly not sent is asked again; with one, until there is a response
 * to believe.
 */
async function askUntilSure(
  { order, responses, taskIds }: Experience,
  body: object,
  { baseUrl, customer, giveUpAt }: CustomerPorts,
): Promise<void> {
  for (;;) {
    const response = await call({
      ...customer,
      method: 'POST',
      url: `${baseUrl}/v1/videos`,
      body,
      headers: keyOf(order),
    });
    responses.push(response);
    if (response.kind === 'responded' && response.status === 200) {
      taskIds.add((response.body as VideoResource).id);
    }
    const isSure = response.kind === 'responded' && response.status < 500;
    if (isSure || (!order.hasKey && response.kind !== 'not_sent') || Date.now() > giveUpAt) return;
    await pause(400);
  }
}

/** Another body under a key that has its task. */
async function reuseKey(
  { order, reuses }: Experience,
  body: object,
  { baseUrl, customer }: CustomerPorts,
): Promise<void> {
  reuses.push(
    await call({
      ...customer,
      method: 'POST',
      url: `${baseUrl}/v1/videos`,
      body: { ...body, duration: order.kind.duration + 1 },
      headers: keyOf(order),
    }),
  );
}

const rankOf = (status: TaskStatus): number =>
  isTerminal(status) ? 2 : status === 'running' ? 1 : 0;

/**
 * Looks at a task once; returns what is wrong with what the customer was shown over time, if
 * anything.
 */
export async function checkTask(
  { seen, order }: Experience,
  taskId: string,
  { baseUrl, customer }: Pick<CustomerPorts, 'baseUrl' | 'customer'>,
): Promise<string | undefined> {
  const askedAtMs = performance.now();
  const response = await call({
    ...customer,
    method: 'GET',
    url: `${baseUrl}/v1/videos/${taskId}`,
  });
  if (response.kind !== 'responded' || response.status >= 500) return undefined;
  if (response.status !== 200) {
    return `${order.ref}: GET of a created task returned ${response.status}`;
  }
  const { status } = response.body as VideoResource;
  const before = seen.at(-1);
  if (before?.status === status) return undefined;
  // Of two requests at the same time the first may be answered last.
  if (before !== undefined && askedAtMs < before.arrivedAtMs) return undefined;
  seen.push({ status, arrivedAtMs: performance.now() });
  if (before === undefined || rankOf(status) > rankOf(before.status)) return undefined;
  return `${order.ref}: was shown ${status} after ${before.status}`;
}
