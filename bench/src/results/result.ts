import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import {
  rounded,
  verdictOf,
  verdictOfRow,
  type ComparedRow,
  type Comparison,
  type Figure,
  type Report,
  type Table,
  type Verdict,
} from '../report.ts';

/** When, how and on what something was measured; null where nobody noted it. */
export interface Run {
  /** `2026-11-27`. */
  readonly date: string;
  /** `--only=A --seconds=1`. */
  readonly options: string;
  readonly commit: string;
  readonly node: string;
  readonly cores: number;
  readonly cpu: string;
  /** How many cores other programs used meanwhile, on average. */
  readonly othersCores: number;
  readonly isQuiet: boolean;
}

/** What is kept of a bench, or of one part of it, until it is measured again. */
export interface Result extends Report {
  readonly bench: string;
  readonly part?: string | undefined;
  readonly run: Run;
}

/** `tasks/creation`, as pages name it. */
export const nameOf = ({ bench, part }: Pick<Result, 'bench' | 'part'>): string =>
  part === undefined ? bench : `${bench}/${part}`;

/** Figures and rows with a target, and what became of it. */
export const verdictsOf = ({
  comparisons = [],
  figures = [],
}: Report): { measure: string; verdict: Verdict }[] =>
  [
    ...comparisons.map((row) => ({ measure: row.measure, verdict: verdictOfRow(row) })),
    ...figures.map((figure) => ({ measure: figure.measure, verdict: verdictOf(figure) })),
  ].filter(({ verdict }) => verdict !== '');

/** The order of keys is that of this list, so that a new run changes figures and no more. */
export const plainOf = ({ bench, part, run, notes, ...measured }: Result): object => ({
  bench,
  ...(part !== undefined && { part }),
  run: {
    date: run.date,
    options: run.options,
    commit: run.commit,
    node: run.node,
    cores: run.cores,
    cpu: run.cpu,
    othersCores: run.othersCores,
    isQuiet: run.isQuiet,
  },
  tables: (measured.tables ?? []).map(plainTable),
  comparisons: (measured.comparisons ?? []).map(plainRow),
  figures: (measured.figures ?? []).map(plainMeasure),
  notes,
});

type Plain = number | null | 'more than any';

/** JSON has neither NaN nor Infinity. */
function plain(value: number): Plain {
  if (Number.isNaN(value)) return null;
  return value === Infinity ? 'more than any' : rounded(value);
}

const plainTable = ({ head, rows }: Table): object => ({
  head,
  rows: rows.map((cells) => cells.map((cell) => (typeof cell === 'number' ? plain(cell) : cell))),
});

const plainRow = (row: ComparedRow): object => ({
  measure: row.measure,
  unit: row.unit,
  ...(row.direct !== undefined && { direct: plain(row.direct) }),
  ...(row.bare !== undefined && { bare: plain(row.bare) }),
  ...(row.gateway !== undefined && { gateway: plain(row.gateway) }),
  ...(row.compared !== undefined && { compared: plainComparison(row.compared) }),
  ...(verdictOfRow(row) !== '' && { verdict: verdictOfRow(row) }),
});

const plainComparison = ({ value = NaN, of, ...bound }: Comparison): object => ({
  value: plain(value),
  of,
  ...bound,
});

const plainMeasure = (figure: Figure): object => ({
  measure: figure.measure,
  unit: figure.unit,
  value: plain(figure.value),
  ...(figure.target !== undefined && { target: figure.target, verdict: verdictOf(figure) }),
});

const columns = 160;

export const jsonOf = (result: Result): string => `${written(plainOf(result), '')}\n`;

/** As JSON that has a line for what fits on one, so that a figure that changes is a line that changes. */
function written(value: unknown, indent: string): string {
  const line = JSON.stringify(value);
  if (typeof value !== 'object' || value === null) return line;
  if (indent.length + line.length <= columns) return line;
  const deeper = `${indent}  `;
  const [open, close, parts] = Array.isArray(value)
    ? ['[', ']', value.map((one) => written(one, deeper))]
    : ['{', '}', Object.entries(value).map(([key, one]) => `"${key}": ${written(one, deeper)}`)];
  return `${open}\n${parts.map((part) => `${deeper}${part}`).join(',\n')}\n${indent}${close}`;
}

/** Reads what `jsonOf` writes. Throws where a figure and its verdict do not fit each other. */
export function readResult(json: string): Result {
  const result = JSON.parse(json, (key, value: unknown) => {
    if (value === 'more than any') return Infinity;
    const isMissing = value === null && !(key in runKeys);
    return isMissing ? NaN : value;
  }) as Result & {
    readonly comparisons: (ComparedRow & { verdict?: Verdict })[];
    readonly figures: (Figure & { verdict?: Verdict })[];
  };
  for (const row of result.comparisons) expectVerdict(result, row, verdictOfRow(row));
  for (const figure of result.figures) expectVerdict(result, figure, verdictOf(figure));
  return result;
}

const runKeys: Readonly<Record<keyof Run, true>> = {
  date: true,
  options: true,
  commit: true,
  node: true,
  cores: true,
  cpu: true,
  othersCores: true,
  isQuiet: true,
};

function expectVerdict(
  result: Result,
  { measure, verdict = '' }: { readonly measure: string; readonly verdict?: Verdict },
  expected: Verdict,
): void {
  if (verdict === expected) return;
  throw new Error(
    `${nameOf(result)}: "${measure}" is ${expected || 'without a target'}, not ${verdict}`,
  );
}

export function writeResult(folder: string, result: Result): string {
  const file = path.join(folder, `${nameOf(result).replace('/', '-')}.json`);
  mkdirSync(folder, { recursive: true });
  writeFileSync(file, jsonOf(result));
  return file;
}

/** In the order of their names. */
export const readResults = (folder: string): Result[] =>
  readdirSync(folder)
    .filter((file) => file.endsWith('.json'))
    .sort()
    .map((file) => readResult(readFileSync(path.join(folder, file), 'utf8')));
