import { runAs } from '@gateway/runtime';

/** So many take about a millisecond to begin. */
const mostBegun = 8;

let begunNow = 0;
const waiting: (() => void)[] = [];

/**
 * Begins a request, at once unless many others came in the same turn of the event loop: then in a
 * later turn, in the order in which they came. V8 copies what is alive in the middle of a request
 * each time it collects young objects, and a request that has not begun has little; and the server
 * takes one new connection in each turn, however long that is. `begin` never throws.
 */
export function inTurn(begin: () => void): void {
  if (begunNow === mostBegun) {
    waiting.push(begin);
    return;
  }
  // Whoever comes first must not lend its trace to the others.
  if (begunNow === 0) setImmediate(runAs, undefined, startTurn);
  begunNow += 1;
  begin();
}

function startTurn(): void {
  const next = waiting.splice(0, mostBegun);
  begunNow = next.length;
  if (begunNow > 0) setImmediate(runAs, undefined, startTurn);
  for (const begin of next) begin();
}
