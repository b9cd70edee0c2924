import { openConnection, type Connection } from './connection.ts';

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
  const times: number[] = [];
  let left = 'requests' in length ? length.requests : Infinity;
  let failed = 0;
  const started = performance.now();
  const until = 'seconds' in length ? started + length.seconds * 1_000 : Infinity;
  await Promise.all(
    Array.from({ length: callers }, async () => {
      const caller = openCaller(one);
      while (left > 0 && performance.now() < until) {
        left -= 1;
        const sent = performance.now();
        const status = await caller.next();
        times.push(performance.now() - sent);
        if (status !== 200) failed += 1;
      }
      caller.close();
    }),
  );
  const seconds = (performance.now() - started) / 1000;
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

interface Caller {
  /** One more request; resolves with the status of its response. */
  next(): Promise<number>;
  close(): void;
}

/** With a connection of its own to each target. */
function openCaller({ url, method, headers, body }: Omit<Load, 'callers' | 'length'>): Caller {
  const connections = new Map<string, Connection>();
  const connectionTo = (target: URL): Connection => {
    const known = connections.get(target.host);
    if (known?.isOpen() === true) return known;
    const opened = openConnection(target);
    connections.set(target.host, opened);
    return opened;
  };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  return {
    next() {
      const text = body === undefined ? '' : valueOf(body);
      const target = new URL(valueOf(url));
      const length = body === undefined ? '' : `content-length: ${Buffer.byteLength(text)}\r\n`;
      return connectionTo(target).ask(
        `${method} ${target.pathname}${target.search} HTTP/1.1\r\nhost: ${target.host}\r\n${lines.join('')}${length}\r\n${text}`,
      );
    },
    close() {
      for (const connection of connections.values()) connection.close();
    },
  };
}
