import { codeOf } from './checks/tasks.ts';
import type { CallOutcome } from './customer.ts';
import type { Disturbance } from './plan.ts';
import type { ChaosResult } from './run.ts';
import { taskKinds } from './task-kinds.ts';

/** The report of a run as lines of text: what was done, what came of it, and what is wrong. */
export function reportOf(result: ChaosResult): string[] {
  const {
    options,
    evidence,
    performed,
    money,
    vendor,
    callbacks,
    text,
    violations,
    seconds,
    logFolder,
  } = result;
  const { tasks, experiences, texts } = evidence;
  const creations = experiences.flatMap(({ responses }) => responses);
  const cancels = experiences.flatMap(({ cancels: all }) => all);
  const ofKind = <Kind extends Disturbance['kind']>(
    kind: Kind,
  ): Extract<Disturbance, { kind: Kind }>[] =>
    performed.filter((one): one is Extract<Disturbance, { kind: Kind }> => one.kind === kind);
  const rows: (readonly [string, string | number])[] = [
    ['seed', options.seed],
    [
      'time',
      `${seconds.disturbed} s of disturbance, ${seconds.calm} s until all was at rest, ${seconds.whole} s in all`,
    ],
    ['tasks', `${tasks.length} of ${experiences.length} orders`],
    [
      'tasks by outcome',
      tally(
        tasks.map(({ status, failure_code: code }) =>
          status === 'failed' ? `failed ${code ?? ''}` : status,
        ),
      ),
    ],
    ['responses to creations', tally(creations.map(nameOf))],
    [
      '5xx responses to creations',
      tally(creations.filter(isServerError).map((response) => codeOf(response) ?? 'no code')),
    ],
    [
      'repeats, other bodies under a key',
      `${experiences.filter(({ order }) => order.repeatAfterMs !== undefined).length}, ${experiences.flatMap(({ reuses }) => reuses).length}`,
    ],
    ['responses to cancellations', tally(cancels.map(nameOf))],
    [
      'text requests',
      `${texts.length}: ${tally(texts.map(({ response }) => nameOf(response)))}; ${texts.filter(({ isWhole }) => isWhole).length} whole, ${text.recorded} recorded`,
    ],
    ['kills (SIGKILL)', tally(ofKind('kill').map(({ process }) => process))],
    [
      'pauses (SIGSTOP)',
      `${tally(ofKind('pause').map(({ process }) => process))}; of up to ${longest(ofKind('pause'))} s`,
    ],
    ['rolling restarts', `${ofKind('roll').length} of 7 processes each`],
    ['ends of processes', tally(evidence.stack.ended.map(({ how }) => how))],
    ['FLUSHALL', ofKind('flush').length + ofKind('pause').filter(({ flush }) => flush).length],
    ['Redis killed', ofKind('kill redis').length],
    ['all backends terminated', ofKind('terminate backends').length],
    ['PostgreSQL stopped at once', ofKind('stop postgres').length],
    [
      'faults of the vendor',
      `${performed.filter(({ kind }) => kind === 'vendor fault').length} through its control endpoint; by prompt: ${tally(experiences.filter(({ order }) => order.kind.directive !== '').map(({ order }) => order.kind.name))}`,
    ],
    ['receiver outages', ofKind('receiver outage').length],
    [
      'silences',
      `${tally(ofKind('silence').map(({ peer }) => peer))}; of up to ${longest(ofKind('silence'))} s, ${ofKind('silence').filter(({ isReplaced }) => isReplaced).length} ended by another server`,
    ],
    ['clocks an hour off', tally(ofKind('wrong clock').map(({ process }) => process))],
    [
      'vendor',
      `${vendor.creations} creations, ${vendor.renders} renders, ${vendor.unbilledRenders} of them billed to nobody`,
    ],
    [
      'unknown submissions',
      `${experiences.filter(({ order }) => order.kind.name === 'lose-answer').length} responses lost on purpose; ${tasks.filter(({ failure_code: code }) => code === 'submission_unknown').length} tasks ended as submission_unknown`,
    ],
    [
      'exposures',
      Object.entries(money.exposures)
        .map(([kind, count]) => `${kind} ${count}`)
        .join(', '),
    ],
    [
      'pushes',
      `${callbacks.delivered} delivered in ${callbacks.attempts} attempts, challenges included; ${callbacks.givenUp} callbacks given up`,
    ],
    ['invariants checked', money.invariants],
    ['violations', violations.length],
  ];
  return [
    ...rows.map(([what, value]) => `${what.padEnd(34)} ${value}`),
    ...violations.map((violation) => `VIOLATION  ${violation}`),
    ...(logFolder === undefined ? [] : [`The logs are in ${logFolder}`]),
  ];
}

const longest = (all: readonly { readonly forMs: number }[]): number =>
  Math.round(Math.max(0, ...all.map(({ forMs }) => forMs)) / 1_000);

const nameOf = (response: CallOutcome): string =>
  response.kind === 'responded' ? String(response.status) : response.kind.replace('_', ' ');

const isServerError = (response: CallOutcome): boolean =>
  response.kind === 'responded' && response.status >= 500;

/** `name count` for each, the most frequent first. */
function tally(names: readonly string[]): string {
  const counts = new Map<string, number>();
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1);
  return (
    [...counts]
      .sort(([, one], [, other]) => other - one)
      .map(([name, count]) => `${name} ${count}`)
      .join(', ') || 'none'
  );
}

/** For `--help`: the kinds of task and what each has to come to. */
export const kindsHelp = (): string[] =>
  taskKinds.map(
    ({ name, directive, ending }) =>
      `  ${name.padEnd(14)} ${directive.padEnd(16)} ${ending.status}${ending.status === 'succeeded' ? '' : ` (${ending.code})`}`,
  );
