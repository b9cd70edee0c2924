import { GatewayError } from '@gateway/domain';

/** The days that somebody asks for, as text; all of it may be left out. */
export interface DayQuery {
  readonly from?: string | undefined;
  readonly to?: string | undefined;
}

export interface DayPeriod {
  readonly from: string;
  readonly to: string;
}

/** How many days a period has when nobody says, and at most; and how long ago it may begin. */
export interface PeriodBounds {
  readonly usualDays: number;
  readonly mostDays: number;
  readonly daysBack?: number;
}

const dayMs = 86_400_000;
const usualBounds: PeriodBounds = { usualDays: 30, mostDays: 92 };

/**
 * First and last day, both included, in UTC; the last thirty days unless asked otherwise. Throws
 * invalid_parameter.
 */
export function readDayPeriod(
  { from, to }: DayQuery,
  now: Date,
  { usualDays, mostDays, daysBack = Infinity }: PeriodBounds = usualBounds,
): DayPeriod {
  const last = to === undefined ? startOfDay(now.getTime()) : readDay('to', to);
  const first = from === undefined ? last - (usualDays - 1) * dayMs : readDay('from', from);
  if (first > last) {
    throw new GatewayError(
      'invalid_parameter',
      `from must not be after to; got ${dayOf(first)} and ${dayOf(last)}`,
      { param: 'from' },
    );
  }
  if ((last - first) / dayMs >= mostDays) {
    throw new GatewayError(
      'invalid_parameter',
      `from and to may span at most ${mostDays} days; got ${(last - first) / dayMs + 1}`,
      { param: 'from' },
    );
  }
  if (first < startOfDay(now.getTime()) - daysBack * dayMs) {
    throw new GatewayError(
      'invalid_parameter',
      `from must be one of the last ${daysBack} days; got ${dayOf(first)}`,
      { param: 'from' },
    );
  }
  return { from: dayOf(first), to: dayOf(last) };
}

function readDay(param: string, text: string): number {
  const at = /^[1-9]\d{3}-\d\d-\d\d$/.test(text) ? Date.parse(`${text}T00:00:00Z`) : NaN;
  // Databases know no year 0. A day that a month does not have is refused rather than moved into the next.
  if (Number.isNaN(at) || dayOf(at) !== text) {
    throw new GatewayError(
      'invalid_parameter',
      `${param} must be a day such as 2026-11-21; got ${JSON.stringify(text.slice(0, 80))}`,
      { param },
    );
  }
  return at;
}

const startOfDay = (at: number): number => at - (at % dayMs);
const dayOf = (at: number): string => new Date(at).toISOString().slice(0, 10);
