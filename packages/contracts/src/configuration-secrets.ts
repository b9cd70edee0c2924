import { isObject, type PathProblem, type RawProviderFields } from './configuration-parts.ts';

/** Where secrets come from: both return undefined for what is not there. */
export interface SecretSources {
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly readFile: (path: string) => string | undefined;
  /**
   * Left out: keys of all providers are resolved; otherwise only of this kind, and the others are
   * empty.
   */
  readonly of?: 'video' | 'text';
}

/**
 * Also of a provider whose fields are of another type than they should be; that is told by the
 * schema.
 */
export function readSecret(
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
export function resolveAddresses(value: unknown, { environment }: SecretSources): PathProblem[] {
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
export function strayReferences(value: unknown, path: readonly string[] = []): PathProblem[] {
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
