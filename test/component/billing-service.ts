import { createService, type Settings } from '@gateway/billing';
import { startAll } from '@gateway/runtime';
import { asService, scrapeAnew, testRedis, type TestDatabase } from '@gateway/testing';

export const serviceToken = 'test-service-token-0123456789';

export interface LogLine {
  readonly level: string;
  readonly message: string;
  readonly [field: string]: unknown;
}

export interface RunningBilling {
  readonly url: string;
  readonly opsUrl: string;
  readonly queuePrefix: string;
  readonly redisUrl: string;
  /** What the service has said since it was started. */
  readonly lines: readonly LogLine[];
  hold(body: unknown, headers?: Record<string, string>): Promise<Response>;
  /** The value of a metric; the labels must all be there. */
  metric(name: string, labels?: Record<string, string>): Promise<number | undefined>;
  stop(): Promise<void>;
}

/** Nothing periodic happens by itself unless a test asks for it. */
const never = 3_600_000;

/** The real service in this process, on a free port, with what it logs kept instead of printed. */
export async function startBilling(
  database: Pick<TestDatabase, 'url'>,
  overrides: Partial<Settings> = {},
): Promise<RunningBilling> {
  const redis = testRedis();
  const log = captureOutput();
  const service = createService({
    HOST: '127.0.0.1',
    PORT: 0,
    OPS_PORT: 0,
    LOG_LEVEL: 'info',
    LOG_FORMAT: 'json',
    EXCEPTIONS_BEFORE_RESTART: 10,
    DATABASE_URL: asService(database.url, 'billing'),
    REDIS_URL: redis.url,
    QUEUE_PREFIX: redis.prefix,
    SERVICE_TOKEN: serviceToken,
    DATABASE_POOL_SIZE: 5,
    DATABASE_SILENCE_MS: 9_000,
    REDIS_SILENCE_MS: 8_000,
    DATABASE_LOCK_MS: 2_500,
    WAITING_PER_ACCOUNT: 2_000,
    WAITING_IN_ALL: 20_000,
    WAITING_MS: 10_000,
    ORPHAN_GRACE_SECONDS: 60,
    USAGE_LEASE_SECONDS: 30,
    SWEEP_MS: never,
    VERIFY_MS: never,
    VERIFY_STATEMENT_MS: 5_000,
    DATA_SWEEP_MS: 600_000,
    CLOCK_MAX_OFFSET_MS: 2_000,
    WATCHDOG_STALLED_MS: 120_000,
    ...overrides,
  });
  const stop = await startAll(service.parts);
  const url = service.url();
  return {
    url,
    opsUrl: service.opsUrl(),
    queuePrefix: redis.prefix,
    redisUrl: redis.url,
    lines: log.lines,
    hold: (body, headers) =>
      fetch(`${url}/internal/holds`, {
        method: 'POST',
        body: typeof body === 'string' ? body : JSON.stringify(body),
        headers: {
          'content-type': 'application/json',
          authorization: `Bearer ${serviceToken}`,
          ...headers,
        },
      }),
    metric: async (name, labels = {}) => {
      const text = await scrapeAnew(service.opsUrl());
      const line = text
        .split('\n')
        .find(
          (each) =>
            new RegExp(`^${name}[{ ]`).test(each) &&
            Object.entries(labels).every(([label, value]) => each.includes(`${label}="${value}"`)),
        );
      return line === undefined ? undefined : Number(line.split(' ').at(-1));
    },
    async stop() {
      await stop();
      log.release();
    },
  };
}

/**
 * The logger writes to the standard output of its console, and access lines go to that of the
 * process, several at once; takes what comes to either, line by line. Once released it lets everything
 * pass, in whatever order several are; the runner puts the outputs back after the file.
 */
function captureOutput(): { readonly lines: LogLine[]; release(): void } {
  const lines: LogLine[] = [];
  let isReleased = false;
  const { _stdout: ofConsole } = console as unknown as { readonly _stdout: typeof process.stdout };
  for (const output of new Set([ofConsole, process.stdout])) {
    const pass = output.write.bind(output);
    output.write = (text: string | Uint8Array) => {
      if (isReleased) return pass(text);
      for (const line of String(text).trimEnd().split('\n')) {
        lines.push(JSON.parse(line) as LogLine);
      }
      return true;
    };
  }
  return {
    lines,
    release: () => {
      isReleased = true;
    },
  };
}
