import type { GatewayStatus, ProviderStatus, Replica } from '@gateway/client';
import { numberText } from '../parts/format.ts';
import type { Mood } from '../parts/status-mark.tsx';

/** A state in a word, and how it is to be shown. */
export interface Mark {
  readonly mood: Mood;
  readonly word: string;
}

const breakerMarks: Readonly<Record<NonNullable<ProviderStatus['breaker']>, Mark>> = {
  closed: { mood: 'good', word: 'closed' },
  half_open: { mood: 'waiting', word: 'half open' },
  open: { mood: 'bad', word: 'open' },
};

/** A circuit breaker; null: no service says how it stands. */
export const breakerMarkOf = (breaker: ProviderStatus['breaker']): Mark =>
  breaker === null ? { mood: 'over', word: 'not known' } : breakerMarks[breaker];

/** So much of what is allowed; a side that is not known is a dash. */
export const ofAllowed = (used: number | null, allowed: number | null): string =>
  `${used === null ? '–' : numberText(used)} of ${allowed === null ? '–' : numberText(allowed)}`;

/** The failures of one provider, as one of many. */
export type Failure = ProviderStatus['failures'][number] & { readonly provider: string };

/** What came to nothing in the last hour at all providers, the newest first. */
export const failuresOf = (providers: readonly ProviderStatus[]): readonly Failure[] =>
  providers
    .flatMap(({ provider, failures }) => failures.map((failure) => ({ ...failure, provider })))
    .toSorted((one, other) => Date.parse(other.last_at) - Date.parse(one.last_at));

export const failureCountOf = ({ failures }: ProviderStatus): number =>
  failures.reduce((sum, { count }) => sum + count, 0);

type Work = GatewayStatus['work'][number];

/** Due for longer than this is late: services look at what is due every few seconds. */
const lateAfterSeconds = 60;

export function workMarkOf({ due, oldest_seconds: oldest }: Work): Mark {
  if (due === 0) return { mood: 'good', word: 'on time' };
  return oldest < lateAfterSeconds
    ? { mood: 'busy', word: 'in progress' }
    : { mood: 'bad', word: 'late' };
}

const workNames: Readonly<Record<string, string>> = {
  video: 'Submissions',
  push: 'Callbacks',
  settlement: 'Settlements',
  usage: 'Usage of text requests',
};

/** What work is called; of a kind that is newer than these pages, its own name. */
export const workNameOf = ({ work }: Work): string => workNames[work] ?? work;

type Refused = NonNullable<NonNullable<Replica['configuration']>['refused']>;

/** A version of the configuration that replicas refused. */
export interface RefusedVersion extends Refused {
  readonly services: readonly string[];
}

/** Each version that some replica refused last, with who refused it. */
export function refusedVersionsOf(replicas: readonly Replica[]): readonly RefusedVersion[] {
  const found = new Map<string, RefusedVersion>();
  for (const { service, configuration } of replicas) {
    const refused = configuration?.refused ?? null;
    if (refused === null) continue;
    const known = found.get(refused.hash);
    const services = new Set([...(known?.services ?? []), service]);
    found.set(refused.hash, { ...(known ?? refused), services: [...services] });
  }
  return [...found.values()];
}

/** The versions of the configuration that are in force somewhere: two are a change under way, or a refusal. */
export const versionsInForce = (replicas: readonly Replica[]): readonly string[] => [
  ...new Set(replicas.flatMap(({ configuration }) => configuration?.hash ?? [])),
];
