import type { Usage } from '@gateway/client';

export type Measure = 'quota' | 'requests' | 'seconds' | 'output_tokens';

/** What a chart draws: for each moment one value of each model. */
export interface Series {
  /** In seconds since 1970, ascending. */
  readonly moments: readonly number[];
  readonly models: readonly {
    readonly name: string;
    readonly values: readonly number[];
  }[];
}

type Row = Usage['data'][number];

const momentOf = ({ day, hour }: Row): number => Date.parse(hour ?? `${day}T00:00:00Z`) / 1_000;

const stepOf = { hour: 3_600, day: 86_400 } as const;

/** Every hour or day of the report, those without a row too. */
function momentsOf({ from, to, data }: Usage, by: keyof typeof stepOf): readonly number[] {
  const step = stepOf[by];
  const rows = data.map(momentOf);
  const first = Math.floor(Math.min(Date.parse(from) / 1_000, ...rows) / step) * step;
  const last = Math.max(Date.parse(to) / 1_000, ...rows);
  return Array.from(
    { length: Math.floor((last - first) / step) + 1 },
    (_none, index) => first + index * step,
  );
}

/** Rows of all keys as one line a model; a moment without a row is zero. */
export function seriesOf(usage: Usage, measure: Measure, by: 'day' | 'hour'): Series {
  const moments = momentsOf(usage, by);
  const names = [...new Set(usage.data.map(({ model }) => model))].toSorted();
  return {
    moments,
    models: names.map((name) => {
      const at = new Map<number, number>();
      for (const row of usage.data.filter(({ model }) => model === name)) {
        const moment = momentOf(row);
        at.set(moment, (at.get(moment) ?? 0) + row[measure]);
      }
      return { name, values: moments.map((moment) => at.get(moment) ?? 0) };
    }),
  };
}
