import { Ajv, type ValidateFunction } from 'ajv';
import {
  textProviderKinds,
  videoProviderKinds,
  type Configuration,
  type ProviderSettings,
  type TextModel,
  type TextProvider,
  type VideoModel,
} from './configuration.ts';
import { readDocument, type ConfigurationProblem } from './configuration-document.ts';
import { isVideoKind, type PathProblem, type RawProviderFields } from './configuration-parts.ts';
import {
  configurationSchema,
  type RawConfiguration,
  type RawModel,
  type RawProvider,
} from './configuration-schema.ts';
import {
  mendTextModel,
  textModelProblems,
  toTextModel,
  toTextProvider,
  type CheckQuirks,
} from './configuration-text.ts';
import {
  mendVideoModel,
  toVideoModel,
  toVideoProvider,
  videoModelProblems,
  type RawVideoProvider,
} from './configuration-video.ts';
import { textDialectFacts } from './text-vendors.ts';
import { locatedViolationsOf, showPath } from './violation.ts';

export type { ConfigurationProblem } from './configuration-document.ts';

export type ReadConfiguration =
  | { readonly ok: true; readonly configuration: Configuration }
  | { readonly ok: false; readonly problems: readonly ConfigurationProblem[] };

/** Where secrets come from: both answer undefined for what is not there. */
export interface SecretSources {
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly readFile: (path: string) => string | undefined;
  /**
   * Left out: keys of all providers are resolved; otherwise only of this kind, and the others are
   * empty.
   */
  readonly of?: 'video' | 'text';
}

interface Validators {
  readonly file: ValidateFunction;
  readonly quirks: Readonly<Record<keyof typeof textDialectFacts, ValidateFunction>>;
}

let compiled: Validators | undefined;

/** Compiled when the first file is read, once a process. */
function validators(): Validators {
  if (compiled !== undefined) return compiled;
  const ajv = new Ajv({ allErrors: true, verbose: true, useDefaults: true, allowUnionTypes: true });
  ajv.addVocabulary(['x-must-be']);
  const quirks = Object.fromEntries(
    textProviderKinds.map((kind) => [kind, ajv.compile(textDialectFacts[kind].quirksSchema)]),
  ) as Validators['quirks'];
  compiled = { file: ajv.compile(configurationSchema), quirks };
  return compiled;
}

/**
 * Reads the text of config/gateway.yaml: the whole configuration, or every problem with its line.
 */
export function readConfiguration(text: string, secrets: SecretSources): ReadConfiguration {
  const { problems: unreadable, value, lineOf } = readDocument(text);
  if (unreadable.length > 0) return { ok: false, problems: unreadable };
  // References to the environment are resolved in addresses before validation, so that a resolved
  // address is what is checked.
  const unset = [...resolveAddresses(value, secrets), ...strayReferences(value)];
  const isUnset = (path: readonly string[]): boolean =>
    unset.some((problem) => problem.path.join('/') === path.join('/'));
  const wrong = [
    ...inWords(unset),
    ...locatedViolationsOf(validators().file, value)
      .filter(({ path }) => !isUnset(path))
      .map(({ path, violation: { message } }) => ({ path, message })),
  ];
  const checked = check(value, wrong, secrets);
  const problems = [...wrong, ...checked.problems].map(({ path, message }) => ({
    line: lineOf(path),
    message,
  }));
  if (problems.length > 0) {
    return { ok: false, problems: problems.sort((one, other) => one.line - other.line) };
  }
  return { ok: true, configuration: checked.configuration };
}

const inWords = (problems: readonly PathProblem[]): PathProblem[] =>
  problems.map(({ path, message }) => ({ path, message: `${showPath(path)} ${message}` }));

/**
 * What stands between fields: told in the same round as what is wrong with the fields themselves,
 * and only where that is not the reason.
 */
