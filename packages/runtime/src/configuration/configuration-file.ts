import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import {
  readConfiguration,
  type Configuration,
  type SecretSources,
  type VideoVendors,
} from '@gateway/contracts';
import { describeError } from '@gateway/domain';

export interface ConfigurationFile {
  readonly path: string;
  readonly environment: NodeJS.ProcessEnv;
  /** The vendors whose kinds the file may name. */
  readonly videoVendors: VideoVendors;
  /**
   * Left out: the keys of all providers are resolved; otherwise only those of this kind, and the
   * others are empty.
   */
  readonly secretsOf?: 'video' | 'text';
}

/** What the file said at one moment, and all that it was read from. */
export interface ConfigurationReading {
  /**
   * Of the file's text, without its secrets: equal on every replica that works with the same file.
   */
  readonly hash: string;
  /** Undefined: it cannot be used, `problems` say why. */
  readonly configuration: Configuration | undefined;
  /** One each, with the line of the file where there is one. */
  readonly problems: readonly string[];
  /** Contents by path, undefined for what could not be read. */
  readonly inputs: ReadonlyMap<string, string | undefined>;
}

/** Reads the file and the key files that it names. Never throws. */
export function readConfigurationFile({
  path,
  environment,
  videoVendors,
  secretsOf,
}: ConfigurationFile): ConfigurationReading {
  const inputs = new Map<string, string | undefined>();
  const { text, reason } = readText(path);
  inputs.set(path, text);
  if (text === undefined) {
    return {
      hash: 'none',
      configuration: undefined,
      problems: [`${path} cannot be read (GATEWAY_CONFIG): ${reason}`],
      inputs,
    };
  }
  const readFile = (keyFile: string): string | undefined => {
    const key = readText(keyFile).text;
    inputs.set(keyFile, key);
    return key;
  };
  const sources: SecretSources = {
    environment,
    readFile,
    ...(secretsOf !== undefined && { of: secretsOf }),
  };
  const read = readConfiguration(text, sources, videoVendors);
  const hash = createHash('sha256').update(text).digest('hex').slice(0, 12);
  if (read.ok) {
    return { hash, configuration: Object.freeze(read.configuration), problems: [], inputs };
  }
  return {
    hash,
    configuration: undefined,
    problems: read.problems.map(({ line, message }) => `${path}:${line} ${message}`),
    inputs,
  };
}

/**
 * Whether anything that a reading was made from has another content now. Compares contents: a mount
 * that swaps a link keeps its times.
 */
export const hasChanged = ({ inputs }: ConfigurationReading): boolean =>
  [...inputs].some(([path, content]) => readText(path).text !== content);

function readText(path: string): { readonly text: string | undefined; readonly reason: string } {
  try {
    return { text: readFileSync(path, 'utf8'), reason: '' };
  } catch (error) {
    return { text: undefined, reason: describeError(error) };
  }
}
