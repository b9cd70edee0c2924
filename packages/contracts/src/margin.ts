import { costPlaces, costText, scaledCost, toDecimal } from '@gateway/domain';

/** An amount of each currency that vendors asked for, as decimals. */
export interface VendorMoney {
  readonly currency: string;
  /** Of work that came to its end with us. */
  readonly cost: string;
  /** Of work that nobody is billed for; no part of `cost`. */
  readonly exposure: string;
}

/** What came in and what went out on one day, for one model at one provider. */
export interface MarginRow {
  readonly day: string;
  readonly model: string;
  readonly provider: string;
  /** Succeeded ones. */
  readonly videos: number;
  readonly videosWithoutCost: number;
  readonly revenueQuota: number;
  readonly money: readonly VendorMoney[];
}

/** Vendor work that nobody is billed for, with what it costs where that is known. */
export interface ExposedWork {
  readonly taskId: string;
  readonly kind: string;
  readonly model: string | null;
  readonly provider: string;
  readonly vendorTaskId: string | null;
  readonly detail: string;
  readonly cost: string | null;
  readonly currency: string | null;
  readonly costSource: string | null;
  readonly createdAt: Date;
}

/** Quota that one unit of a currency is worth, by the currency. */
export type QuotaPerCurrency = ReadonlyMap<string, number>;

/** More than the decimals of a rate have, whose least is a millionth. */
const ratePlaces = 32;

/** Of what `money` costs, rounded up; undefined where a currency has no rate. */
function quotaOf(money: readonly VendorMoney[], rates: QuotaPerCurrency): bigint | undefined {
  let sum = 0n;
  for (const { currency, cost, exposure } of money) {
    const rate = rates.get(currency);
    if (rate === undefined) return undefined;
    const { digits, places } = toDecimal(rate);
    sum += (scaledCost(cost) + scaledCost(exposure)) * digits * 10n ** BigInt(ratePlaces - places);
  }
  const unit = 10n ** BigInt(costPlaces + ratePlaces);
  return (sum + unit - 1n) / unit;
}

type MarginSum = Omit<MarginRow, 'day' | 'model' | 'provider'>;

const sumsOf = (
  { videos, videosWithoutCost, revenueQuota, money }: MarginSum,
  rates: QuotaPerCurrency,
) => {
  const costQuota = quotaOf(money, rates);
  return {
    videos,
    videos_without_cost: videosWithoutCost,
    revenue_quota: revenueQuota,
    costs: money.map(({ currency, cost, exposure }) => ({
      currency,
      cost: costText(scaledCost(cost)),
      exposure: costText(scaledCost(exposure)),
    })),
    cost_quota: costQuota === undefined ? null : Number(costQuota),
    margin_quota:
      costQuota === undefined || videosWithoutCost > 0 ? null : revenueQuota - Number(costQuota),
  };
};

/** A row as operators see it; `margin_quota` is null unless every cost is known in quota. */
export const marginResource = (row: MarginRow, rates: QuotaPerCurrency) => ({
  object: 'margin',
  day: row.day,
  model: row.model,
  provider: row.provider,
  ...sumsOf(row, rates),
});

export const exposureResource = (work: ExposedWork) => ({
  object: 'exposure',
  task_id: work.taskId,
  kind: work.kind,
  model: work.model,
  provider: work.provider,
  vendor_task_id: work.vendorTaskId,
  detail: work.detail,
  vendor_cost: work.cost === null ? null : costText(scaledCost(work.cost)),
  vendor_currency: work.currency,
  cost_source: work.costSource,
  created_at: work.createdAt.toISOString(),
});

/** All rows of a period together. */
export const marginTotal = (rows: readonly MarginRow[], rates: QuotaPerCurrency) => {
  const sum = (field: 'videos' | 'videosWithoutCost' | 'revenueQuota'): number =>
    rows.reduce((all, row) => all + row[field], 0);
  const money = rows.flatMap((row) => row.money);
  const total = (currency: string, field: 'cost' | 'exposure'): string =>
    costText(
      money
        .filter((one) => one.currency === currency)
        .reduce((all, one) => all + scaledCost(one[field]), 0n),
    );
  const currencies = [...new Set(money.map(({ currency }) => currency))].sort();
  return sumsOf(
    {
      videos: sum('videos'),
      videosWithoutCost: sum('videosWithoutCost'),
      revenueQuota: sum('revenueQuota'),
      money: currencies.map((currency) => ({
        currency,
        cost: total(currency, 'cost'),
        exposure: total(currency, 'exposure'),
      })),
    },
    rates,
  );
};

export interface MarginReport {
  readonly rows: readonly MarginRow[];
  readonly exposures: readonly ExposedWork[];
  readonly hasMoreExposures: boolean;
}

/** Response of `GET /admin/v1/margin`, and what the command prints for scripts. */
export const marginReport = (
  { rows, exposures, hasMoreExposures }: MarginReport,
  {
    from,
    to,
    rates,
  }: { readonly from: string; readonly to: string; readonly rates: QuotaPerCurrency },
) => ({
  object: 'list',
  data: rows.map((row) => marginResource(row, rates)),
  total: marginTotal(rows, rates),
  exposures: exposures.map(exposureResource),
  has_more_exposures: hasMoreExposures,
  from,
  to,
});
