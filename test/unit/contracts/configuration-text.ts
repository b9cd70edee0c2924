import {
  readConfiguration,
  type Configuration,
  type ConfigurationProblem,
  type SecretSources,
} from '@gateway/contracts';
import { videoVendors } from '@gateway/video-providers';

/** A small configuration without anything that has a default. */
export const minimal = `providers:
  studio:
    kind: ark
    base_url: https://vendor.example/api/v3
    api_key: \${STUDIO_KEY}
models:
  film-1:
    kind: video
    provider: studio
    upstream_model: film-1-upstream
    second_quota: 100
    duration: { min: 4, max: 15, default: 6 }
    ratio: { allowed: ["16:9", "1:1"], default: "16:9" }
    resolution: { allowed: [480p, 720p], default: 720p }
`;

/** The text with one passage changed; fails when the passage is not there. */
export function changed(from: string, to: string, text = minimal): string {
  if (!text.includes(from)) throw new Error(`not in the text: ${from}`);
  return text.replace(from, () => to);
}

/** The text with lines added at its end, where the model is. */
export const withModelLines = (...lines: string[]): string =>
  `${minimal}${lines.map((line) => `    ${line}\n`).join('')}`;

/** The text with a line added to its provider. */
export const withProviderLine = (line: string): string =>
  changed('    kind: ark\n', `    kind: ark\n    ${line}\n`);

/** Where a passage stands, counted from 1. */
export const lineOf = (text: string, passage: string): number =>
  text.slice(0, text.indexOf(passage)).split('\n').length;

const secrets: SecretSources = {
  environment: { STUDIO_KEY: 'sk-studio' },
  readFile: () => undefined,
};

export function problemsIn(
  text: string,
  given: Partial<SecretSources> = {},
): readonly ConfigurationProblem[] {
  const read = readConfiguration(text, { ...secrets, ...given }, videoVendors);
  return read.ok ? [] : read.problems;
}

/** The configuration in a text; fails with its problems when there are any. */
export function configurationIn(text: string, given: Partial<SecretSources> = {}): Configuration {
  const read = readConfiguration(text, { ...secrets, ...given }, videoVendors);
  if (!read.ok) throw new Error(JSON.stringify(read.problems));
  return read.configuration;
}
