import { planFor } from './actors/brief.ts';
import type { Fault } from './actors/plan.ts';
import { simulate, type SimulationOptions, type Story } from './simulate.ts';

interface Shrunk {
  readonly faults: readonly Fault[];
  /** Of the world in which nothing but these goes wrong. */
  readonly story: Story;
  readonly worlds: number;
}

/**
 * The shortest plan that still fails in one of the ways in which the whole one does: without any one
 * of its faults it does not. Undefined when the whole one does not fail.
 */
export async function shrink(
  options: SimulationOptions,
  onWorld: (left: number) => void = () => undefined,
): Promise<Shrunk | undefined> {
  const whole = planFor(options);
  let story = await simulate(options);
  let worlds = 1;
  const kinds = new Set(story.faults.map(kindOf));
  if (kinds.size === 0) return undefined;
  const faults = await shortest(whole.faults, async (candidate) => {
    const told = await simulate({ ...options, plan: { ...whole, faults: candidate } });
    worlds += 1;
    const isSame = told.faults.some((fault) => kinds.has(kindOf(fault)));
    if (isSame) story = told;
    onWorld(isSame ? candidate.length : -1);
    return isSame;
  });
  return { faults, story, worlds };
}

/** Ids and numbers differ from one plan to the next. */
const kindOf = (fault: string): string => fault.replace(/\b[a-z]+_[0-9a-z]{26}\b|\d+/g, '#');

/**
 * Leaves out what is not needed, first halves, then less and less, until nothing more can be left
 * out.
 */
export async function shortest<Item>(
  items: readonly Item[],
  stillFails: (items: readonly Item[]) => Promise<boolean>,
): Promise<readonly Item[]> {
  let kept = items;
  let size = Math.ceil(kept.length / 2);
  while (kept.length > 0) {
    const before = kept.length;
    for (let at = 0; at < kept.length;) {
      const candidate = kept.toSpliced(at, size);
      if (await stillFails(candidate)) kept = candidate;
      else at += size;
    }
    if (size === 1 && kept.length === before) break;
    size = Math.max(1, Math.floor(size / 2));
  }
  return kept;
}
