import type { VideoRoute } from '@gateway/contracts';
import { pickRoute } from '@gateway/domain';
import { intervalPart, type Log, type Part } from '@gateway/runtime';
import type { GoneModels } from '@gateway/store';

export interface RouteChoiceOptions {
  readonly random: () => number;
  /** Whether its vendor has said that it has no such model. */
  readonly isGone: (route: VideoRoute) => boolean;
}

/**
 * Spreads new tasks over the routes that can have them, by their weights. One whose vendor has no
 * such model is chosen only where there is no other.
 */
export const createRouteChoice =
  ({ random, isGone }: RouteChoiceOptions) =>
  (routes: readonly VideoRoute[]): VideoRoute => {
    const there = routes.filter((route) => !isGone(route));
    const chosen = pickRoute(there.length > 0 ? there : routes, random());
    if (chosen === undefined) throw new Error('a task needs a route');
    return chosen;
  };

const readEveryMs = 1_000;

/** What the video-workers were told, as of a second ago. */
export function createGoneRoutes({
  models,
  now,
  log,
}: {
  readonly models: Pick<GoneModels, 'all'>;
  readonly now: () => number;
  readonly log: Log;
}): { readonly isGone: RouteChoiceOptions['isGone']; readonly part: Part } {
  let until: ReadonlyMap<string, number> = new Map();
  return {
    isGone: (route) => (until.get(nameOf(route)) ?? 0) > now(),
    part: intervalPart({
      name: 'gone models',
      everyMs: readEveryMs,
      work: async () => {
        const found = await models.all();
        until = new Map(found.map((model) => [nameOf(model), model.pausedUntil.getTime()]));
      },
      log,
    }),
  };
}

const nameOf = ({
  provider,
  upstreamModel,
}: Pick<VideoRoute, 'provider' | 'upstreamModel'>): string => `${provider}/${upstreamModel}`;
