import {
  heldBillingSchema,
  mediaKinds,
  metadataSchema,
  optionSchemas,
  shapes,
  videoResourceSchema,
  videoStatusSchema,
  type Schema,
} from '@gateway/contracts';
import type {
  attemptResource,
  callbackResource,
  endpointCallbackResource,
  redeliveredResource,
  secretResource,
} from './callback-resource.ts';
import type { assetResource } from './routes/assets.ts';
import type { entryResource, usageResource } from './routes/billing.ts';
import type { eventResource, quoteResource } from './video-resources.ts';
import {
  callbackOutcomeSchema,
  callbackStopReasonSchema,
  ledgerKindSchema,
} from './word-schemas.ts';

const {
  constant,
  count,
  described,
  flag,
  moment,
  named,
  number,
  oneOf,
  orNull,
  schemaOf,
  text,
  whole,
} = shapes;

/** A component of the document. */
export const ref = (name: string): Schema => ({ $ref: `#/components/schemas/${name}` });

interface List {
  object: 'list';
  data: unknown[];
  first_id: string | null;
  last_id: string | null;
  has_more: boolean;
}

/** A page as every list of the gateway shows it. */
export const pageOf = (items: Schema): Schema =>
  schemaOf<List>({
    object: constant('list'),
    data: shapes.listOf(items),
    first_id: described(
      orNull(text),
      'Id of the first item: pass it as `before` for the previous page.',
    ),
    last_id: described(orNull(text), 'Id of the last item: pass it as `after` for the next page.'),
    has_more: flag,
  });

export const deleted = (object: string): Schema =>
  schemaOf<{ id: string; object: string; deleted: true }>({
    id: text,
    object: constant(object),
    deleted: constant(true),
  });

const quote = schemaOf<ReturnType<typeof quoteResource>>(
  {
    object: constant('video.quote'),
    model: text,
    duration: whole,
    ratio: text,
    aspect_ratio: text,
    resolution: text,
    seed: orNull(whole),
    watermark: flag,
    generate_audio: flag,
    return_last_frame: flag,
    ...optionSchemas,
    metadata: metadataSchema,
    portal_billing: heldBillingSchema,
    balance: described(whole, 'Quota available to the account.'),
    affordable: flag,
  },
  { optional: ['service_tier', 'draft', 'priority', 'task'] },
);

/** Of an event, wherever it is shown. */
export const eventFields: Record<keyof ReturnType<typeof eventResource>, Schema> = {
  object: constant('video.event'),
  sequence: { type: 'integer', minimum: 1 },
  status: videoStatusSchema,
  created_at: moment,
};

const asset = schemaOf<ReturnType<typeof assetResource> & { duration_seconds: number }>(
  {
    id: text,
    object: constant('asset'),
    kind: named('MediaKind', oneOf(mediaKinds)),
    content_type: text,
    size_bytes: count,
    sha256: text,
    width: orNull(whole),
    height: orNull(whole),
    duration_seconds: described(number, 'Only for video and audio.'),
    name: orNull(text),
    created_at: moment,
  },
  { optional: ['duration_seconds'] },
);

const callbackFields: Record<keyof ReturnType<typeof callbackResource>, Schema> = {
  state: named(
    'CallbackPushing',
    oneOf(['pending_verification', 'verified', 'unverified', 'stopped']),
  ),
  reason: orNull(callbackStopReasonSchema),
  failures: described(count, 'Failed attempts in a row.'),
  pending: described(count, 'Pushes not delivered yet.'),
  delivered_sequence: orNull(whole),
  last_attempt_at: orNull(moment),
  last_outcome: orNull(callbackOutcomeSchema),
  last_status: orNull(whole),
  next_attempt_at: orNull(moment),
};
const callback = schemaOf<ReturnType<typeof callbackResource>>(callbackFields);

const endpointCallback = schemaOf<ReturnType<typeof endpointCallbackResource>>({
  endpoint_id: described(text, 'Id of the endpoint.'),
  url: described(orNull(text), 'Null when the endpoint was deleted.'),
  ...callbackFields,
});
const endpointCallbacks: Schema = described(
  shapes.listOf(ref('EndpointCallback')),
  'The same of the endpoints of the account that statuses of the task were for.',
);

