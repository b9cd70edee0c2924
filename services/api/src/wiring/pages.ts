import { fileURLToPath } from 'node:url';
import { Router } from 'express';
import { version } from '@gateway/runtime';
import type { Settings } from '../config.ts';
import { consoleRoutes, type ConsoleFile } from '../http/routes/console.ts';
import { createReference } from '../reference/reference.ts';
import { referenceRoutes } from '../reference/reference-routes.ts';
import type { Clients } from './clients.ts';
import { readConsoleFiles } from './console-files.ts';

/** Beside this service, whether it runs compiled or from its sources. */
const builtConsole = fileURLToPath(new URL('../../../console/dist', import.meta.url));

/** What people see: the front door, the reference, and the console where it is wanted and built. */
export function buildPages(
  { CONSOLE, PUBLIC_BASE_URL: baseUrl }: Pick<Settings, 'CONSOLE' | 'PUBLIC_BASE_URL'>,
  { log }: Pick<Clients, 'log'>,
): Router {
  const files: ReadonlyMap<string, ConsoleFile> =
    CONSOLE === 'on' ? readConsoleFiles(builtConsole) : new Map<string, ConsoleFile>();
  const hasConsole = files.has('index.html');
  if (CONSOLE === 'on' && !hasConsole) {
    log.warn('the console is not served: it has not been built', { folder: builtConsole });
  }
  const routes = Router();
  routes.use(referenceRoutes(createReference({ baseUrl, version, hasConsole })));
  if (hasConsole) routes.use(consoleRoutes({ files, baseUrl }));
  return routes;
}
