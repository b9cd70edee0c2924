import { taskStatuses, type TaskStatus } from '@gateway/domain';
import { createBodyReader } from './body-reader.ts';
import { videoStatusSchema } from './video-resource-schema.ts';

const longestUrl = 2_048;
const longestDescription = 200;

const events = {
  type: 'array',
  minItems: 1,
  uniqueItems: true,
  items: videoStatusSchema,
  'x-must-be': `a list of ${taskStatuses.join(', ')}, each once`,
} as const;
const description = {
  type: ['string', 'null'],
  maxLength: longestDescription,
  pattern: '^[^\\u0000-\\u001f\\u007f]*$',
  'x-must-be': `a text of up to ${longestDescription} characters on one line`,
} as const;

/** Body of a request for an endpoint of the account. */
export const endpointSchema = {
  type: 'object',
  additionalProperties: false,
  required: ['url'],
  properties: {
    url: {
      type: 'string',
      minLength: 1,
      maxLength: longestUrl,
      'x-must-be': `an address of at most ${longestUrl} characters`,
    },
    events,
    description,
  },
} as const;

/** Body of a change of one. */
export const endpointPatchSchema = {
  type: 'object',
  additionalProperties: false,
  properties: {
    events,
    description,
    enabled: { type: 'boolean', 'x-must-be': 'true or false' },
  },
} as const;

export interface EndpointBody {
  readonly url: string;
  /** Empty: all of them. */
  readonly events: readonly TaskStatus[];
  readonly description: string | null;
}

/** What is undefined stays. */
export interface EndpointPatch {
  readonly events?: readonly TaskStatus[];
  readonly description?: string | null;
  readonly enabled?: boolean;
}

export interface EndpointReader {
  endpoint(body: unknown): EndpointBody;
  patch(body: unknown): EndpointPatch;
}

/** Reads both bodies. Throws one failure that names every violation. */
export function createEndpointReader(): EndpointReader {
  const read = createBodyReader(endpointSchema);
  const readPatch = createBodyReader(endpointPatchSchema);
  return {
    endpoint(body) {
      const asked = read(body) as Partial<EndpointBody> & Pick<EndpointBody, 'url'>;
      const { url, events: statuses = [], description: words = null } = asked;
      return { url, events: statuses, description: words };
    },
    patch: (body) => readPatch(body) as EndpointPatch,
  };
}
