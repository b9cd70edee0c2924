import { name } from './configuration-parts.ts';
import { costSchema, type RawCost } from './configuration-price.ts';
import { retiresAt } from './retirement.ts';

const upstreamModel = { type: 'string', minLength: 1 } as const;

/** `routes` of a video model. */
export const routesSchema = {
  type: 'array',
  minItems: 1,
  maxItems: 16,
  items: {
    type: 'object',
    additionalProperties: false,
    required: ['provider', 'upstream_model'],
    properties: {
      provider: name,
      upstream_model: upstreamModel,
      weight: {
        type: 'number',
        exclusiveMinimum: 0,
        maximum: 1_000_000,
        default: 1,
        'x-must-be': 'a number above 0',
      },
      fallback: { type: 'boolean', default: false },
      cost: costSchema,
      retires_at: retiresAt,
    },
  },
} as const;

/** The file's own spelling of a route, after validation with defaults. */
export interface RawVideoRoute {
  provider: string;
  upstream_model: string;
  weight: number;
  fallback: boolean;
  cost?: RawCost;
  retires_at?: string;
}
