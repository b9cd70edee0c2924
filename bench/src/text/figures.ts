import type { TargetName } from './bench.ts';
import type { ClosedResult, Result } from './protocol.ts';
import type { ComparedRow } from '../report.ts';
import { medianOf, pairedMedian, type Combine } from './statistics.ts';

/** The results of each target, round by round. */
export type Results<T> = Partial<Record<TargetName, T[]>>;

export interface Figure<T> {
  readonly measure: string;
  readonly unit: string;
  readonly read: (result: T) => number;
  readonly compare?: {
    readonly combine: Combine;
    /** Default: the bare proxy. */
    readonly with?: TargetName;
    readonly of: string;
    readonly atLeast?: number;
    readonly atMost?: number;
  };
}

/** One row: the median of each target's rounds, and how the gateway compares, round by round. */
export function rowOf<T>(results: Results<T>, { read, compare, ...named }: Figure<T>): ComparedRow {
  const series = (name: TargetName): number[] | undefined => results[name]?.map(read);
  const median = (name: TargetName): number | undefined =>
    results[name] === undefined ? undefined : medianOf(series(name) ?? []);
  const row = {
    ...named,
    direct: median('direct'),
    bare: median('bare'),
    gateway: median('gateway'),
  };
  if (compare === undefined) return row;
  const { combine, with: other = 'bare', ...bound } = compare;
  return {
    ...row,
    compared: { ...bound, value: pairedMedian(series('gateway'), series(other), combine) },
  };
}

/** For figures of the target's process: a direct run has none. */
export const ofProcess = <T>({ bare, gateway }: Results<T>): Results<T> => ({
  ...(bare && { bare }),
  ...(gateway && { gateway }),
});

export const perSecond = ({ completed, seconds }: ClosedResult): number => completed / seconds;

/** What the target would reach if nothing else held it up: work done for each second of its CPU. */
export const perCpuSecond = (result: ClosedResult): number =>
  perSecond(result) / result.busy.target;

/** The target's CPU, user and system, for each chunk that left the upstream, in microseconds. */
export const cpuPerChunk =
  (chunks: (result: Result) => number) =>
  (result: Result): number =>
    (result.busy.target * result.seconds * 1e6) / chunks(result);

/** The target's CPU, user and system, for each response, in microseconds. */
export const cpuPerResponse = (result: ClosedResult): number => 1e6 / perCpuSecond(result);
