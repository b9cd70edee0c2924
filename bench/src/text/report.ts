/** A figure for each target, how they compare, and the bound on that. Absent: not measured. */
export interface Row {
  readonly part: string;
  readonly measure: string;
  readonly unit: string;
  readonly direct?: number | undefined;
  readonly bare?: number | undefined;
  readonly gateway?: number | undefined;
  readonly compared?: Comparison | undefined;
}

export interface Comparison {
  readonly value: number | undefined;
  /** In words, for instance `× bare`. */
  readonly of: string;
  readonly atLeast?: number;
  readonly atMost?: number;
}

export type Verdict = 'pass' | 'FAIL' | 'not measured' | '';

/** Empty without a bound. */
export function verdictOf({ compared }: Row): Verdict {
  if (compared === undefined || (compared.atLeast === undefined && compared.atMost === undefined)) {
    return '';
  }
  const { value, atLeast = -Infinity, atMost = Infinity } = compared;
  if (value === undefined || Number.isNaN(value)) return 'not measured';
  return value >= atLeast && value <= atMost ? 'pass' : 'FAIL';
}

/** As a Markdown table, one line a row. */
export function tableOf(rows: readonly Row[]): string[] {
  const lines = rows.map((row) => {
    const { measure, unit, direct, bare, gateway, compared } = row;
    return [
      `${measure}${unit === '' ? '' : ` (${unit})`}`,
      shown(direct),
      shown(bare),
      shown(gateway),
      comparison(compared),
      bound(compared),
      verdictOf(row),
    ];
  });
  const head = ['measure', 'direct', 'bare proxy', 'gateway', 'compared', 'target', ''];
  return [head, head.map(() => '---'), ...lines].map((cells) => `| ${cells.join(' | ')} |`);
}

const comparison = (compared: Comparison | undefined): string =>
  compared?.value === undefined ? '' : `${shown(compared.value)} ${compared.of}`;

function bound(compared: Comparison | undefined): string {
  if (compared?.atLeast !== undefined) return `≥ ${compared.atLeast}`;
  return compared?.atMost === undefined ? '' : `≤ ${compared.atMost}`;
}

/** Three digits are what such a measurement is good for. */
function shown(value: number | undefined): string {
  if (value === undefined) return '';
  if (Number.isNaN(value)) return '–';
  if (Math.abs(value) >= 1_000) return Math.round(value).toLocaleString('en-US');
  return String(Number(value.toPrecision(3)));
}
