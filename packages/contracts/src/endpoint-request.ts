import { GatewayError, taskStatuses, type TaskStatus } from '@gateway/domain';
import { createAjv } from './ajv.ts';
import { videoStatusSchema } from './video-resource-schema.ts';
import { requestError, violationsOf } from './violation.ts';

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
  const read = readerOf(endpointSchema);
  const readPatch = readerOf(endpointPatchSchema);
  return {
    endpoint(body) {
      const asked = read(body) as Partial<EndpointBody> & Pick<EndpointBody, 'url'>;
      const { url, events: statuses = [], description: words = null } = asked;
      return { url, events: statuses, description: words };
    },
    patch: (body) => readPatch(body) as EndpointPatch,
  };
}

function readerOf(schema: object): (body: unknown) => unknown {
  const validate = createAjv().compile(schema);
  return (body) => {
    if (body === undefined) {
      throw new GatewayError('invalid_json', 'the body must be a JSON object');
    }
    const [first, ...rest] = violationsOf(validate, body);
    if (first !== undefined) throw requestError([first, ...rest]);
    return body;
  };
}
