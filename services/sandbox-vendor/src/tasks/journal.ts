import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import type { Task } from './task.ts';

/** Where tasks outlive the process. */
export interface Journal {
  /** Every task that is known, oldest first. */
  load(): readonly Task[];
  save(task: Task): void;
  remove(taskId: string): void;
  clear(): void;
}

export const noJournal: Journal = {
  load: () => [],
  save: () => undefined,
  remove: () => undefined,
  clear: () => undefined,
};

type Line = { readonly task: Task } | { readonly removed: string };

/** Lines of a task from before formats were written down: all of them were Ark's. */
const beforeFormats = { format: 'ark' } as const;

/** The file is written anew when it has this many lines more than tasks, and four times as many. */
const spareLines = 10_000;

/**
 * A file with one line a change, the last one of a task counts. Lines are written before the vendor
 * responds, so what it has acknowledged survives a killed process. A half line at the end, as a kill
 * leaves it, is passed over.
 */
export function createFileJournal(folder: string): Journal {
  mkdirSync(folder, { recursive: true });
  const path = join(folder, 'tasks.jsonl');
  const known = new Map<string, Task>();
  let lines = 0;

  const rewrite = (): void => {
    writeFileSync(`${path}.new`, [...known.values()].map((task) => lineOf({ task })).join(''));
    renameSync(`${path}.new`, path);
    lines = known.size;
  };
  const append = (line: Line): void => {
    appendFileSync(path, lineOf(line));
    lines += 1;
    if (lines > spareLines + known.size && lines > 4 * known.size) rewrite();
  };

  return {
    load() {
      for (const line of readLines(path)) {
        if ('task' in line) known.set(line.task.id, { ...beforeFormats, ...line.task });
        else known.delete(line.removed);
      }
      rewrite();
      return [...known.values()];
    },
    save(task) {
      known.set(task.id, task);
      append({ task });
    },
    remove(taskId) {
      known.delete(taskId);
      append({ removed: taskId });
    },
    clear() {
      known.clear();
      rewrite();
    },
  };
}

const lineOf = (line: Line): string => `${JSON.stringify(line)}\n`;

function readLines(path: string): readonly Line[] {
  if (!existsSync(path)) return [];
  const whole = readFileSync(path, 'utf8').split('\n').slice(0, -1);
  return whole.map((line) => JSON.parse(line) as Line);
}
