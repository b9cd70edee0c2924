/** More slips than this are another word. */
const mostSlips = 2;

/** The one of these words that somebody may have meant, if one is close enough. */
export function closestTo(typed: string, words: readonly string[]): string | undefined {
  const ranked = words
    .map((word) => ({ word, slips: slipsBetween(typed, word, mostSlips) }))
    .sort((one, other) => one.slips - other.slips);
  const [best] = ranked;
  // Two slips make any short word of any other.
  return best !== undefined && best.slips <= Math.min(mostSlips, typed.length - 2)
    ? best.word
    : undefined;
}

/** Letters that are missing, too many, wrong or in the wrong order; anything over `most` is Infinity. */
function slipsBetween(typed: string, word: string, most: number): number {
  let same = 0;
  while (same < typed.length && typed[same] === word[same]) same += 1;
  const [left, right] = [typed.slice(same), word.slice(same)];
  if (left === '' || right === '') {
    const rest = left.length + right.length;
    return rest <= most ? rest : Infinity;
  }
  if (most === 0) return Infinity;
  const swapped = left[0] === right[1] && left[1] === right[0];
  const ways = [
    slipsBetween(left.slice(1), right, most - 1),
    slipsBetween(left, right.slice(1), most - 1),
    slipsBetween(left.slice(1), right.slice(1), most - 1),
    ...(swapped ? [slipsBetween(left.slice(2), right.slice(2), most - 1)] : []),
  ];
  return 1 + Math.min(...ways);
}
