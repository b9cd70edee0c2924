/** A model that its vendor ends at a known time. */
export interface Retiring {
  /** From then on nobody is served with it; undefined: no end is known. */
  readonly retiresAt: Date | undefined;
}

const form = /^\d{4}-\d{2}-\d{2}(T\d{2}:\d{2}:\d{2}Z)?$/;

/** As the file names it: a day, from its first moment in UTC, or a time in UTC. */
export const retiresAt = {
  type: 'string',
  pattern: form.source,
  'x-must-be': 'a day such as 2027-01-31, or a time such as 2027-01-31T12:00:00Z',
} as const;

/** Whether a text of the right form names no moment, as 2027-02-30 does. */
export function isOffCalendar(text: unknown): boolean {
  if (typeof text !== 'string' || !form.test(text)) return false;
  const time = new Date(text);
  return Number.isNaN(time.getTime()) || !time.toISOString().startsWith(text.replace('Z', ''));
}

export const toRetiresAt = (text: string | undefined): Date | undefined =>
  text === undefined ? undefined : new Date(text);

export const isRetired = ({ retiresAt: end }: Retiring, nowMs: number): boolean =>
  end !== undefined && end.getTime() <= nowMs;

/** For whoever still asks for `model`. */
export const retiredSentence = (model: string, { retiresAt: end }: Retiring): string =>
  `${model} was retired on ${end?.toISOString().slice(0, 10) ?? ''}`;

/** When nobody serves a model any more that ends itself at `own`: at the latest with its last route. */
export function lastEnd(own: Date | undefined, routes: readonly Retiring[]): Date | undefined {
  const ends = routes.map(({ retiresAt: end }) => end?.getTime() ?? Infinity);
  const end = Math.min(own?.getTime() ?? Infinity, Math.max(...ends));
  return Number.isFinite(end) ? new Date(end) : undefined;
}

type NamedEnd = Retiring & { readonly name: string };

/** The models, and of their routes those that end at a time of their own. */
export const withRoutes = (
  models: Iterable<NamedEnd & { readonly routes: readonly NamedEnd[] }>,
): NamedEnd[] =>
  [...models].flatMap((model) => [
    model,
    ...model.routes
      .filter(({ retiresAt: end }) => end !== undefined)
      .map((route) => ({ ...route, name: `${model.name} on ${route.name}` })),
  ]);

/** The operator is told this long before. */
const noticeMs = 14 * 86_400_000;

/** Those that are retired or will be within two weeks, the earliest first. */
export const retiringModels = <Model extends Retiring>(
  models: Iterable<Model>,
  nowMs: number,
): (Model & { readonly retiresAt: Date })[] =>
  [...models]
    .filter((model): model is Model & { readonly retiresAt: Date } =>
      isRetired(model, nowMs + noticeMs),
    )
    .sort((one, other) => one.retiresAt.getTime() - other.retiresAt.getTime());

/** The names of those that still serve. */
export const namesInService = (
  models: Iterable<Retiring & { readonly name: string }>,
  nowMs: number,
): string[] => [...models].filter((model) => !isRetired(model, nowMs)).map(({ name }) => name);
