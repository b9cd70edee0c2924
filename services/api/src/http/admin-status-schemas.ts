import {
  breakerStates,
  shapes,
  type configurationResource,
  type failureResource,
  type providerStatus,
  type replicaResource,
  type statusReport,
} from '@gateway/contracts';
import { tryOutcomes } from '@gateway/domain';

const { constant, count, described, flag, growing, listOf, moment, number, oneOf } = shapes;
const { orNull, schemaOf, text } = shapes;

type Status = ReturnType<typeof statusReport>;
type Provider = ReturnType<typeof providerStatus>;
type Configuration = NonNullable<ReturnType<typeof configurationResource>>;

const breaker = oneOf(breakerStates);

const provider = schemaOf<Provider>({
  object: constant('provider'),
  provider: text,
  kind: orNull(text),
  configured: described(
    flag,
    'False: not in the configuration of the replica that answers; tasks are still at it.',
  ),
  slots: schemaOf<Provider['slots']>({
    taken: described(count, 'Tasks that are at the vendor.'),
    allowed: orNull(count),
  }),
  queue: schemaOf<Provider['queue']>({
    waiting: described(count, 'Tasks that wait for a slot.'),
    oldest_seconds: described(number, 'How long the first of them has waited.'),
  }),
  breaker: described(
    orNull(breaker),
    'The circuit breaker before it, the worst that any video-worker sees; null: no video-worker says so.',
  ),
  requests_per_second: schemaOf<Provider['requests_per_second']>({
    used: described(
      orNull(number),
      'Calls over the last minute, all video-workers together; null: no video-worker says so.',
    ),
    allowed: orNull(number),
  }),
  failures: described(
    listOf(
      schemaOf<ReturnType<typeof failureResource>>({
        outcome: growing(tryOutcomes),
        count,
        last_at: moment,
        detail: described(orNull(text), 'What the vendor said last.'),
      }),
    ),
    'Tries of the last hour that came to nothing, by class, the newest first.',
  ),
});

const configuration = schemaOf<Configuration>({
  generation: described(count, 'Versions that it has used since it started, this one included.'),
  hash: described(text, 'Of the file: equal where the same file is in force.'),
  since: moment,
  refused: described(
    orNull(
      schemaOf<NonNullable<Configuration['refused']>>({
        hash: text,
        at: moment,
        problems: described(listOf(text), 'At most 20, each with its line where it has one.'),
      }),
    ),
    'The version that it refused last, while no later one was taken.',
  ),
});

/** Response of `GET /admin/v1/status`. */
export const statusSchema = schemaOf<Status>({
  object: constant('admin.status'),
  at: moment,
  answered_by: described(orNull(text), 'The replica that answers, one of `replicas`.'),
  database: schemaOf<Status['database']>({
    version: text,
    migration: described(orNull(text), 'The newest that was applied.'),
  }),
  providers: listOf(provider),
  text_routes: described(
    listOf(schemaOf<Status['text_routes'][number]>({ route: text, breaker })),
    'Text routes used lately, with the worst state of their circuit breaker that any api sees.',
  ),
  work: described(
    listOf(
      schemaOf<Status['work'][number]>({
        work: growing(['video', 'push', 'settlement', 'usage']),
        due: count,
        oldest_seconds: described(number, 'How long the oldest has been due; 0 when nothing is.'),
      }),
    ),
    'How far behind the services are, from the tables.',
  ),
  replicas: described(
    listOf(
      schemaOf<ReturnType<typeof replicaResource>>({
        object: constant('replica'),
        id: text,
        service: growing(['api', 'billing', 'video-worker', 'callback-dispatcher']),
        version: text,
        started_at: moment,
        seen_at: described(moment, 'Each says every ten seconds that it is there.'),
        configuration: described(
          orNull(configuration),
          'In force there; null for services that have none.',
        ),
      }),
    ),
    'Processes that were there within the last 45 seconds.',
  ),
});
