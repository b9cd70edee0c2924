import type { VideoRoute } from './configuration.ts';
import {
  isTextKind,
  retirementRule,
  type KnownProviders,
  type Rule,
} from './configuration-parts.ts';
import { toCost } from './configuration-price.ts';
import type { RawVideoRoute } from './configuration-route-schema.ts';
import type { RawVideoModel } from './configuration-video-schema.ts';
import { costRules } from './price-problems.ts';
import { toRetiresAt } from './retirement.ts';
import { boundRules, withinBounds } from './video-bounds.ts';
import { videoModelBounds, type VideoModelBounds } from './video-vendors.ts';

/** A route, and where the file names it. */
export interface PlacedRoute {
  readonly route: RawVideoRoute;
  readonly at: readonly string[];
}

type Routed = Pick<RawVideoModel, 'routes' | 'provider' | 'upstream_model' | 'cost'>;

const noRoute = { provider: '', upstream_model: '', weight: 1, fallback: false };

/** The routes of a model; a provider beside it is the short form of one. */
export function routesOf(model: Routed): PlacedRoute[] {
  if (model.routes !== undefined) {
    return model.routes.map((route, index) => ({ route, at: ['routes', String(index)] }));
  }
  const { provider = '', upstream_model: upstream = '', cost } = model;
  const only = { ...noRoute, provider, upstream_model: upstream };
  return [{ route: cost === undefined ? only : { ...only, cost }, at: [] }];
}

type IsSound = (...path: readonly string[]) => boolean;

/** The routes without what is wrong in them, so that the rules of the others can be looked at. */
export function mendRoutes(routes: unknown, isSound: IsSound): RawVideoRoute[] {
  if (!Array.isArray(routes)) return [];
  return routes.map((route: unknown, index): RawVideoRoute => {
    const given: Partial<RawVideoRoute> = typeof route === 'object' && route !== null ? route : {};
    const { cost, ...rest } = { ...noRoute, ...given };
    const hasCost = cost !== undefined && isSound('routes', String(index), 'cost');
    return hasCost ? { ...rest, cost } : rest;
  });
}

/** What is wrong with the routes of a video model. */
export function routeRules(model: RawVideoModel, providers: KnownProviders): Rule[] {
  const routes = routesOf(model);
  const seen = new Set<string>();
  return [
    ...shortFormRules(model),
    ...routes.flatMap(({ route, at }) => {
      const target = nameOf(route);
      const isRepeated = seen.has(target);
      seen.add(target);
      return [
        ...ownRules(route, { isRepeated, providers }),
        ...(at.length === 0 || route.cost === undefined
          ? []
          : costRules(withinBounds(model, boundsOf(route, providers)), route.cost)),
      ].map((rule) => below(at, rule));
    }),
  ];
}

const below = (at: readonly string[], [broken, path, message]: Rule): Rule => [
  broken,
  [...at, ...path],
  message,
];

const nameOf = ({ provider, upstream_model: upstream }: RawVideoRoute): string =>
  `${provider}/${upstream}`;

const shortFormRules = ({ routes, ...model }: RawVideoModel): Rule[] => [
  ...(['provider', 'upstream_model', 'cost'] as const).map((field): Rule => [
    routes !== undefined && model[field] !== undefined,
    [field],
    'stands beside routes; name it in each route',
  ]),
  [
    routes?.every(({ fallback }) => fallback) === true,
    ['routes'],
    'has only fallbacks; at least one route must not be a fallback',
  ],
];

function ownRules(
  route: RawVideoRoute,
  { isRepeated, providers }: { isRepeated: boolean; providers: KnownProviders },
): Rule[] {
  const { provider, upstream_model: upstream } = route;
  const kind = providers.kindOf(provider);
  return [
    [
      kind === undefined,
      ['provider'],
      `names the provider ${provider}, which is not under providers`,
    ],
    [isTextKind(kind), ['provider'], `names the provider ${provider}, which is a text provider`],
    [
      isRepeated,
      ['upstream_model'],
      `is the model ${upstream} of ${provider}, which another route already uses`,
    ],
    retirementRule(route.retires_at),
  ];
}

/** A promise of the model that none of its routes can keep. */
export function promiseRules(model: RawVideoModel, providers: KnownProviders): Rule[] {
  const [first = [], ...others] = routesOf(model).map(({ route }) =>
    boundRules(model, {
      bounds: boundsOf(route, providers),
      at: `for ${route.upstream_model} at a provider of kind ${String(providers.kindOf(route.provider))}`,
    }).filter(([broken]) => broken),
  );
  return first
    .filter((rule) => others.every((rules) => rules.some((other) => isSamePromise(rule, other))))
    .map(([broken, path, message]) => [
      broken,
      path,
      others.length === 0 ? message : `${message}; no other route can either`,
    ]);
}

const isSamePromise = ([, path, , value]: Rule, [, otherPath, , other]: Rule): boolean =>
  path.join('/') === otherPath.join('/') && value === other;

/**
 * What the vendor can be asked for on this route; nothing is known of a provider that is not there
 * or none for video.
 */
function boundsOf(
  { provider, upstream_model: upstream }: RawVideoRoute,
  { kindOf, vendorOf }: KnownProviders,
): VideoModelBounds {
  const vendor = vendorOf(kindOf(provider));
  return vendor === undefined ? {} : videoModelBounds(vendor, upstream);
}

export const toVideoRoute = (raw: RawVideoRoute, providers: KnownProviders): VideoRoute => ({
  name: nameOf(raw),
  provider: raw.provider,
  upstreamModel: raw.upstream_model,
  weight: raw.weight,
  fallback: raw.fallback,
  ...(raw.cost !== undefined && { cost: toCost(raw.cost) }),
  bounds: boundsOf(raw, providers),
  retiresAt: toRetiresAt(raw.retires_at),
});
