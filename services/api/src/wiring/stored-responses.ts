import type { Router } from 'express';
import { createStoredResponseReads, createStoredResponses as createStore } from '@gateway/store';
import {
  createStoredResponses,
  type BuiltStoredResponses,
} from '../adapters/stored-responses/stored-responses.ts';
import type { Settings } from '../config.ts';
import type { Authenticate } from '../http/authentication.ts';
import { responseRoutes } from '../http/routes/responses.ts';
import { createSendJson } from '../http/served-bytes.ts';
import type { Clients } from './clients.ts';

/** Of a response of 16 MiB two to an account, and four in all. */
const serving = { accountBytes: 35_651_584, processBytes: 71_303_168, withinMs: 60_000 };

/** What the text lane keeps of finished responses, and the routes that serve it again. */
export function buildStoredResponses(
  settings: Pick<Settings, 'RESPONSES_RETENTION_HOURS' | 'RESPONSES_BYTES_PER_ACCOUNT'>,
  { database, metrics, log }: Pick<Clients, 'database' | 'metrics' | 'log'>,
  authenticate: Authenticate,
): BuiltStoredResponses & { readonly routes: Router } {
  const built = createStoredResponses({
    store: createStore(database),
    reads: createStoredResponseReads(database),
    retentionHours: settings.RESPONSES_RETENTION_HOURS,
    maxAccountBytes: settings.RESPONSES_BYTES_PER_ACCOUNT,
    metrics,
    log,
  });
  return {
    ...built,
    routes: responseRoutes({ authenticate, kept: built.kept, sendJson: createSendJson(serving) }),
  };
}
