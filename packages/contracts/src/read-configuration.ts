import { Ajv, type ValidateFunction } from 'ajv';
import { LineCounter, parseDocument, isNode, type Document } from 'yaml';
import { configurationSchema, type Configuration, type ProviderSettings, type RawConfiguration, type RawModel, type RawProvider, type VideoModel } from './configuration.ts';
import { violationsOf } from './violation.ts';

export interface ConfigurationProblem {
  /** Line in the file, from 1. */
  readonly line: number;
  readonly message: string;
}

export type ReadConfiguration =
  | { readonly ok: true; readonly configuration: Configuration }
  | { readonly ok: false; readonly problems: readonly ConfigurationProblem[] };

/** Where secrets come from: both answer undefined for what is not there. */
export interface SecretSources {
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly readFile: (path: string) => string | undefined;
}

function compileSchema(): ValidateFunction<RawConfiguration> {
  const ajv = new Ajv({ allErrors: true, verbose: true, useDefaults: true, allowUnionTypes: true });
  ajv.addVocabulary(['x-must-be']);
  return ajv.compile<RawConfiguration>(configurationSchema);
}

/** Reads the text of config/gateway.yaml: the whole configuration, or every problem with its line. */
export function readConfiguration(text: string, secrets: SecretSources): ReadConfiguration {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, uniqueKeys: true });
  if (document.errors.length > 0) {
    return { ok: false, problems: document.errors.map((error) => ({ line: lines.linePos(error.pos[0]).line, message: error.message.split('\n')[0] ?? 'not YAML' })) };
  }
  const lineOf = (path: readonly string[]): number => findLine(document, lines, path);
  // References to the environment are resolved in addresses before validation, so that a resolved address is what is checked.
  const value: unknown = document.toJS();
  resolveAddresses(value, secrets);
  const problems = violationsOf(compileSchema(), value).map(({ param, message }) => ({ line: lineOf(splitPath(param)), message }));
  if (problems.length > 0) return { ok: false, problems };
  const checked = check(value as RawConfiguration, secrets);
  if (checked.problems.length > 0) {
    return { ok: false, problems: checked.problems.map(({ path, message }) => ({ line: lineOf(path), message: `${path.join('.')} ${message}` })) };
  }
  return { ok: true, configuration: checked.configuration };
}

interface PathProblem {
  readonly path: readonly string[];
  readonly message: string;
}

function check(raw: RawConfiguration, secrets: SecretSources): { configuration: Configuration; problems: PathProblem[] } {
  const problems: PathProblem[] = [];
  const providers = new Map<string, ProviderSettings>();
  for (const [name, provider] of Object.entries(raw.providers)) {
    const apiKey = readSecret(provider, secrets);
    if (typeof apiKey !== 'string') problems.push({ path: ['providers', name, apiKey.field], message: apiKey.problem });
    providers.set(name, toProvider(name, provider, typeof apiKey === 'string' ? apiKey : ''));
  }
  const models = new Map<string, VideoModel>();
  for (const [name, model] of Object.entries(raw.models)) {
    problems.push(...modelProblems(model, providers).map(({ path, message }) => ({ path: ['models', name, ...path], message })));
    models.set(name, toModel(name, model));
  }
  return { configuration: { providers, models }, problems };
}

function readSecret(provider: RawProvider, secrets: SecretSources): string | { field: string; problem: string } {
  if (provider.api_key !== undefined) {
    const variable = provider.api_key.slice(2, -1);
    return secrets.environment[variable] || { field: 'api_key', problem: `refers to the environment variable ${variable}, which is not set` };
  }
  if (provider.api_key_file === undefined) return { field: 'kind', problem: 'needs an api_key or an api_key_file beside it' };
  const text = secrets.readFile(provider.api_key_file)?.trim();
  return text || { field: 'api_key_file', problem: `names ${provider.api_key_file}, which cannot be read or is empty` };
}

function modelProblems(model: RawModel, providers: ReadonlyMap<string, unknown>): PathProblem[] {
  const { duration, ratio, resolution, second_quota: price } = model;
  const rules: readonly (readonly [broken: boolean, path: readonly string[], message: string])[] = [
    [!providers.has(model.provider), ['provider'], `names the provider ${model.provider}, which is not under providers`],
    [duration.min > duration.max, ['duration', 'min'], 'is larger than max'],
    [duration.default < duration.min || duration.default > duration.max, ['duration', 'default'], 'is not between min and max'],
    [!ratio.allowed.includes(ratio.default), ['ratio', 'default'], 'is not one of allowed'],
    [!resolution.allowed.includes(resolution.default), ['resolution', 'default'], 'is not one of allowed'],
    ...resolution.allowed.map((value) => [typeof price !== 'number' && price[value] === undefined, ['second_quota'], `has no price for the resolution ${value}`] as const),
  ];
  return rules.filter(([broken]) => broken).map(([, path, message]) => ({ path: [...path], message }));
}

const toProvider = (name: string, raw: RawProvider, apiKey: string): ProviderSettings => ({
  name,
  kind: raw.kind,
  baseUrl: raw.base_url.replace(/\/+$/, ''),
  apiKey,
  maxConcurrent: raw.max_concurrent,
  requestsPerSecond: raw.requests_per_second,
  pace: { firstSeconds: raw.poll_seconds.first, maxSeconds: raw.poll_seconds.max },
});

const toModel = (name: string, raw: RawModel): VideoModel => ({
  name,
  provider: raw.provider,
  upstreamModel: raw.upstream_model,
  price: { secondQuota: raw.second_quota, audioSecondQuota: raw.audio_second_quota },
  duration: raw.duration,
  ratio: raw.ratio,
  resolution: raw.resolution,
  references: raw.references,
  frames: raw.frames,
  generateAudioByDefault: raw.generate_audio,
  mediaOnly: raw.media_only,
  unsupported: raw.unsupported,
  promptMaxCharacters: raw.prompt_max_characters,
  expiresAfterSeconds: raw.expires_after_seconds,
  retentionDays: raw.retention_days,
});

/** `${NAME}` inside a base_url is replaced by the environment's value; an unset one stays and fails validation by name. */
function resolveAddresses(value: unknown, { environment }: SecretSources): void {
  const providers = (value as { providers?: unknown } | null)?.providers;
  if (typeof providers !== 'object' || providers === null) return;
  for (const provider of Object.values(providers as Record<string, { base_url?: unknown } | null>)) {
    if (typeof provider?.base_url !== 'string') continue;
    provider.base_url = provider.base_url.replaceAll(/\$\{([A-Z][A-Z0-9_]*)\}/g, (whole, variable: string) => environment[variable] ?? whole);
  }
}

const splitPath = (param: string | null): string[] => (param === null ? [] : param.split(/[.[\]]+/).filter((part) => part !== ''));

/** The line of the deepest node on the path that the file really has. */
function findLine(document: Document, lines: LineCounter, path: readonly string[]): number {
  for (let depth = path.length; depth > 0; depth -= 1) {
    const node = document.getIn(path.slice(0, depth), true);
    if (isNode(node) && node.range) return lines.linePos(node.range[0]).line;
  }
  return 1;
}
