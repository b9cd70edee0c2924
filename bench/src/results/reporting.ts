import { linesOf, tablesOf, type Publish } from '../report.ts';
import { quietCores, watchOthers, type Machine } from '../machine.ts';
import { renewPages, resultsFolder } from './pages.ts';
import { plainOf, verdictsOf, writeResult, type Result } from './result.ts';

export interface Reporting {
  /** What the bench itself has to read: those that are for all benches are gone. */
  readonly rest: readonly string[];
  /** For people: on standard error where standard output is for programs. */
  print(line: string): void;
  readonly publish: Publish;
  /** Nothing more is published. */
  end(): void;
}

const recordOption = /^--record(?:=(.+))?$/;

/** Prints what a bench finds, as tables or as JSON, and records it if asked to. */
export function startReporting({
  bench,
  args,
  machine,
}: {
  readonly bench: string;
  readonly args: readonly string[];
  readonly machine: Machine;
}): Reporting {
  const isJson = args.includes('--json');
  const record = args.map((arg) => recordOption.exec(arg)).find((found) => found !== null);
  const rest = args.filter((arg) => arg !== '--json' && !recordOption.test(arg));
  const print = isJson ? console.error : console.log;
  const others = watchOthers();
  const results: Result[] = [];
  const publish: Publish = (report, part) => {
    const othersCores = others.take();
    const run = {
      date: new Date().toISOString().slice(0, 10),
      options: rest.join(' '),
      commit: machine.commit,
      node: machine.node,
      cores: machine.cores,
      cpu: machine.cpu,
      othersCores: Math.round(othersCores * 100) / 100,
      isQuiet: othersCores <= quietCores,
    };
    const result: Result = { bench, part, run, ...report };
    results.push(result);
    if (!isJson) printReport(result);
    if (record !== undefined) keep(result, record[1] ?? resultsFolder);
  };
  const end = (): void => {
    if (isJson) console.log(JSON.stringify(results.map(plainOf), undefined, 2));
    if (record === undefined || record[1] !== undefined) return;
    for (const page of renewPages()) console.error(`${page} is written anew`);
  };
  return { rest, print, publish, end };
}

function printReport(result: Result): void {
  const { title, notes, run } = result;
  if (title !== undefined) console.log(`${title}\n`);
  for (const table of tablesOf(result)) console.log(linesOf(table).join('\n'));
  for (const note of notes) console.log(`${note}\n`);
  if (!run.isQuiet) {
    console.log(`Other programs used ${run.othersCores} cores meanwhile.\n`);
  }
}

/** A part that could not be measured leaves what is known of it. */
function keep(result: Result, folder: string): void {
  if (tablesOf(result).length === 0) {
    console.error('nothing was measured, so nothing is recorded');
    return;
  }
  const missed = verdictsOf(result).filter(({ verdict }) => verdict !== 'met').length;
  const file = writeResult(folder, result);
  console.error(`recorded in ${file}${missed === 0 ? '' : `, ${missed} of its targets missed`}`);
}
