import { readFileSync } from 'node:fs';
import type { Profiler } from 'node:inspector';
import { fileURLToPath } from 'node:url';

/** V8's own, without a place. */
const collector = '(garbage collector)';
const idle = '(idle)';
const ofNobody = new Set(['(root)', '(program)']);
/** What measuring costs, and no part of what is measured. */
export const profiling = 'the profiler';

export const collecting = 'collecting garbage';
/** Node's C++ outside of any JavaScript: polling, the parser of HTTP, timers. */
export const native = 'native code of nobody';

/**
 * Shares of the time that was not idle, by part. A moment belongs to the innermost frame whose
 * module `partOf` knows: what Node does for somebody is that one's.
 */
export function sharesOf(
  { nodes, samples = [], timeDeltas = [] }: Profiler.Profile,
  partOf: (module: string) => string | undefined,
): Map<string, number> {
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const parents = new Map(
    nodes.flatMap(({ id, children = [] }) => children.map((child) => [child, id] as const)),
  );
  const modules = createModules();
  const parts = new Map<number, string>();
  const partOfNode = (id: number): string => {
    const known = parts.get(id);
    if (known !== undefined) return known;
    const { callFrame } = byId.get(id) as Profiler.ProfileNode;
    const { functionName } = callFrame;
    const parent = parents.get(id);
    const own = functionName === collector ? collecting : partOf(modules(callFrame));
    const part = own ?? (parent === undefined ? native : partOfNode(parent));
    parts.set(id, part);
    return part;
  };
  const times = new Map<string, number>();
  let all = 0;
  samples.forEach((id, index) => {
    const name = byId.get(id)?.callFrame.functionName ?? '';
    const part = ofNobody.has(name) ? native : partOfNode(id);
    if (name === idle || part === profiling) return;
    const time = timeDeltas[index] ?? 0;
    all += time;
    times.set(part, (times.get(part) ?? 0) + time);
  });
  return new Map([...times].map(([part, time]) => [part, time / all]));
}

/** The module of a frame: `node:net`, or a path from the root of the checkout. */
function createModules(): (frame: Profiler.ProfileNode['callFrame']) => string {
  const bundles = new Map<string, (line: number) => string>();
  return ({ url, lineNumber }) => {
    if (!url.startsWith('file:')) return url;
    let bundle = bundles.get(url);
    if (bundle === undefined) {
      bundle = modulesIn(fileURLToPath(url));
      bundles.set(url, bundle);
    }
    return bundle(lineNumber);
  };
}

const moduleComment = /^\/\/ (\S+\.[cm]?js)$/;

/** A bundle names each of its modules in a comment before it; any other file is one itself. */
function modulesIn(path: string): (line: number) => string {
  let current = path;
  const lines = readFileSync(path, 'utf8')
    .split('\n')
    .map((line) => (current = moduleComment.exec(line)?.[1] ?? current));
  return (line) => lines[line] ?? path;
}
