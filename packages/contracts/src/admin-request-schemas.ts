const mostQuota = 999_999_999_999_999;
export const defaultOverlapSeconds = 86_400;
const longestOverlapSeconds = 604_800;

/** Text that people read: on one line, with something on it. */
const line = (maxLength: number) =>
  ({
    type: 'string',
    minLength: 1,
    maxLength,
    pattern: '^[^\\u0000-\\u001f\\u007f]*[^\\u0000-\\u0020\\u007f][^\\u0000-\\u001f\\u007f]*$',
    'x-must-be': `a text of 1 to ${maxLength} characters on one line`,
  }) as const;
const quota = (minimum: number) =>
  ({
    type: 'integer',
    minimum,
    maximum: mostQuota,
    'x-must-be': `a whole number of quota units between ${minimum} and ${mostQuota}`,
  }) as const;

const accountSchema = {
  type: 'object',
  additionalProperties: false,
  required: ['name'],
  properties: { name: line(200), quota: quota(0) },
} as const;
const accountPatchSchema = {
  type: 'object',
  additionalProperties: false,
  properties: {
    name: line(200),
    suspended: { type: 'boolean', 'x-must-be': 'true or false' },
    active_videos_limit: {
      type: ['integer', 'null'],
      minimum: 1,
      maximum: 1_000_000,
      'x-must-be': 'an integer between 1 and 1000000; or null for the default',
    },
  },
} as const;
const topUpSchema = {
  type: 'object',
  additionalProperties: false,
  required: ['quota'],
  properties: { quota: quota(1), note: line(500) },
} as const;
const adjustmentSchema = {
  type: 'object',
  additionalProperties: false,
  required: ['quota', 'note'],
  properties: {
    quota: {
      type: 'integer',
      minimum: -mostQuota,
      maximum: mostQuota,
      not: { type: 'integer', const: 0 },
      'x-must-be': `a whole number of quota units between ${-mostQuota} and ${mostQuota}, and not 0`,
    },
    note: line(500),
    task_id: {
      type: ['string', 'null'],
      pattern: '^video_[0-9a-z]{26}$',
      'x-must-be': 'the id of a task, such as video_01h455vb4pex5vsknk084sn02q',
    },
    dry_run: { type: 'boolean', 'x-must-be': 'true or false' },
  },
} as const;
const routeSchema = {
  type: 'object',
  additionalProperties: false,
  required: ['provider', 'upstream_model'],
  properties: { provider: line(200), upstream_model: line(200) },
} as const;
export const rotationSchema = {
  type: 'object',
  additionalProperties: false,
  'x-must-be': `a JSON object, such as {"overlap_seconds": ${defaultOverlapSeconds}}, or left out`,
  properties: {
    overlap_seconds: {
      type: 'integer',
      minimum: 0,
      maximum: longestOverlapSeconds,
      'x-must-be': `an integer between 0 and ${longestOverlapSeconds}`,
    },
  },
} as const;

/** Scopes are the store's to say. */
const keySchema = (scopes: readonly string[]) =>
  ({
    type: 'object',
    additionalProperties: false,
    required: ['name'],
    properties: {
      name: line(200),
      scopes: {
        type: 'array',
        minItems: 1,
        maxItems: scopes.length,
        uniqueItems: true,
        items: { type: 'string', enum: scopes, 'x-name': 'KeyScope' },
        'x-must-be': `a list of different scopes from ${scopes.join(', ')}, with at least one`,
      },
      models: {
        type: ['array', 'null'],
        minItems: 1,
        maxItems: 200,
        uniqueItems: true,
        items: line(200),
        'x-must-be':
          'a list of different names of models, with at least one; or null for every model',
      },
      expires_at: {
        type: ['string', 'null'],
        pattern:
          '^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d(:\\d\\d(\\.\\d{1,3})?)?(Z|[+-]\\d\\d:\\d\\d)$',
        'x-must-be':
          'an ISO 8601 time with its zone, such as 2027-01-31T12:00:00Z; or null for never',
      },
      requests_per_minute: {
        type: ['integer', 'null'],
        minimum: 1,
        maximum: 1_000_000,
        'x-must-be': 'an integer between 1 and 1000000; or null for the default',
      },
    },
  }) as const;

/** What of a key can be changed; what is left out stays. */
const keyPatchSchema = (scopes: readonly string[]) => {
  const { expires_at: _fixed, ...properties } = keySchema(scopes).properties;
  return {
    type: 'object',
    additionalProperties: false,
    properties,
  } as const;
};

/** The schemas that check the bodies of `/admin/v1`, for the API reference. */
export const adminRequestSchemas = (scopes: readonly string[]) =>
  ({
    account: accountSchema,
    accountPatch: accountPatchSchema,
    key: keySchema(scopes),
    keyPatch: keyPatchSchema(scopes),
    topUp: topUpSchema,
    adjustment: adjustmentSchema,
    route: routeSchema,
    rotation: rotationSchema,
  }) as const;
