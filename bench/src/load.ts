import { Agent, request } from 'node:http';

export interface Load {
  /** One for all requests, or a new one for each. */
  readonly url: string | (() => string);
  readonly method: 'GET' | 'POST';
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | (() => string);
  readonly callers: number;
  /** How many requests in all, or for how long they are sent. */
  readonly length: { readonly requests: number } | { readonly seconds: number };
}

export interface LoadResult {
  readonly requests: number;
  readonly perSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly failed: number;
}

/** Requests from so many callers that wait for each response, over kept-alive connections. */
export async function runLoad({ callers, length, ...one }: Load): Promise<LoadResult> {
  const agent = new Agent({ keepAlive: true, maxSockets: callers });
  const times: number[] = [];
  let left = 'requests' in length ? length.requests : Infinity;
  let failed = 0;
  const started = performance.now();
  const until = 'seconds' in length ? started + length.seconds * 1_000 : Infinity;
  await Promise.all(
    Array.from({ length: callers }, async () => {
      while (left > 0 && performance.now() < until) {
        left -= 1;
        const sent = performance.now();
        const status = await send(one, agent);
        times.push(performance.now() - sent);
        if (status !== 200) failed += 1;
      }
    }),
  );
  const seconds = (performance.now() - started) / 1000;
  agent.destroy();
  times.sort((a, b) => a - b);
  const quantile = (share: number): number =>
    Math.round((times[Math.min(times.length - 1, Math.floor(times.length * share))] ?? 0) * 100) /
    100;
  return {
    requests: times.length,
    perSecond: Math.round(times.length / seconds),
    p50Ms: quantile(0.5),
    p99Ms: quantile(0.99),
    failed,
  };
}

const valueOf = <Value>(given: Value | (() => Value)): Value =>
  typeof given === 'function' ? (given as () => Value)() : given;

function send(
  { url, method, headers, body: given }: Omit<Load, 'callers' | 'length'>,
  agent: Agent,
): Promise<number> {
  const body = valueOf(given);
  return new Promise((resolve, reject) => {
    const length = body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) };
    const outgoing = request(
      valueOf(url),
      { method, agent, headers: { ...headers, ...length } },
      (response) => {
        response.resume();
        response.once('end', () => {
          resolve(response.statusCode ?? 0);
        });
      },
    );
    outgoing.once('error', reject);
    outgoing.end(body);
  });
}
