import { createHash } from 'node:crypto';
import {
  isRetired,
  routeProblems,
  type Configuration,
  type ProviderSettings,
  type Task,
  type VideoModel,
  type VideoRoute,
} from '@gateway/contracts';
import { pickRoute } from '@gateway/domain';
import { canBeFetchedBy } from '@gateway/outbound';
import { capabilitiesOf } from '@gateway/video-providers';
import type { RouteTarget, TaskRoutes } from '../use-cases/leave-route.ts';

export interface TaskRoutesOptions {
  readonly configuration: () => Pick<Configuration, 'models' | 'providers'>;
  /** How the circuit breaker before a provider stands. */
  readonly standingOf: (provider: string) => 'closed' | 'half_open' | 'open';
  /** Whether the route's vendor has said that it has no such model. */
  readonly isGone: (route: Pick<VideoRoute, 'provider' | 'upstreamModel'>) => boolean;
  /** Where vendors would fetch files from. */
  readonly publicBaseUrl: string;
  readonly now: () => number;
  readonly random: () => number;
}

/** The routes that the present configuration gives the models of tasks. */
export function createTaskRoutes(options: TaskRoutesOptions): TaskRoutes {
  const { configuration, random } = options;
  return {
    policyOf({ model: name }) {
      const model = configuration().models.get(name);
      if (model === undefined || model.routes.length < 2) return undefined;
      return { busyAfterMs: model.busyAfterSeconds * 1_000, retryFailed: model.retryFailed };
    },
    next(task, { had, mayProbe }) {
      const model = configuration().models.get(task.model);
      if (model === undefined) return undefined;
      const able = model.routes.filter(
        (route) =>
          !isSame(route, task.vendor) &&
          !had.some((earlier) => isSame(route, earlier)) &&
          canHave(task, { route, model, options }),
      );
      const serving = able.filter(({ provider }) => options.standingOf(provider) === 'closed');
      const likely =
        serving.length > 0 || !mayProbe
          ? serving
          : able.filter(({ provider }) => options.standingOf(provider) === 'half_open');
      const chosen = pickRoute(likely, random());
      const provider = chosen && configuration().providers.get(chosen.provider);
      return chosen && provider && targetOf(chosen, provider);
    },
  };
}

type Named = Pick<VideoRoute, 'provider' | 'upstreamModel'>;

const isSame = (one: Named, other: Named): boolean =>
  one.provider === other.provider && one.upstreamModel === other.upstreamModel;

function canHave(
  task: Task,
  {
    route,
    model,
    options,
  }: {
    readonly route: VideoRoute;
    readonly model: VideoModel;
    readonly options: TaskRoutesOptions;
  },
): boolean {
  const provider = options.configuration().providers.get(route.provider);
  if (provider === undefined || isRetired(route, options.now()) || options.isGone(route)) {
    return false;
  }
  const vendor = {
    capabilities: capabilitiesOf(provider.kind, route.upstreamModel),
    canFetch: canBeFetchedBy(provider.baseUrl, options.publicBaseUrl),
  };
  return routeProblems({ request: task.request, model, route, vendor }).length === 0;
}

const targetOf = (
  { upstreamModel }: VideoRoute,
  { name, kind, baseUrl, apiKey }: ProviderSettings,
): RouteTarget => ({
  provider: name,
  kind,
  baseUrl,
  credentialId: createHash('sha256').update(apiKey).digest('hex').slice(0, 12),
  upstreamModel,
});
