import { shown } from '../report.ts';
import type { Result, Run } from './result.ts';

/** What a reader has to know of the runs before he believes their figures: a paragraph. */
export function sourceLines(results: readonly Result[]): string[] {
  const isOne = results.length === 1;
  const sources = [...new Set(results.map((result) => sourceOf(result, isOne)))];
  const sentences = sources.map((source) => {
    const parts = results
      .filter((result) => sourceOf(result, isOne) === source)
      .flatMap(({ part = '' }) => part);
    return sources.length === 1 ? source : `${source} (${parts.join(', ')})`;
  });
  return [...wrapped(`${sentences.join('. ')}.`), ''];
}

function sourceOf({ run }: Result, withOptions: boolean): string {
  const { date, commit, options, node, cores, cpu } = run;
  const parts = [
    `commit ${commit}`,
    ...(!withOptions || options === '' ? [] : [`\`${options}\``]),
    `Node ${node}`,
    `${cores} cores (${cpu})`,
  ];
  return `Measured, ${[date, ...parts].join(', ')}${quietness(run)}`;
}

const quietness = ({ isQuiet, othersCores }: Run): string =>
  `; other programs used ${shown(othersCores)} cores meanwhile${isQuiet ? '' : unquiet}`;

const unquiet = ', **not a quiet machine: CPU counts, rates and delays say little**';

const columnsOfProse = 100;

/** Within so many columns. */
export function wrapped(text: string): string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(' ')) {
    if (line !== '' && line.length + 1 + word.length > columnsOfProse) {
      lines.push(line);
      line = word;
    } else {
      line = line === '' ? word : `${line} ${word}`;
    }
  }
  return [...lines, line];
}
