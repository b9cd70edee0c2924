import { profiling } from './profile.ts';

/** Whose code a module is, as far as a text request meets it; the first that fits. */
const parts: readonly (readonly [part: string, modules: RegExp])[] = [
  [
    'node:http towards the client',
    /^node:_http|^node:internal\/http|hot-path\/write-whole|runtime\/dist\/http\//,
  ],
  ['undici towards the upstream', /node_modules\/undici\//],
  [
    'key, rate and slot',
    /packages\/limits\/|adapters\/key-|use-cases\/authenticate|arrive\/admit|text\/turns\/|node_modules\/ioredis/,
  ],
  [
    'body: received, judged and checked',
    /api\/dist\/bodies\/|packages\/contracts\/|node_modules\/ajv/,
  ],
  ['quota', /adapters\/text-leases\/|lease-calls|arrive\/reservation-nano/],
  [
    'usage: recorded and charged',
    /text\/record\/(?!metrics|record-request)|adapters\/(text-metering|usage-|saved-usage|open-usage|late-usage)|packages\/(store|pricing)\/|node_modules\/pg/,
  ],
  ['metrics', /runtime\/dist\/metrics\/|metrics\.js$|node_modules\/prom-client/],
  ['access line', /runtime\/dist\/logging\/|record\/record-request|node_modules\/winston/],
  ['route and call', /text\/(route|upstream)\//],
  ['response to the client', /text\/client\/|packages\/text-dialects\//],
  ['the rest of the gateway', /^(services|packages|dist)\/|\/(services|packages|bench)\//],
];

const ownModule = /\/profiler\.js$/;

/** Undefined for Node's own modules, which work for whoever called them. */
export const partOfRequest = (module: string): string | undefined =>
  ownModule.test(module) ? profiling : parts.find(([, modules]) => modules.test(module))?.[0];

export const partNamesOfRequest: readonly string[] = parts.map(([part]) => part);
