import type { Ajv, ValidateFunction } from 'ajv';
import { createAjv } from './ajv.ts';
import {
  textProviderKinds,
  type Configuration,
  type ProviderSettings,
  type TextModel,
  type TextProvider,
  type VideoModel,
} from './configuration.ts';
import { readDocument, type ConfigurationProblem } from './configuration-document.ts';
import { isObject, type KnownProviders, type PathProblem } from './configuration-parts.ts';
import {
  readSecret,
  resolveAddresses,
  strayReferences,
  type SecretSources,
} from './configuration-secrets.ts';
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
  type RawTextProvider,
} from './configuration-text.ts';
import {
  mendVideoModel,
  toVideoModel,
  toVideoProvider,
  videoModelProblems,
} from './configuration-video.ts';
import type { RawVideoProvider } from './configuration-video-schema.ts';
import { textDialectFacts } from './text-vendors.ts';
import type { VideoVendors } from './video-vendors.ts';
import { locatedViolationsOf, showPath } from './violation.ts';

export type { ConfigurationProblem } from './configuration-document.ts';
export type { SecretSources } from './configuration-secrets.ts';

export type ReadConfiguration =
  | { readonly ok: true; readonly configuration: Configuration }
  | { readonly ok: false; readonly problems: readonly ConfigurationProblem[] };

type QuirkValidators = Readonly<Record<keyof typeof textDialectFacts, ValidateFunction>>;

/** Fills in what the file leaves out. */
const withDefaults = (): Ajv => createAjv({ useDefaults: true });

const fileValidators = new WeakMap<VideoVendors, ValidateFunction>();
let quirkValidators: QuirkValidators | undefined;

/** Compiled when the first file is read with these vendors. */
function validateFile(vendors: VideoVendors): ValidateFunction {
  const validate =
    fileValidators.get(vendors) ??
    withDefaults().compile(configurationSchema(Object.keys(vendors)));
  fileValidators.set(vendors, validate);
  return validate;
}

/** Compiled when the first quirks are read, once a process. */
function validateQuirks(): QuirkValidators {
  if (quirkValidators !== undefined) return quirkValidators;
  const ajv = withDefaults();
  quirkValidators = Object.fromEntries(
    textProviderKinds.map((kind) => [kind, ajv.compile(textDialectFacts[kind].quirksSchema)]),
  ) as QuirkValidators;
  return quirkValidators;
}

/**
 * Reads the text of config/gateway.yaml, whose video providers may be of these vendors' kinds: the
 * whole configuration, or every problem with its line.
 */
export function readConfiguration(
  text: string,
  secrets: SecretSources,
  vendors: VideoVendors,
): ReadConfiguration {
  const { problems: unreadable, value, lineOf } = readDocument(text);
  if (unreadable.length > 0) return { ok: false, problems: unreadable };
  // References to the environment are resolved in addresses before validation, so that a resolved
  // address is what is checked.
  const unset = [...resolveAddresses(value, secrets), ...strayReferences(value)];
  const isUnset = (path: readonly string[]): boolean =>
    unset.some((problem) => problem.path.join('/') === path.join('/'));
  const wrong = [
    ...inWords(unset),
    ...locatedViolationsOf(validateFile(vendors), value)
      .filter(({ path }) => !isUnset(path))
      .map(({ path, violation: { message } }) => ({ path, message })),
  ];
  const checked = check(value, wrong, { secrets, vendors });
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
  { secrets, vendors }: { secrets: SecretSources; vendors: VideoVendors },
): { configuration: Configuration; problems: PathProblem[] } {
  const {
    providers,
    models,
    limits,
    quota_per_currency: quotaPerCurrency,
  } = (isObject(value) ? value : {}) as Partial<RawConfiguration>;
  const isTold = (path: readonly string[]): boolean =>
    wrong.some((problem) => path.every((part, index) => (problem.path[index] ?? part) === part));
  const isSound = (...path: readonly string[]): boolean => !isTold(path);

  const read = { ...emptySections(), problems: [] as PathProblem[] };
  const kinds = [...Object.keys(vendors), ...textProviderKinds];
  for (const [name, provider] of partsOfKind(providers, kinds)) {
    readProvider(name, provider, {
      read,
      secrets,
      isVideo: Object.hasOwn(vendors, provider.kind),
      sound: isSound('providers', name),
    });
  }
  const known: KnownProviders = {
    kindOf: (name) =>
      isObject(providers) && Object.hasOwn(providers, name)
        ? String(providers[name]?.kind)
        : undefined,
    vendorOf: (kind) =>
      kind !== undefined && Object.hasOwn(vendors, kind) ? vendors[kind] : undefined,
  };
  for (const [name, model] of partsOfKind(models, ['video', 'text'])) {
    readModel(name, model, {
      read,
      known,
      sound: isSound('models', name),
      isSoundField: (...path) => isSound('models', name, ...path),
    });
  }
  const { problems, ...sections } = read;
  const untold = problems.filter(({ path }) => !isTold(path));
  return {
    configuration: {
      ...sections,
      limits: toLimits(isSound('limits') ? limits : undefined),
      quotaPerCurrency: new Map(
        Object.entries(isSound('quota_per_currency') ? (quotaPerCurrency ?? {}) : {}),
      ),
    },
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

interface ReadProvider {
  readonly read: Sections;
  readonly secrets: SecretSources;
  readonly isVideo: boolean;
  readonly sound: boolean;
}

function readProvider(
  name: string,
  raw: RawProvider,
  { read, secrets, isVideo, sound }: ReadProvider,
): void {
  const { api_key: key, api_key_file: keyFile } = raw;
  const hasReference = key !== undefined || keyFile !== undefined;
  // A service needs no key that it does not use; that the file refers to one is checked everywhere.
  const isWanted =
    !hasReference || secrets.of === undefined || secrets.of === (isVideo ? 'video' : 'text');
  const found = isWanted ? readSecret(raw, secrets) : '';
  const apiKey = typeof found === 'string' ? found : '';
  if (typeof found !== 'string') {
    read.problems.push({ path: ['providers', name, found.field], message: found.problem });
  }
  if (!sound) return;
  if (isVideo) {
    read.providers.set(name, toVideoProvider(name, raw as RawVideoProvider, apiKey));
  } else read.textProviders.set(name, toTextProvider(name, raw as RawTextProvider, apiKey));
}

interface ReadModel {
  readonly read: Sections;
  readonly known: KnownProviders;
  readonly sound: boolean;
  readonly isSoundField: (...path: readonly string[]) => boolean;
}

function readModel(
  name: string,
  raw: RawModel,
  { read, known, sound, isSoundField }: ReadModel,
): void {
  const problems =
    raw.kind === 'video'
      ? videoModelProblems(mendVideoModel(raw, isSoundField), known)
      : textModelProblems(mendTextModel(raw), known, checkQuirks);
  read.problems.push(
    ...problems.map(({ path, message }) => ({ path: ['models', name, ...path], message })),
  );
  if (!sound) return;
  if (raw.kind === 'video') read.models.set(name, toVideoModel(name, raw, known));
  else read.textModels.set(name, toTextModel(name, raw));
}

const checkQuirks: CheckQuirks = (kind, quirks) =>
  locatedViolationsOf(validateQuirks()[kind], quirks).map(({ path, violation }) => ({
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
