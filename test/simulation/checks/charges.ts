import type { VendorUsage } from '@gateway/video-providers';
import type { Database } from '@gateway/store';
import type { Vendor } from '../actors/vendor.ts';
import { wirePrices } from '../actors/wire-formats.ts';
import type { StatedCharge } from '../actors/wire-words.ts';

/** Where the books have what a vendor asks for one task. */
interface CostRow {
  readonly id: string;
  readonly book: 'try' | 'exposure';
  /** Of the try, or the kind of exposure. */
  readonly what: string;
  readonly failure: string | null;
  readonly cost: number | null;
  readonly currency: string | null;
  readonly source: string | null;
}

const rowsSql = `
  SELECT y.vendor_task_id AS id, 'try' AS book, y.outcome AS what, t.failure_code AS failure, y.vendor_cost::float8 AS cost, y.vendor_currency AS currency, y.cost_source AS source
    FROM task_try y JOIN task t ON t.id = y.task_id WHERE y.vendor_task_id = ANY($1)
  UNION ALL
  SELECT vendor_task_id, 'exposure', kind, NULL, vendor_cost::float8, vendor_currency, cost_source FROM exposure WHERE vendor_task_id = ANY($1)
  ORDER BY 1, 2, 3`;

/** What a vendor said that it charges for a task is in the books, wherever its end came to be known. */
export async function findFaultsOfCharges({
  database,
  vendors,
}: {
  readonly database: Pick<Database, 'pool'>;
  readonly vendors: readonly Pick<Vendor, 'ends'>[];
}): Promise<string[]> {
  const stated = new Map(
    vendors
      .flatMap(({ ends }) => [...ends])
      .flatMap(([id, { charge }]) => (charge === undefined ? [] : [[id, charge] as const])),
  );
  if (stated.size === 0) return [];
  const { rows } = await database.pool.query<CostRow>(rowsSql, [[...stated.keys()]]);
  return rows.flatMap((row) => faultsOf(row, stated.get(row.id)));
}

function faultsOf(row: CostRow, charge: StatedCharge | undefined): string[] {
  if (charge === undefined || !isOfItsEnd(row, charge)) return [];
  const amount = amountOf(charge.usage);
  return row.cost === amount && row.currency === 'USD' && row.source === 'reported'
    ? []
    : [`${row.id} was said to cost ${amount} USD, and its ${row.book} says ${row.cost}`];
}

/** Nobody may have heard it: then the task has ended in another way. */
const isOfItsEnd = ({ book, what, failure }: CostRow, charge: StatedCharge): boolean =>
  book === 'exposure'
    ? what === 'late_success' || what === 'output_lost'
    : charge.failure === undefined
      ? what === 'succeeded'
      : what === 'failed' && failure === charge.failure;

function amountOf({ cost, chargedSeconds, totalTokens = 0 }: VendorUsage): number {
  if (cost !== undefined) return Number(cost.amount);
  return chargedSeconds === undefined
    ? (totalTokens * wirePrices.millionTokens) / 1_000_000
    : chargedSeconds * wirePrices.second;
}
