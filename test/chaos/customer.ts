import type { VideoResource } from '@gateway/contracts';
import { isTerminal, type TaskStatus } from '@gateway/domain';
import type { VideoWish } from './plan.ts';
import type { StackCustomer } from './stack.ts';

/**
 * What one request came to. `not_sent`: nothing listened. `broken`: nobody knows what became of it.
 */
export type Answer =
  | { readonly kind: 'answered'; readonly status: number; readonly body: unknown }
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
export async function call({ method, url, apiKey, body, headers = {} }: Call): Promise<Answer> {
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
      kind: 'answered',
      status: response.status,
      body: text.startsWith('{') ? (JSON.parse(text) as unknown) : text,
    };
  } catch (error) {
    const { code = String(error) } = ((error as Error).cause ?? {}) as { code?: string };
    return code === 'ECONNREFUSED' ? { kind: 'not_sent' } : { kind: 'broken', reason: code, begun };
  }
}

/** What a customer learned of one wish. */
export interface Experience {
  readonly wish: VideoWish;
  readonly answers: Answer[];
  /** Of each answer with 200. */
  readonly taskIds: Set<string>;
  readonly cancels: Answer[];
  /** Of another body under the same key. */
  readonly reuses: Answer[];
  /** Statuses that this customer was shown, without repetitions. */
  readonly seen: TaskStatus[];
}

export const newExperience = (wish: VideoWish): Experience => ({
  wish,
  answers: [],
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

/** Lives one wish through: asks, asks again where that is safe, repeats and cancels as planned. */
export async function liveThrough(experience: Experience, ports: CustomerPorts): Promise<void> {
  const { wish } = experience;
  const body = bodyOf(wish, ports.receiverUrl);
  const first = askUntilSure(experience, body, ports);
  const repeated =
    wish.repeatAfterMs === undefined
      ? undefined
      : pause(wish.repeatAfterMs).then(() => askUntilSure(experience, body, ports));
  await Promise.all([first, repeated]);
  if (wish.reusesKey && experience.taskIds.size > 0) await reuseKey(experience, body, ports);
  const [taskId] = experience.taskIds;
  if (wish.cancelAfterMs !== undefined && taskId !== undefined) {
    await pause(wish.cancelAfterMs);
    experience.cancels.push(
      await call({
        ...ports.customer,
        method: 'POST',
        url: `${ports.baseUrl}/v1/videos/${taskId}/cancel`,
      }),
    );
  }
}

const promptOf = ({ kind, ref }: VideoWish): string => `${kind.directive} ${ref}`.trim();

const bodyOf = (wish: VideoWish, receiverUrl: string): object => ({
  model: wish.kind.model,
  prompt: promptOf(wish),
  duration: wish.kind.duration,
  resolution: '480p',
  metadata: { ref: wish.ref },
  ...(wish.callback !== 'none' && {
    callback_url: `${receiverUrl}${wish.callback === 'dead' ? '/dead' : ''}/${wish.ref}`,
  }),
});

const keyOf = ({ hasKey, ref }: VideoWish): Record<string, string> =>
  hasKey ? { 'idempotency-key': ref } : {};

/**
 * Without a key only what was certainly not sent is asked again; with one, until there is an answer
 * to believe.
 */
async function askUntilSure(
  { wish, answers, taskIds }: Experience,
  body: object,
  { baseUrl, customer, giveUpAt }: CustomerPorts,
): Promise<void> {
  for (;;) {
    const answer = await call({
      ...customer,
      method: 'POST',
      url: `${baseUrl}/v1/videos`,
      body,
      headers: keyOf(wish),
    });
    answers.push(answer);
    if (answer.kind === 'answered' && answer.status === 200) {
      taskIds.add((answer.body as VideoResource).id);
    }
    const isSure = answer.kind === 'answered' && answer.status < 500;
    if (isSure || (!wish.hasKey && answer.kind !== 'not_sent') || Date.now() > giveUpAt) return;
    await pause(400);
  }
}

/** Another body under a key that has its task. */
async function reuseKey(
  { wish, reuses }: Experience,
  body: object,
  { baseUrl, customer }: CustomerPorts,
): Promise<void> {
  reuses.push(
    await call({
      ...customer,
      method: 'POST',
      url: `${baseUrl}/v1/videos`,
      body: { ...body, duration: wish.kind.duration + 1 },
      headers: keyOf(wish),
    }),
  );
}

const rankOf = (status: TaskStatus): number =>
  isTerminal(status) ? 2 : status === 'running' ? 1 : 0;

/**
 * Looks at a task once; answers what is wrong with what the customer was shown over time, if
 * anything.
 */
export async function look(
  { seen, wish }: Experience,
  taskId: string,
  { baseUrl, customer }: Pick<CustomerPorts, 'baseUrl' | 'customer'>,
): Promise<string | undefined> {
  const answer = await call({ ...customer, method: 'GET', url: `${baseUrl}/v1/videos/${taskId}` });
  if (answer.kind !== 'answered' || answer.status >= 500) return undefined;
  if (answer.status !== 200) return `${wish.ref}: GET of a created task answered ${answer.status}`;
  const { status } = answer.body as VideoResource;
  const before = seen.at(-1);
  if (before === status) return undefined;
  seen.push(status);
  if (before === undefined || rankOf(status) > rankOf(before)) return undefined;
  return `${wish.ref}: was shown ${status} after ${before}`;
}