const attemptFields: Record<keyof ReturnType<typeof attemptResource>, Schema> = {
  id: text,
  object: constant('callback_attempt'),
  endpoint_id: described(
    orNull(text),
    'Id of the endpoint it went to; null: to the `callback_url` of the task.',
  ),
  event: oneOf(['callback.challenge', 'video.status_changed']),
  sequence: orNull(whole),
  status: orNull(videoStatusSchema),
  message_id: described(text, 'The `webhook-id` it was sent with.'),
  attempt: { type: 'integer', minimum: 1 },
  trigger: oneOf(['auto', 'manual']),
  started_at: moment,
  duration_ms: count,
  outcome: callbackOutcomeSchema,
  http_status: orNull(whole),
  detail: orNull(text),
  answer: described(orNull(text), 'The beginning of the receiver’s response.'),
  next_attempt_at: orNull(moment),
};

const withCallback = (page: Schema): Schema => ({
  ...page,
  required: [...(page['required'] as string[]), 'callback', 'endpoints'],
  properties: {
    ...(page['properties'] as object),
    callback: {
      ...orNull(ref('Callback')),
      description: 'Null when the task has no `callback_url`.',
    },
    endpoints: endpointCallbacks,
  },
});

const secret = schemaOf<ReturnType<typeof secretResource>>({
  object: constant('callback_secret'),
  secret: described(
    orNull(text),
    'Signs every push; null until the first rotation if the account was created without one.',
  ),
  created_at: orNull(moment),
  previous: described(
    shapes.listOf(
      schemaOf<ReturnType<typeof secretResource>['previous'][number]>({
        created_at: moment,
        expires_at: orNull(moment),
      }),
    ),
    'Previous secrets that still sign.',
  ),
});

const entry = schemaOf<ReturnType<typeof entryResource>>({
  id: text,
  kind: ledgerKindSchema,
  task_id: described(orNull(text), 'The task that it is about.'),
  quota: described(whole, 'The amount moved; negative only for an adjustment.'),
  balance_after: whole,
  held_after: count,
  created_at: moment,
});

const usage = schemaOf<ReturnType<typeof usageResource> & { hour: string }>(
  {
    object: constant('usage'),
    day: { type: 'string', format: 'date' },
    hour: described(moment, 'When the hour begins; only with `by=hour`.'),
    model: text,
    key_id: text,
    kind: oneOf(['text', 'video']),
    requests: count,
    input_tokens: count,
    cached_input_tokens: count,
    cache_write_tokens: count,
    cache_write_1h_tokens: described(count, 'Of `cache_write_tokens`, those written for an hour.'),
    output_tokens: count,
    server_tool_uses: described(count, 'Uses of tools that vendors run.'),
    estimated_requests: count,
    aborted_requests: count,
    seconds: count,
    quota: described(number, 'Includes the fractions of a unit that text costs.'),
  },
  { optional: ['hour'] },
);

/** The responses to customers, beside text: components of the document. */
export const resourceSchemas: Readonly<Record<string, Schema>> = {
  Video: videoResourceSchema,
  VideoList: pageOf(ref('Video')),
  VideoDeleted: deleted('video.deleted'),
  VideoQuote: quote,
  VideoEvent: schemaOf(eventFields),
  VideoEventList: schemaOf<{ object: 'list'; data: unknown[]; has_more: false }>({
    object: constant('list'),
    data: shapes.listOf(ref('VideoEvent')),
    has_more: constant(false),
  }),
  Asset: asset,
  AssetList: pageOf(ref('Asset')),
  AssetDeleted: deleted('asset.deleted'),
  Callback: callback,
  CallbackAttempt: schemaOf(attemptFields),
  CallbackAttemptList: withCallback(pageOf(ref('CallbackAttempt'))),
  AdminCallbackAttemptList: withCallback(
    pageOf(
      schemaOf({
        ...attemptFields,
        remote_address: described(orNull(text), 'The address that was reached.'),
      }),
    ),
  ),
  EndpointCallback: endpointCallback,
  VideoRedelivery: schemaOf<Awaited<ReturnType<typeof redeliveredResource>>>({
    id: text,
    object: constant('video.redelivery'),
    callback: ref('Callback'),
    endpoints: endpointCallbacks,
  }),
  CallbackSecret: secret,
  Balance: schemaOf<{
    object: string;
    balance_quota: number;
    held_quota: number;
    available_quota: number;
    debt_quota: number;
  }>({
    object: constant('balance'),
    balance_quota: whole,
    held_quota: count,
    available_quota: whole,
    debt_quota: count,
  }),
  LedgerEntry: entry,
  LedgerEntryList: pageOf(ref('LedgerEntry')),
  UsageDay: usage,
  UsageList: schemaOf<{ object: 'list'; data: unknown[]; from: string; to: string }>({
    object: constant('list'),
    data: shapes.listOf(ref('UsageDay')),
    from: { type: 'string', format: 'date' },
    to: { type: 'string', format: 'date' },
  }),
};
