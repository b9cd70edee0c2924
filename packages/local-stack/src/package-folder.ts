import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** This package's folder, from its sources as well as from its compiled files. */
const packageFolder = dirname(import.meta.dirname);

/** The checkout. */
export const repositoryRoot = dirname(dirname(packageFolder));

/** A plain module that a child process of ours runs. */
export function runtimeModule(
  name: 'exit-with-parent' | 'js-redis-server' | 'keep-server',
): string {
  return join(packageFolder, 'runtime', `${name}.mjs`);
}

/**
 * The folder of an installed npm package, found as Node finds it: in node_modules here or in a
 * folder above.
 */
export function installedPackage(name: string): string | undefined {
  for (let folder = packageFolder; ; folder = dirname(folder)) {
    const candidate = join(folder, 'node_modules', name);
    if (existsSync(candidate)) return candidate;
    if (folder === dirname(folder)) return undefined;
  }
}