function check(
  value: unknown,
  wrong: readonly PathProblem[],
  secrets: SecretSources,
): { configuration: Configuration; problems: PathProblem[] } {
  const { providers, models, limits } = (isObject(value) ? value : {}) as Partial<RawConfiguration>;
  const isTold = (path: readonly string[]): boolean =>
    wrong.some((problem) => path.every((part, index) => (problem.path[index] ?? part) === part));
  const isSound = (...path: readonly string[]): boolean => !isTold(path);

  const read = { ...emptySections(), problems: [] as PathProblem[] };
  for (const [name, provider] of partsOfKind(providers, [
    ...videoProviderKinds,
    ...textProviderKinds,
  ])) {
    readProvider(name, provider, { read, secrets, sound: isSound('providers', name) });
  }
  const kindOf = (name: string): string | undefined =>
    isObject(providers) && Object.hasOwn(providers, name)
      ? String(providers[name]?.kind)
      : undefined;
  for (const [name, model] of partsOfKind(models, ['video', 'text'])) {
    readModel(name, model, {
      read,
      kindOf,
      sound: isSound('models', name),
      isSoundField: (field) => isSound('models', name, field),
    });
  }
  const { problems, ...sections } = read;
  const untold = problems.filter(({ path }) => !isTold(path));
  return {
    configuration: { ...sections, limits: toLimits(isSound('limits') ? limits : undefined) },
    problems: inWords(untold),
  };
}

const partsOfKind = <Part extends { kind: string }>(
  parts: Record<string, Part> | undefined,
  kinds: readonly string[],
): [string, Part][] =>
  isObject(parts)
    ? Object.entries(parts).filter(([, part]) => isObject(part) && kinds.includes(part.kind))
    : [];

interface Sections {
  readonly providers: Map<string, ProviderSettings>;
  readonly models: Map<string, VideoModel>;
  readonly textProviders: Map<string, TextProvider>;
  readonly textModels: Map<string, TextModel>;
  readonly problems: PathProblem[];
}

const emptySections = (): Omit<Sections, 'problems'> => ({
  providers: new Map(),
  models: new Map(),
  textProviders: new Map(),
  textModels: new Map(),
});

function readProvider(
  name: string,
  raw: RawProvider,
  { read, secrets, sound }: { read: Sections; secrets: SecretSources; sound: boolean },
): void {
  const found = isWanted(raw, secrets) ? readSecret(raw, secrets) : '';
  const apiKey = typeof found === 'string' ? found : '';
  if (typeof found !== 'string') {
    read.problems.push({ path: ['providers', name, found.field], message: found.problem });
  }
  if (!sound) return;
  if (isVideoProvider(raw)) read.providers.set(name, toVideoProvider(name, raw, apiKey));
  else read.textProviders.set(name, toTextProvider(name, raw, apiKey));
}

const isVideoProvider = (raw: RawProvider): raw is RawVideoProvider => isVideoKind(raw.kind);

/**
 * A service needs no key that it does not use; that the file refers to one is checked everywhere.
 */
function isWanted(
  { kind, api_key: key, api_key_file: keyFile }: RawProvider,
  { of }: SecretSources,
): boolean {
  const hasReference = key !== undefined || keyFile !== undefined;
  return !hasReference || of === undefined || of === (isVideoKind(kind) ? 'video' : 'text');
}

interface ReadModel {
  readonly read: Sections;
  readonly kindOf: (provider: string) => string | undefined;
  readonly sound: boolean;
  readonly isSoundField: (field: string) => boolean;
}

function readModel(
  name: string,
  raw: RawModel,
  { read, kindOf, sound, isSoundField }: ReadModel,
): void {
  const problems =
    raw.kind === 'video'
      ? videoModelProblems(mendVideoModel(raw, isSoundField), kindOf)
      : textModelProblems(mendTextModel(raw), kindOf, checkQuirks);
  read.problems.push(
    ...problems.map(({ path, message }) => ({ path: ['models', name, ...path], message })),
  );
  if (!sound) return;
  if (raw.kind === 'video') read.models.set(name, toVideoModel(name, raw, kindOf));
  else read.textModels.set(name, toTextModel(name, raw));
}

