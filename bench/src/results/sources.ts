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

function sourceOf({ recorded, run }: Result, withOptions: boolean): string {
  const { date, commit, options, node, cores, cpu } = run;
  const parts = [
    ...(commit === null ? [] : [`commit ${commit}`]),
    ...(!withOptions || options === null || options === '' ? [] : [`\`${options}\``]),
    ...(node === null ? [] : [`Node ${node}`]),
    ...(cores === null ? [] : [`${cores} cores${cpu === null ? '' : ` (${cpu})`}`]),
  ];
  const how = recorded === 'by hand' ? 'Taken over by hand' : 'Measured';
  return `${how}, ${[date, ...parts].join(', ')}${quietness(run)}`;
}

function quietness({ isQuiet, othersCores }: Run): string {
  const others =
    othersCores === null ? '' : `; other programs used ${shown(othersCores)} cores meanwhile`;
  if (isQuiet === null) return `${others}, nobody noted how quiet`;
  if (isQuiet) return others === '' ? ', a quiet machine' : others;
  return `${others}, **not a quiet machine: CPU counts, rates and delays say little**`;
}

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
