import { runAs } from '@gateway/runtime';

/** So many take about a millisecond to begin. */
const mostBegun = 8;
/** Places of those that have begun are given up together: one by one, the whole list would move. */
const mostPlaces = 256;

let begunNow = 0;
let waiting: (() => void)[] = [];
/** So many of `waiting` have begun. */
let places = 0;

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
  const end = Math.min(waiting.length, places + mostBegun);
  begunNow = end - places;
  if (begunNow > 0) setImmediate(runAs, undefined, startTurn);
  while (places < end) {
    const begin = waiting[places] as () => void;
    places += 1;
    begin();
  }
  if (places === waiting.length || places >= mostPlaces) {
    waiting = waiting.slice(places);
    places = 0;
  }
}
