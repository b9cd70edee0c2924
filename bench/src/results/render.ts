import { cellText, tablesOf } from '../report.ts';
import { joined, linesOfBlock, resultsOf } from './blocks.ts';
import type { Result } from './result.ts';

export interface Page {
  readonly name: string;
  readonly text: string;
}

/** On lines of their own: what lies between them is written from a result. */
const block = /^<!-- bench:([\w/-]+)(; [a-z ]+)? -->\n[^]*?^<!-- \/bench -->$/gm;
/** Around a single figure: `<!-- bench:tasks/creation; creates; measured -->459<!-- / -->`. */
const single = /(?<!`)<!-- bench:([\w/-]+); ([^;\n]+?)(?:; ([^;\n]+?))? -->[^\n]*?<!-- \/ -->/g;
/** Between backticks it is only told of. */
const opening = /(?<!`)<!-- bench:\w/g;
/** Markdown would take the rest of such a line for HTML. */
const lineOfHtml = /^ *<!-- bench:[^\n]*<!-- \/ -->/m;

/** The page with all its figures as the results have them. Throws for what they do not have. */
export function render({ name, text }: Page, results: readonly Result[]): string {
  const found = [...text.matchAll(block), ...text.matchAll(single)].length;
  if (found !== [...text.matchAll(opening)].length) {
    throw new Error(`${name}: a figure of the bench has no end, or is not written as others are`);
  }
  const html = lineOfHtml.exec(text)?.[0];
  if (html !== undefined) throw new Error(`${name}: begin no line with ${html.trim()}`);
  const within = <T>(marker: string, of: () => T): T => {
    try {
      return of();
    } catch (error) {
      throw new Error(`${name}: ${marker}: ${(error as Error).message}`, { cause: error });
    }
  };
  return text
    .replace(block, (whole: string, of: string, view: string | undefined) => {
      const head = whole.slice(0, whole.indexOf('\n'));
      const lines = within(head, () => linesOfBlock(of, { view: view?.slice(2) ?? '', results }));
      return [head, ...lines, '<!-- /bench -->'].join('\n');
    })
    .replace(single, (whole: string, of: string, ...[row, column]: string[]) => {
      const head = whole.slice(0, whole.indexOf('-->') + 3);
      const cell = within(head, () => cellOf(resultsOf(of, results), row ?? '', column));
      return `${head}${cell}<!-- / -->`;
    });
}

/** The cell of the row and the column that begin so; by default the first figure of the row. */
function cellOf(results: readonly Result[], row: string, column?: string): string {
  const rows = tablesOf(joined(results)).flatMap((table) =>
    table.rows.map((cells) => ({ head: table.head, cells, name: cellText(cells[0] ?? '') })),
  );
  const { head, cells } = theOne(rows, ({ name }) => name, row);
  const usual = head.includes('gateway') ? 'gateway' : head[1];
  const columns = head.map((name, index) => ({ name, index })).slice(1);
  const { index } = theOne(columns, ({ name }) => name, column ?? usual ?? '');
  const text = cellText(cells[index] ?? '');
  if (text === '' || text === '–') throw new Error('was not measured');
  return text;
}

/** What is called so; else the only one whose name begins so. */
function theOne<T>(list: readonly T[], nameOfOne: (one: T) => string, wanted: string): T {
  const equal = list.filter((one) => nameOfOne(one) === wanted);
  const [first, ...more] =
    equal.length > 0 ? equal : list.filter((one) => nameOfOne(one).startsWith(wanted));
  if (first === undefined) throw new Error(`nothing begins with "${wanted}"`);
  if (more.length > 0) throw new Error(`more than one begins with "${wanted}"`);
  return first;
}