const checkQuirks: CheckQuirks = (kind, quirks) =>
  locatedViolationsOf(validators().quirks[kind], quirks).map(({ path, violation }) => ({
    path,
    message: `is not possible: ${violation.message}`,
  }));

/** Without limits there was a problem, and what comes of this is not used. */
function toLimits(limits: RawConfiguration['limits'] | undefined): Configuration['limits'] {
  const {
    default_key: key,
    default_account: account,
    asset_bytes: assetBytes,
  } = limits ?? noLimits;
  return {
    defaultKey: {
      requestsPerMinute: key.requests_per_minute,
      concurrentRequests: key.concurrent_requests,
    },
    defaultAccount: { activeVideos: account.active_videos, assetBytes: account.asset_bytes },
    assetBytes,
  };
}

const noLimits: RawConfiguration['limits'] = {
  default_key: { requests_per_minute: 0, concurrent_requests: 0 },
  default_account: { active_videos: 0, asset_bytes: 0 },
  asset_bytes: { image: 0, video: 0, audio: 0 },
};

/**
 * Also of a provider whose fields are of another type than they should be; that is told by the
 * schema.
 */
function readSecret(
  provider: RawProviderFields,
  secrets: SecretSources,
): string | { field: string; problem: string } {
  const { api_key: reference, api_key_file: path }: { api_key?: unknown; api_key_file?: unknown } =
    provider;
  if (typeof reference === 'string') {
    const variable = reference.slice(2, -1);
    return (
      secrets.environment[variable] || {
        field: 'api_key',
        problem: `refers to the environment variable ${variable}, which is not set`,
      }
    );
  }
  if (reference === undefined && path === undefined) {
    return { field: 'kind', problem: 'needs an api_key or an api_key_file beside it' };
  }
  if (typeof path !== 'string') return '';
  const text = secrets.readFile(path)?.trim();
  return (
    text || { field: 'api_key_file', problem: `names ${path}, which cannot be read or is empty` }
  );
}

/**
 * `${NAME}` inside a base_url is replaced by the environment's value; one that is not set is a
 * problem.
 */
function resolveAddresses(value: unknown, { environment }: SecretSources): PathProblem[] {
  const providers = (value as { providers?: unknown } | null)?.providers;
  if (!isObject(providers)) return [];
  const problems: PathProblem[] = [];
  for (const [name, provider] of Object.entries(
    providers as Record<string, { base_url?: unknown } | null>,
  )) {
    if (typeof provider?.base_url !== 'string') continue;
    provider.base_url = provider.base_url.replaceAll(
      /\$\{([A-Z][A-Z0-9_]*)\}/g,
      (_whole, variable: string) => {
        const set = environment[variable];
        if (set === undefined || set === '') {
          problems.push({
            path: ['providers', name, 'base_url'],
            message: `refers to the environment variable ${variable}, which is not set`,
          });
        }
        return set ?? '';
      },
    );
  }
  return problems;
}

/** A reference where nothing replaces it would go to a vendor as it stands. */
function strayReferences(value: unknown, path: readonly string[] = []): PathProblem[] {
  if (typeof value === 'object' && value !== null) {
    return Object.entries(value).flatMap(([key, inner]) => strayReferences(inner, [...path, key]));
  }
  const reference =
    typeof value === 'string' && path.at(-1) !== 'api_key'
      ? /\$\{[^}]*\}?/.exec(value)?.[0]
      : undefined;
  if (reference === undefined) return [];
  return [
    {
      path,
      message: `contains ${reference}, which nothing replaces: references stand in base_url and api_key of providers, with a name of capital letters, digits and underscores`,
    },
  ];
}

const isObject = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
