import { existsSync, readdirSync, watch, type FSWatcher } from 'node:fs';
import { join } from 'node:path';
import { nodeArgumentsOf, type DevRequest } from './dev-request.ts';
import { messageOf } from './local-stack-error.ts';
import { repositoryRoot } from './package-folder.ts';
import { runOrThrow } from './run-command.ts';
import type { StartSuiteOptions, Suite } from './suite.ts';

/** An editor writes a file in several steps. */
const quietMs = 150;

/** What the suite has to know of the service that a developer works on. */
export const suiteOptionsFor = (
  dev: DevRequest | undefined,
): Pick<StartSuiteOptions, 'nodeArguments' | 'compiled' | 'env'> =>
  dev === undefined
    ? {}
    : {
        nodeArguments: { [dev.service]: nodeArgumentsOf(dev) },
        compiled: [dev.service],
        env: { [dev.service]: { LOG_LEVEL: dev.logLevel } },
      };

/**
 * Compiles the service and starts it again whenever its sources change, or those of a package. What
 * does not compile is told, and the service goes on as it was. Ends with the function that is
 * returned.
 */
export function followSources(
  { service }: Pick<DevRequest, 'service'>,
  suite: Pick<Suite, 'startService' | 'stopService'>,
  { log, signal }: { readonly log: (line: string) => void; readonly signal: AbortSignal },
): () => Promise<void> {
  const packages = readdirSync(join(repositoryRoot, 'packages'));
  const folders = [`services/${service}`, ...packages.map((name) => `packages/${name}`)];
  const renew = async (): Promise<void> => {
    await compile(service, signal);
    await suite.stopService(service);
    await suite.startService(service);
  };
  log(`watching the sources of ${service} and of the packages`);
  return followFolders(
    folders.map((folder) => join(repositoryRoot, folder, 'src')),
    async (file) => {
      log(`${file} was saved: compiling ${service}`);
      try {
        await renew();
        log(`${service} runs what was saved`);
      } catch (error) {
        log(messageOf(error));
      }
    },
  );
}

const compile = (service: string, signal: AbortSignal): Promise<string> =>
  runOrThrow(
    'Compiling',
    [
      process.execPath,
      join(repositoryRoot, 'node_modules/typescript-native/bin/tsc'),
      '-b',
      join(repositoryRoot, 'services', service),
    ],
    { cwd: repositoryRoot, timeoutMs: 120_000, signal },
  );

/**
 * Calls `onChange` some time after a file in one of the folders was saved, never twice at once: what
 * is saved meanwhile counts once, afterwards. Ends with the function that is returned, which waits
 * for the call under way.
 */
export function followFolders(
  folders: readonly string[],
  onChange: (file: string) => Promise<void>,
): () => Promise<void> {
  let saved: string | undefined;
  let timer: NodeJS.Timeout | undefined;
  let isOver = false;
  let current: Promise<void> | undefined;
  const work = async (): Promise<void> => {
    const file = saved;
    if (file === undefined) return;
    saved = undefined;
    await onChange(file);
    await work();
  };
  const schedule = (): void => {
    clearTimeout(timer);
    timer = setTimeout(() => {
      current ??= work().finally(() => {
        current = undefined;
      });
    }, quietMs);
  };
  const watchers = new Map<string, FSWatcher>();
  // Folders, not files: many editors put a new file in the place of the old one.
  const watchAll = (): void => {
    // What another branch has left behind, say a folder of build output, has no sources.
    for (const folder of folders.filter((each) => existsSync(each)).flatMap(foldersIn)) {
      if (watchers.has(folder)) continue;
      const watcher = watch(folder, (_event, name) => {
        if (isOver) return;
        watchAll();
        if (name?.endsWith('.ts') !== true) return;
        saved = name;
        schedule();
      });
      watcher.on('error', () => {
        watchers.delete(folder); // it was removed
      });
      watchers.set(folder, watcher);
    }
  };
  watchAll();
  return async () => {
    isOver = true;
    saved = undefined;
    clearTimeout(timer);
    for (const watcher of watchers.values()) watcher.close();
    await current;
  };
}

/** The folder and all below it. */
const foldersIn = (folder: string): readonly string[] => [
  folder,
  ...readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map((entry) => join(entry.parentPath, entry.name)),
];
