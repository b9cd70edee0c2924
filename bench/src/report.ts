/** Numbers are printed with three digits. */
export type Cells = readonly (string | number)[];

export interface Table {
  readonly head: readonly string[];
  /** The first cell says what the others are of. */
  readonly rows: readonly Cells[];
}

/** One figure and what it has to come to. */
export interface Figure {
  readonly measure: string;
  readonly unit: string;
  /** NaN where it could not be measured. */
  readonly value: number;
  readonly target?: Target | undefined;
}

export type Target =
  { readonly atLeast: number } | { readonly atMost: number } | { readonly below: number };

export type Verdict = 'met' | 'not met' | 'not measured' | '';

/** Of the figure as it is printed. Empty without a target. */
export function verdictOf({ value: exact, target }: Pick<Figure, 'value' | 'target'>): Verdict {
  if (target === undefined) return '';
  const value = rounded(exact);
  if (Number.isNaN(value)) return 'not measured';
  if ('atLeast' in target) return value >= target.atLeast ? 'met' : 'not met';
  return ('atMost' in target ? value <= target.atMost : value < target.below) ? 'met' : 'not met';
}

/** `≥ 3,000`, `< 250`; empty without a target. */
export function boundOf(target: Target | undefined): string {
  if (target === undefined) return '';
  if ('atLeast' in target) return `≥ ${shown(target.atLeast)}`;
  return 'atMost' in target ? `≤ ${shown(target.atMost)}` : `< ${shown(target.below)}`;
}

const figureTable = (figures: readonly Figure[]): Table => ({
  head: ['measure', 'measured', 'target', ''],
  rows: figures.map((figure) => [
    withUnit(figure),
    shown(figure.value),
    boundOf(figure.target),
    verdictOf(figure),
  ]),
});

/** What the gateway makes beside the direct way and the bare proxy. Absent: not measured. */
export interface ComparedRow {
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

export function targetOf(compared: Comparison | undefined): Target | undefined {
  if (compared?.atLeast !== undefined) return { atLeast: compared.atLeast };
  return compared?.atMost === undefined ? undefined : { atMost: compared.atMost };
}

export const verdictOfRow = ({ compared }: ComparedRow): Verdict =>
  verdictOf({ value: compared?.value ?? NaN, target: targetOf(compared) });

const comparedTable = (rows: readonly ComparedRow[]): Table => ({
  head: ['measure', 'direct', 'bare proxy', 'gateway', 'compared', 'target', ''],
  rows: rows.map((row) => [
    withUnit(row),
    ...[row.direct, row.bare, row.gateway].map((value) =>
      value === undefined ? '' : shown(value),
    ),
    comparison(row.compared),
    boundOf(targetOf(row.compared)),
    verdictOfRow(row),
  ]),
});

/** What a bench, or one part of it, has found. */
export interface Report {
  readonly title?: string;
  readonly tables?: readonly Table[];
  readonly comparisons?: readonly ComparedRow[];
  readonly figures?: readonly Figure[];
  /** What was done, and what went wrong. */
  readonly notes: readonly string[];
}

/** Takes the report of a part, or of a bench without parts, as soon as it is there. */
export type Publish = (report: Report, part?: string) => void;

/** All that is measured, as tables of text. */
export const tablesOf = ({ tables = [], comparisons = [], figures = [] }: Report): Table[] => [
  ...tables,
  ...(comparisons.length === 0 ? [] : [comparedTable(comparisons)]),
  ...(figures.length === 0 ? [] : [figureTable(figures)]),
];

/** As Markdown, with an empty line behind it. */
export const linesOf = ({ head, rows }: Table): string[] =>
  [head, head.map(() => '---'), ...rows]
    .map((cells) => `| ${cells.map(cellText).join(' | ')} |`)
    .concat('');

export const cellText = (cell: string | number): string =>
  typeof cell === 'number' ? shown(cell) : cell;

export const withUnit = ({ measure, unit }: Pick<Figure, 'measure' | 'unit'>): string =>
  `${measure}${unit === '' ? '' : ` (${unit})`}`;

const comparison = (compared: Comparison | undefined): string =>
  compared?.value === undefined ? '' : `${shown(compared.value)} ${compared.of}`;

/** Three digits are what such a measurement is good for. */
export const rounded = (value: number): number =>
  Math.abs(value) >= 1_000 ? Math.round(value) : Number(value.toPrecision(3));

export function shown(value: number): string {
  if (Number.isNaN(value)) return '–';
  return Math.abs(value) >= 1_000 ? rounded(value).toLocaleString('en-US') : String(rounded(value));
}
