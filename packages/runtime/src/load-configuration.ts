import { readFileSync } from 'node:fs';
import { readConfiguration, type Configuration } from '@gateway/contracts';
import { describeError } from '@gateway/domain';
import { SettingsError } from './settings.ts';

/** Reads the operator's file, or throws a SettingsError that names every problem with its line. */
export function loadConfiguration(path: string, environment: NodeJS.ProcessEnv): Configuration {
  const text = readOrThrow(path);
  const read = readConfiguration(text, { environment, readFile: readIfThere });
  if (read.ok) return read.configuration;
  const lines = read.problems.map(({ line, message }) => `  ${path}:${line} ${message}`);
  throw new SettingsError(`The configuration cannot be used:\n${lines.join('\n')}`);
}

function readOrThrow(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    throw new SettingsError(`The configuration cannot be read (GATEWAY_CONFIG): ${describeError(error)}`);
  }
}

function readIfThere(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined; // reported as a problem of the configuration, with its line
  }
}
