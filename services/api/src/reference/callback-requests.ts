import { shapes, type Schema } from '@gateway/contracts';
import { ref } from '../http/resource-schemas.ts';

const { constant, described, schemaOf, text } = shapes;

type Json = Readonly<Record<string, unknown>>;

export const callbackRequestSchemas: Readonly<Record<string, Schema>> = {
  CallbackTestEvent: schemaOf<{ type: string; id: string; created_at: string }>(
    {
      type: constant('callback.test'),
      id: described(text, 'Id of the test.'),
      created_at: shapes.moment,
    },
    { description: 'What `POST /v1/callbacks/test` sends after the challenge.' },
  ),
  CallbackChallenge: schemaOf<{ type: string; challenge: string }>(
    {
      type: constant('url_verification'),
      challenge: described(text, 'Send exactly this value back.'),
    },
    { description: 'Asks an address for its consent, before the first push of each task.' },
  ),
  CallbackConsent: schemaOf<{ challenge: string }>(
    { challenge: described(text, 'The value of the challenge.') },
    { description: 'The consent to be pushed to.' },
  ),
};

const headerOf = (name: string, description: string, schema: Schema = text): Json => ({
  name,
  in: 'header',
  required: true,
  description,
  schema,
});
const positive: Schema = { type: 'integer', minimum: 1 };

const headersFor = (event: string): readonly Json[] => [
  headerOf('webhook-id', 'Identifies the message; the same on every retry.'),
  headerOf('webhook-timestamp', 'Unix time of this attempt, in seconds.', { type: 'integer' }),
  {
    ...headerOf(
      'webhook-signature',
      '`v1,<base64>`: HMAC-SHA256 of `<webhook-id>.<webhook-timestamp>.<body>` with the callback secret, as Standard Webhooks has it. Several, separated by spaces, while a secret is being rotated; absent while the account has none.',
    ),
    required: false,
  },
  headerOf('x-gateway-event', 'What the message is.', constant(event)),
  headerOf('x-gateway-attempt', '1 for the first attempt.', positive),
  headerOf('x-gateway-task', 'Id of the task; of a test, its own.'),
  {
    ...headerOf(
      'x-gateway-endpoint',
      'Id of the endpoint; absent at the `callback_url` of a task.',
    ),
    required: false,
  },
];

interface CallbackRequest {
  readonly id: string;
  readonly event: string;
  readonly summary: string;
  readonly description: string;
  readonly body: Schema;
  readonly headers?: readonly Json[];
  readonly response: Json;
}

const callbackRequest = ({
  id,
  event,
  summary,
  description,
  body,
  headers = [],
  response,
}: CallbackRequest): Json => ({
  post: {
    operationId: id,
    tags: ['Callbacks'],
    summary,
    description,
    security: [],
    parameters: [...headersFor(event), ...headers],
    requestBody: { required: true, content: { 'application/json': { schema: body } } },
    responses: {
      '2XX': response,
      default: {
        description:
          'A failure: it is sent again after about 5 s, 1 min, 5 min, 30 min and 2 h. 410 ends all pushes of the task.',
      },
    },
  },
});

/** What the gateway sends to the `callback_url` of a task, and to endpoints. */
export const callbackRequests: Json = {
  callbackChallenge: callbackRequest({
    id: 'callbackChallenge',
    event: 'callback.challenge',
    summary: 'Verify a callback address',
    description:
      'Answer within 3 seconds. A wrong answer is final: the task goes on without pushes.',
    body: ref('CallbackChallenge'),
    response: {
      description: 'The value of `challenge`: as JSON, as plain text, or as a form.',
      content: {
        'application/json': { schema: ref('CallbackConsent') },
        'text/plain': { schema: text },
        'application/x-www-form-urlencoded': { schema: ref('CallbackConsent') },
      },
    },
  }),
  callbackTest: callbackRequest({
    id: 'callbackTest',
    event: 'callback.test',
    summary: 'Receive a test event',
    description: 'Sent by `POST /v1/callbacks/test` alone, once.',
    body: ref('CallbackTestEvent'),
    response: { description: 'Any 2xx: the event has arrived.' },
  }),
  videoStatusChanged: callbackRequest({
    id: 'videoStatusChanged',
    event: 'video.status_changed',
    summary: 'Receive each status of a task',
    description:
      'The task as `GET /v1/videos/{id}` returns it for that status. Statuses of one task come in their order; a message may come twice, under the same `webhook-id`. Answer first and work later.',
    body: ref('Video'),
    headers: [headerOf('x-gateway-sequence', 'Grows with each status of a task.', positive)],
    response: { description: 'Any 2xx: the message has arrived.' },
  }),
};
