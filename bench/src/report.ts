export type Cells = readonly (string | number)[];

export interface Table {
  readonly head: readonly string[];
  readonly rows: readonly Cells[];
}

/** One figure and what it has to come to. */
export interface Figure {
  readonly measure: string;
  readonly unit: string;
  /** NaN where it could not be measured. */
  readonly value: number;
  readonly target?: Target;
}

export type Target = { readonly atLeast: number } | { readonly below: number };

export type Verdict = 'met' | 'not met' | 'not measured' | '';

/** Empty without a target. */
export function verdictOf({ value, target }: Pick<Figure, 'value' | 'target'>): Verdict {
  if (target === undefined) return '';
  if (Number.isNaN(value)) return 'not measured';
  return ('atLeast' in target ? value >= target.atLeast : value < target.below) ? 'met' : 'not met';
}

/** `≥ 3,000`, `< 250`; empty without a target. */
export function boundOf(target: Target | undefined): string {
  if (target === undefined) return '';
  return 'atLeast' in target ? `≥ ${shown(target.atLeast)}` : `< ${shown(target.below)}`;
}

export const figureTable = (figures: readonly Figure[]): Table => ({
  head: ['measure', 'measured', 'target', ''],
  rows: figures.map((figure) => [
    `${figure.measure}${figure.unit === '' ? '' : ` (${figure.unit})`}`,
    shown(figure.value),
    boundOf(figure.target),
    verdictOf(figure),
  ]),
});

/** As Markdown, with an empty line behind it. */
export const linesOf = ({ head, rows }: Table): string[] =>
  [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).concat('');

/** Three digits are what such a measurement is good for. */
function shown(value: number): string {
  if (Number.isNaN(value)) return '–';
  return Math.abs(value) >= 1_000
    ? Math.round(value).toLocaleString('en-US')
    : String(Number(value.toPrecision(3)));
}
