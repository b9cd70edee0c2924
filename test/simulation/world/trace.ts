import { createHash } from 'node:crypto';

/** What happened in a world, in order: a hash of it, and the lines themselves where they are wanted. */
export interface Trace {
  say(line: string): void;
  readonly lines: readonly string[];
  hash(): string;
}

/**
 * Ids hold random digits: each is told by its kind and the order in which it first appeared, so that
 * the same seed tells the same story.
 */
const anId = /\b(video|acct|key|attempt|batch|usage|lease)_[0-7][0-9a-hjkmnp-tv-z]{25}\b/g;

/** Told to the hash together: a call for each is a thirtieth of a long world. */
const linesAtOnce = 1_000;

export function createTrace({ keeps, now }: { keeps: boolean; now: () => number }): Trace {
  const hash = createHash('sha256');
  const names = new Map<string, string>();
  const counts = new Map<string, number>();
  const lines: string[] = [];
  let untold: string[] = [];
  const tell = (): void => {
    hash.update(untold.map((line) => `${line}\n`).join(''));
    untold = [];
  };
  const start = now();
  const nameOf = (id: string, kind: string): string => {
    const known = names.get(id);
    if (known !== undefined) return known;
    const count = (counts.get(kind) ?? 0) + 1;
    counts.set(kind, count);
    names.set(id, `${kind}-${count}`);
    return `${kind}-${count}`;
  };
  return {
    lines,
    say(line) {
      const at = ((now() - start) / 1_000).toFixed(3).padStart(9);
      const told = `${at} ${line.replace(anId, nameOf)}`;
      untold.push(told);
      if (untold.length === linesAtOnce) tell();
      if (keeps) lines.push(told);
    },
    hash() {
      tell();
      return hash.copy().digest('hex').slice(0, 16);
    },
  };
}
