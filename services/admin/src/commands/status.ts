import { statusReport } from '@gateway/contracts';
import type { Command } from '../command.ts';

type Report = ReturnType<typeof statusReport>;

export const status: Command = {
  help: 'Show how providers, queues and replicas are doing now',
  example: 'status',
  options: {},
  async run(_values, { status: reads, configuredProviders }) {
    const facts = await reads.read();
    const report = statusReport({ ...facts, answeredBy: undefined }, configuredProviders());
    return { ok: true, lines: linesOf(report), data: report };
  },
};

const linesOf = ({ database, providers, text_routes: routes, work, replicas }: Report) => [
  ...providers.flatMap(providerLines),
  ...routes
    .filter(({ breaker }) => breaker !== 'closed')
    .map(({ route, breaker }) => `route ${route}  breaker ${breaker}`),
  ...work.map(
    ({ work: name, due, oldest_seconds: seconds }) =>
      `work ${name}  ${due} due${due === 0 ? '' : `, the oldest for ${seconds.toFixed(1)} s`}`,
  ),
  ...replicas.flatMap(replicaLines),
  ...(replicas.length === 0 ? ['no service says that it is running'] : []),
  `database PostgreSQL ${database.version}, migration ${database.migration ?? 'none'}`,
];

const providerLines = ({
  provider,
  configured,
  slots,
  queue,
  breaker,
  requests_per_second: rate,
  failures,
}: Report['providers'][number]): string[] => [
  [
    `provider ${provider}${configured ? '' : ' (not configured)'}`,
    `${slots.taken} of ${slots.allowed ?? '?'} slots`,
    `${queue.waiting} waiting${queue.waiting === 0 ? '' : `, the first for ${queue.oldest_seconds.toFixed(1)} s`}`,
    `breaker ${breaker ?? 'not known'}`,
    `${rate.used ?? '?'} of ${rate.allowed ?? '?'} requests/s`,
  ].join('  '),
  ...failures.map(
    ({ outcome, count, last_at: at, detail }) =>
      `  ${count} ${outcome} in the last hour, last ${at}${detail === null ? '' : `  ${detail}`}`,
  ),
];

const replicaLines = ({
  service,
  id,
  version,
  started_at: startedAt,
  configuration,
}: Report['replicas'][number]): string[] => [
  `replica ${service} ${id}  version ${version}, since ${startedAt}${
    configuration === null
      ? ''
      : `  configuration ${configuration.hash} (${configuration.generation}) since ${configuration.since}`
  }`,
  ...(configuration?.refused == null
    ? []
    : [
        `  refused ${configuration.refused.hash} at ${configuration.refused.at}`,
        ...configuration.refused.problems.map((problem) => `    ${problem}`),
      ]),
];
