import { setPriority } from 'node:os';
import { startStack, type BenchStack } from '../stack.ts';
import { childrenOf } from '../proc.ts';
import { anyCore, pin, targetCore } from './processes.ts';
import { aliasOf, modelOf, pricings, scriptNames, type Pricing } from './scripts.ts';
import type { Dialect } from './protocol.ts';

const dialects: readonly Dialect[] = ['messages', 'chat', 'responses'];
const plenty = 1_000_000_000;

/**
 * The services that a text request needs; the sandbox vendor because the settings of all services
 * name it.
 */
const services = ['sandbox-vendor', 'billing', 'api'];

/**
 * Stores and billing would run elsewhere: on the generator's core they stand back behind it. The
 * api has a core of its own.
 */
const niceness = 10;

export interface GatewayOptions {
  readonly processes?: number;
  /** Whether it shares both cores with all the rest. Default: where it has several processes. */
  readonly sharesCores?: boolean;
  /** More settings of the api. */
  readonly env?: Readonly<Record<string, string>>;
}

/**
 * One api with all that a text request passes in production: key check, limits (out of reach),
 * metering, charging and a log line a request, into a file. One process, on its own core, unless
 * the options say otherwise.
 */
export async function startGateway(
  upstreamUrl: string,
  { processes = 1, sharesCores = processes > 1, env = {} }: GatewayOptions = {},
): Promise<{ stack: BenchStack; pid: number }> {
  setPriority(niceness);
  const stack = await startStack(() => undefined, {
    services,
    scopes: 'text',
    configuration: configurationFor(upstreamUrl),
    env: {
      api: { BENCH_VENDOR_KEY: 'sk-bench-vendor-key', API_PROCESSES: String(processes), ...env },
    },
  });
  const pid = stack.suite.pidOf('api') ?? NaN;
  for (const each of [pid, ...childrenOf(pid)]) pin(each, sharesCores ? anyCore : targetCore);
  return { stack, pid };
}

/** JSON is YAML. */
function configurationFor(upstreamUrl: string): string {
  const provider = (kind: Dialect, baseUrl: string): object => ({
    kind,
    base_url: baseUrl,
    api_key: '${BENCH_VENDOR_KEY}',
    max_concurrent: 100_000,
  });
  const entry = (dialect: Dialect, model: string, pricing: Pricing = 'priced'): object => ({
    kind: 'text',
    ...(pricing === 'priced' && { token_quota: { input: 3, output: 15, per: 1_000 } }),
    routes: [{ provider: dialect, model }],
  });
  const models = dialects.flatMap((dialect) =>
    scriptNames.map((script) => {
      const model = modelOf(dialect, script);
      return [model, entry(dialect, model)];
    }),
  );
  const aliases = pricings.map((pricing) => [
    aliasOf(pricing),
    entry('messages', modelOf('messages', 'whole'), pricing),
  ]);
  return JSON.stringify(
    {
      providers: {
        messages: provider('messages', upstreamUrl),
        chat: provider('chat', `${upstreamUrl}/v1`),
        responses: provider('responses', `${upstreamUrl}/v1`),
      },
      models: Object.fromEntries([...models, ...aliases]) as object,
      limits: { default_key: { requests_per_minute: plenty, concurrent_requests: plenty } },
    },
    undefined,
    2,
  );
}
