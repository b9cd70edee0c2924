import type { TextRoute } from '@gateway/contracts';

/**
 * Routes in the order they are tried: the usual ones drawn by weight, then the fallbacks as they
 * stand in the file.
 */
export function chooseRoutes(
  routes: readonly TextRoute[],
  random: () => number,
): readonly TextRoute[] {
  if (routes.length === 1) return routes;
  const fallbacks = routes.filter(({ fallback }) => fallback);
  return [
    ...drawByWeight(
      routes.filter(({ fallback }) => !fallback),
      random,
    ),
    ...fallbacks,
  ];
}

function drawByWeight(routes: readonly TextRoute[], random: () => number): TextRoute[] {
  const left = [...routes];
  const drawn: TextRoute[] = [];
  while (left.length > 0) {
    const total = left.reduce((sum, { weight }) => sum + weight, 0);
    let ticket = random() * total;
    const index = left.findIndex(({ weight }) => (ticket -= weight) < 0);
    drawn.push(...left.splice(index === -1 ? 0 : index, 1));
  }
  return drawn;
}
