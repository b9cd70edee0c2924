import { marginReport, readDayPeriod } from '@gateway/contracts';
import { GatewayError } from '@gateway/domain';
import { UsageError, type Command } from '../command.ts';

type Report = ReturnType<typeof marginReport>;
type Figures = Report['total'];

export const margin: Command = {
  help: 'Show what videos brought in and what vendors asked for them, by day, model and provider',
  example: 'margin --from 2026-11-01 --to 2026-11-30',
  options: {
    from: { required: false, help: 'first day, in UTC (default: 30 days before the last)' },
    to: { required: false, help: 'last day, in UTC (default: today)' },
  },
  async run({ from, to }, { margins, quotaPerCurrency, now }) {
    const period = periodOf({ from, to }, now());
    const report = marginReport(await margins.ofPeriod(period), {
      ...period,
      rates: quotaPerCurrency(),
    });
    return { ok: true, lines: linesOf(report), data: report };
  },
};

function periodOf(
  days: { readonly from: string | undefined; readonly to: string | undefined },
  now: Date,
): ReturnType<typeof readDayPeriod> {
  try {
    return readDayPeriod(days, now);
  } catch (error) {
    if (GatewayError.is(error)) throw new UsageError(`--${error.message}`);
    throw error;
  }
}

const linesOf = ({ data, total, exposures, has_more_exposures: hasMore, from, to }: Report) => [
  ...data.map((row) => `${row.day}  ${row.model}  ${row.provider}  ${sumsOf(row)}`),
  `${from} to ${to}: ${sumsOf(total)}`,
  ...exposures.map(
    (one) =>
      `exposure ${one.created_at}  ${one.kind}  ${one.task_id}  ${one.provider}  ${
        one.vendor_cost === null ? 'cost not known' : `${one.vendor_cost} ${one.vendor_currency}`
      }  ${one.detail}`,
  ),
  ...(hasMore ? ['there is more exposure: ask for fewer days'] : []),
];

function sumsOf({
  videos,
  videos_without_cost: without,
  revenue_quota: revenue,
  costs,
  margin_quota: left,
}: Figures): string {
  const money = costs.flatMap(({ currency, cost, exposure }) => [
    `cost ${cost} ${currency}`,
    ...(exposure === '0' ? [] : [`exposure ${exposure} ${currency}`]),
  ]);
  return [
    `${videos} videos`,
    ...(without === 0 ? [] : [`${without} without a known cost`]),
    `revenue ${revenue}`,
    ...money,
    `margin ${left ?? 'not known'}`,
  ].join(', ');
}
