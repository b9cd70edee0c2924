import {
  boundOf,
  cellText,
  linesOf,
  shown,
  tablesOf,
  targetOf,
  verdictOf,
  verdictOfRow,
  withUnit,
  type Report,
  type Table,
} from '../report.ts';
import { nameOf, verdictsOf, type Result } from './result.ts';
import { sourceLines, wrapped } from './sources.ts';

/** Of `tasks/creation` one, of `fairness` all its parts. */
export function resultsOf(name: string, results: readonly Result[]): [Result, ...Result[]] {
  const [first, ...more] = results.filter(
    (result) => nameOf(result) === name || result.bench === name,
  );
  if (first === undefined) throw new Error('there is no such result');
  return [first, ...more];
}

/** What stands between the marks of a block: of one result or several, or of all. */
export function linesOfBlock(
  name: string,
  { view, results }: { view: string; results: readonly Result[] },
): string[] {
  if (name === 'targets') return targetLines(results);
  if (name === 'all') return results.flatMap(sectionOf);
  const chosen = resultsOf(name, results);
  const tables = tablesIn(view, joined(chosen));
  return [...tables.map(withoutEmptyColumns).flatMap(linesOf), ...sourceLines(chosen)];
}

/** All that is known of one result, below a heading of its own. */
const sectionOf = (result: Result): string[] => [
  `## ${nameOf(result)}`,
  '',
  ...tablesOf(result).map(withoutEmptyColumns).flatMap(linesOf),
  ...result.notes.flatMap((note) => [...wrapped(note), '']),
  ...sourceLines([result]),
];

function tablesIn(view: string, report: Report): Table[] {
  switch (view) {
    case '':
      return tablesOf(report);
    case 'tables':
      return [...(report.tables ?? [])];
    case 'targets':
      return tablesOf(onlyTargets(report));
    case 'side by side':
      return [sideBySide(onlyTargets(report))];
    default:
      throw new Error(`there is no view "${view}": only tables, targets and side by side`);
  }
}

const onlyTargets = ({ comparisons = [], figures = [] }: Report): Report => ({
  comparisons: comparisons.filter((row) => verdictOfRow(row) !== ''),
  figures: figures.filter((figure) => verdictOf(figure) !== ''),
  notes: [],
});

/** A column in which nothing was measured says nothing. */
function withoutEmptyColumns({ head, rows }: Table): Table {
  const isFull = head.map(
    (_, index) =>
      index === 0 || rows.some((cells) => !['', '–'].includes(cellText(cells[index] ?? ''))),
  );
  const full = <T>(cells: readonly T[]): T[] => cells.filter((_, index) => isFull[index]);
  return { head: full(head), rows: rows.map(full) };
}

/** Tables with the same head become one. */
export function joined(results: readonly Result[]): Report {
  const tables: { head: readonly string[]; rows: Table['rows'] }[] = [];
  for (const { head, rows } of results.flatMap((result) => result.tables ?? [])) {
    const same = tables.find((table) => table.head.join('|') === head.join('|'));
    if (same === undefined) tables.push({ head, rows });
    else same.rows = [...same.rows, ...rows];
  }
  return {
    tables,
    comparisons: results.flatMap(({ comparisons = [] }) => comparisons),
    figures: results.flatMap(({ figures = [] }) => figures),
    notes: [],
  };
}

/** What a measure is called before its colon becomes a row, what comes behind it a column. */
function sideBySide({ comparisons = [], figures = [] }: Report): Table {
  const cells = [
    ...comparisons.map((row) => ({
      measure: `${row.measure}${row.compared === undefined ? '' : `, ${row.compared.of}`}`,
      value: row.compared === undefined ? row.gateway : row.compared.value,
      target: targetOf(row.compared),
      verdict: verdictOfRow(row),
    })),
    ...figures.map((figure) => ({
      measure: withUnit(figure),
      value: figure.value,
      target: figure.target,
      verdict: verdictOf(figure),
    })),
  ].map(({ measure, value = NaN, target, verdict }) => {
    const [row = '', ...column] = measure.split(': ');
    const bound = target === undefined ? '' : ` (${boundOf(target)})`;
    const text = `${shown(value)}${bound}`;
    return { row, column: column.join(': '), text: verdict === 'not met' ? `**${text}**` : text };
  });
  const columns = [...new Set(cells.map(({ column }) => column))];
  return {
    head: ['', ...columns],
    rows: [...new Set(cells.map(({ row }) => row))].map((row) => [
      row,
      ...columns.map(
        (column) => cells.find((cell) => cell.row === row && cell.column === column)?.text ?? '',
      ),
    ]),
  };
}

/** How many targets are met, and which are not; what several cases miss alike is said once. */
function targetLines(results: readonly Result[]): string[] {
  const all = results.flatMap((result) =>
    verdictsOf(result).map(({ measure, verdict }) => ({
      name: nameOf(result),
      measure: measure.split(': ').at(-1) ?? '',
      verdict,
    })),
  );
  const missed = all.filter(({ verdict }) => verdict !== 'met');
  const summary = `${all.length - missed.length} of ${all.length} targets are met.`;
  if (missed.length === 0) return [summary, ''];
  const rows = [...new Set(missed.map(({ name }) => name))].map((name) => {
    const own = missed.filter((one) => one.name === name).map(({ measure }) => measure);
    const counted = [...new Set(own)].map((measure) => {
      const times = own.filter((one) => one === measure).length;
      const of = all.filter((one) => one.name === name && one.measure === measure).length;
      return of === 1 ? measure : `${measure} (${times} of ${of})`;
    });
    return [name, counted.join('; ')];
  });
  return [`${summary} These are not:`, '', ...linesOf({ head: ['bench', 'missed'], rows })];
}
