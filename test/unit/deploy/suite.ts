import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { parseAllDocuments } from 'yaml';
import * as admin from '../../../services/admin/src/config.ts';
import * as api from '../../../services/api/src/config.ts';
import * as billing from '../../../services/billing/src/config.ts';
import * as callbackDispatcher from '../../../services/callback-dispatcher/src/config.ts';
import * as sandboxVendor from '../../../services/sandbox-vendor/src/config.ts';
import * as videoWorker from '../../../services/video-worker/src/config.ts';

export const root = path.resolve(import.meta.dirname, '../../..');
export const fileOf = (name: string): string => readFileSync(path.join(root, name), 'utf8');

/** What a service says of itself in its config.ts. */
export interface ServiceFacts {
  readonly names: readonly string[];
  readonly required: readonly string[];
  readonly defaults: Readonly<Record<string, unknown>>;
  readonly read: (environment: NodeJS.ProcessEnv) => object;
}

const factsOf = ({
  settingsSchema,
  readSettings,
}: {
  settingsSchema: unknown;
  readSettings: ServiceFacts['read'];
}): ServiceFacts => {
  const { properties, required } = settingsSchema as {
    properties: Record<string, { default?: unknown }>;
    required: string[];
  };
  return {
    names: Object.keys(properties),
    required,
    read: readSettings,
    defaults: Object.fromEntries(
      Object.entries(properties).map(([name, { default: value }]) => [name, value]),
    ),
  };
};

/** The suite's programs that read settings, by the name that the image's entry gives them. */
export const services: Readonly<Record<string, ServiceFacts>> = {
  api: factsOf(api),
  'video-worker': factsOf(videoWorker),
  'callback-dispatcher': factsOf(callbackDispatcher),
  billing: factsOf(billing),
  admin: factsOf(admin),
  'sandbox-vendor': factsOf(sandboxVendor),
};
export const longRunning = ['api', 'video-worker', 'callback-dispatcher', 'billing'] as const;

/**
 * Every document of a YAML text; throws on a key that stands twice and on whatever else is not
 * clear.
 */
export function documentsOf(yaml: string, version: '1.1' | '1.2' = '1.2'): unknown[] {
  return parseAllDocuments(yaml, { version, strict: true, uniqueKeys: true, merge: true }).map(
    (document) => {
      const problem = document.errors[0] ?? document.warnings[0];
      if (problem !== undefined) throw new Error(problem.message);
      return document.toJS() as unknown;
    },
  );
}

/** A Kubernetes object: its shape is checked by a test, so that the others may read it freely. */
export type Manifest = any;

const rendered = new Map<string, string>();

/** What `npm run render` prints for a folder with these components; asked for once. */
export function manifestText(folder: string, ...components: string[]): string {
  const folders = [`k8s/${folder}`, ...components.map((name) => `k8s/components/${name}`)];
  const key = folders.join(' ');
  const text = rendered.get(key) ?? render(folders);
  rendered.set(key, text);
  return text;
}

const render = (folders: readonly string[]): string =>
  execFileSync(process.execPath, ['scripts/render.mjs', ...folders], {
    cwd: root,
    encoding: 'utf8',
  });

export const manifestsOf = (folder: string, ...components: string[]): Manifest[] =>
  documentsOf(manifestText(folder, ...components));

/** What docker/make-env.mjs writes for these options. */
export function madeEnvironment(...options: string[]): Record<string, string> {
  return completedEnvironment('', ...options);
}

/** The same where the file has something already. */
export function completedEnvironment(before: string, ...options: string[]): Record<string, string> {
  const folder = mkdtempSync(path.join(tmpdir(), 'make-env-'));
  try {
    if (before !== '') writeFileSync(path.join(folder, '.env'), before);
    execFileSync(process.execPath, [path.join(root, 'docker/make-env.mjs'), ...options], {
      cwd: folder,
    });
    return Object.fromEntries(
      readFileSync(path.join(folder, '.env'), 'utf8')
        .trim()
        .split('\n')
        .map((line) => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)]),
    );
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** The variables that a gateway.yaml asks for, comments left out. */
export const variablesIn = (configuration: string): string[] =>
  [...configuration.replaceAll(/#.*$/gm, '').matchAll(/\$\{(\w+)\}/g)].map(([, name]) => name!);
