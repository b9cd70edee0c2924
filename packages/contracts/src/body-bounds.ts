import type { Violation } from './violation.ts';

/**
 * Deeper or larger than any request that could be right: refused before a schema walks over it,
 * whose complaints would outgrow the body.
 */
const maxDepth = 32;
const maxNodes = 5_000;
/**
 * Longer strings are data: URLs, whose alphabet is checked on its own, or are refused for their
 * length.
 */
const longestCheckedText = 100_000;
/** Neither can be stored as JSON in the database: U+0000, and half of a surrogate pair. */
const unstorable = /\0|\p{Surrogate}/u;

/** What keeps a parsed body from being looked at field by field: at most one thing. */
export function boundsViolations(body: unknown): Violation[] {
  const waiting: { value: unknown; depth: number }[] = [{ value: body, depth: 0 }];
  let nodes = 0;
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    nodes += 1;
    const { value, depth } = next;
    if (nodes > maxNodes) return refusal(`must not have more than ${maxNodes} values`);
    if (depth > maxDepth) return refusal(`must not be nested deeper than ${maxDepth} levels`);
    if (isUnstorable(value)) {
      return refusal('must not contain the character U+0000 or half of a surrogate pair');
    }
    for (const child of childrenOf(value)) waiting.push({ value: child, depth: depth + 1 });
  }
  return [];
}

const refusal = (what: string): Violation[] => [
  { code: 'invalid_parameter', param: null, message: `the body ${what}` },
];

const isUnstorable = (value: unknown): boolean =>
  typeof value === 'string' && value.length <= longestCheckedText && unstorable.test(value);

/**
 * Names count like values; a container with too many children is cut where it has proved the point.
 */
function childrenOf(value: unknown): unknown[] {
  if (typeof value !== 'object' || value === null) return [];
  if (Array.isArray(value)) return value.slice(0, maxNodes + 1);
  return [...Object.keys(value), ...Object.values(value as Record<string, unknown>)].slice(
    0,
    2 * (maxNodes + 1),
  );
}
