import type { TokenPrice } from '@gateway/domain';
import { positive } from './configuration-parts.ts';
import { pricedNamePattern } from './text-priced-parts.ts';

const price = {
  type: 'number',
  minimum: 0,
  maximum: 1_000_000_000,
  'x-must-be': 'a number of quota units from 0 to 1000000000',
} as const;

const byName = (value: object) =>
  ({
    type: 'object',
    maxProperties: 32,
    propertyNames: { pattern: pricedNamePattern },
    additionalProperties: value,
  }) as const;

/** What text costs: `token_quota` of a model. */
export const tokenQuotaSchema = {
  type: 'object',
  additionalProperties: false,
  required: ['input', 'output', 'per'],
  properties: {
    input: price,
    output: price,
    cached_input: price,
    cache_write: price,
    cache_write_1h: price,
    server_tools: byName(price),
    service_tier: byName({
      type: 'number',
      minimum: 0,
      maximum: 1_000,
      'x-must-be': 'a factor from 0 to 1000',
    }),
    per: { ...positive, maximum: 1_000_000_000 },
  },
} as const;

/** The file's own spelling, after validation. */
export interface RawTokenQuota {
  input: number;
  output: number;
  cached_input?: number;
  cache_write?: number;
  cache_write_1h?: number;
  server_tools?: Record<string, number>;
  service_tier?: Record<string, number>;
  per: number;
}

/** A cache costs what input costs unless the operator says otherwise. */
export const toTokenPrice = ({
  input,
  output,
  cached_input: cachedInput = input,
  cache_write: cacheWrite = input,
  cache_write_1h: cacheWrite1h = cacheWrite,
  server_tools: serverTools,
  service_tier: serviceTiers,
  per,
}: RawTokenQuota): TokenPrice => ({
  input,
  output,
  cachedInput,
  cacheWrite,
  cacheWrite1h,
  per,
  ...(serverTools !== undefined && { serverTools }),
  ...(serviceTiers !== undefined && { serviceTiers }),
});
