import path from 'node:path';
import { openStorage } from '@gateway/media';
import { createQueueCounts, type QueueCount } from '@gateway/queue';
import { newId } from '@gateway/runtime';
import {
  createAccountReads,
  createAccounts,
  createAdjustments,
  createCallbackDeliveries,
  createCallbackSecrets,
  createDataKeeping,
  createInstallation,
  createLedger,
  createLedgerReads,
  createMarginReads,
  createNamedFiles,
  createRecordedAudit,
  createRetention,
  createTaskMoves,
  createTaskOverviews,
  createTaskTries,
  createVendorTasks,
} from '@gateway/store';
import { createVideoProvider, videoVendors, type VideoProvider } from '@gateway/video-providers';
import type { CommandPorts } from './command.ts';
import type { Settings } from './config.ts';
import { diagnose, type Surroundings } from './doctor/diagnose.ts';

export type PortsOptions = Omit<Surroundings, 'migrationsFolder'>;

/** Beside the services in the checkout: ../../../prisma/migrations seen from dist/ports.js. */
const migrationsFolder = path.resolve(import.meta.dirname, '../../../prisma/migrations');

/** What every command may touch; nothing is connected before a command uses it. */
export const portsOf = ({ settings, database, loadConfiguration }: PortsOptions): CommandPorts => ({
  accounts: createAccounts(database),
  accountReads: createAccountReads(database),
  callbackDeliveries: createCallbackDeliveries(database),
  callbackSecrets: createCallbackSecrets(database),
  ledger: createLedger(database),
  adjustments: createAdjustments(database),
  audit: createRecordedAudit(database),
  data: createDataKeeping(database),
  showProgress,
  ledgerReads: createLedgerReads(database),
  margins: createMarginReads(database),
  quotaPerCurrency: () =>
    settings.GATEWAY_CONFIG === undefined
      ? new Map()
      : loadConfiguration(settings.GATEWAY_CONFIG).quotaPerCurrency,
  now: () => new Date(),
  tasks: createTaskOverviews(database),
  taskTries: createTaskTries(database),
  taskMoves: createTaskMoves(database),
  vendorTasks: createVendorTasks(database),
  videoProviders: () => videoProvidersOf(settings, loadConfiguration),
  installation: createInstallation(database),
  namedFiles: createNamedFiles(database),
  retention: createRetention(database),
  openStorage: () => openStorage(settings),
  queueCounts: () => countQueues(settings),
  diagnose: () => diagnose({ settings, database, migrationsFolder, loadConfiguration }),
  newId,
});

/** On standard error, so that the output stays what the command says; nothing where it is no terminal. */
function showProgress(line: string): void {
  if (process.stderr.isTTY) process.stderr.write(`\r\u001B[K${line}`);
}

const vendorTimeoutMs = 30_000;

function videoProvidersOf(
  { GATEWAY_CONFIG: file }: Readonly<Settings>,
  loadConfiguration: PortsOptions['loadConfiguration'],
): ReadonlyMap<string, VideoProvider> {
  if (file === undefined) {
    throw new Error('Settings that keep this command from running:\n  GATEWAY_CONFIG is required');
  }
  return new Map(
    [...loadConfiguration(file).providers.values()]
      .filter(({ kind }) => kind in videoVendors)
      .map(({ name, kind, baseUrl, apiKey }) => [
        name,
        createVideoProvider(kind, { baseUrl, apiKey, timeoutMs: vendorTimeoutMs }),
      ]),
  );
}

async function countQueues({
  REDIS_URL: redisUrl,
  QUEUE_PREFIX: prefix,
}: Readonly<Settings>): Promise<QueueCount[]> {
  if (redisUrl === undefined) {
    throw new Error('Settings that keep this command from running:\n  REDIS_URL is required');
  }
  const silent = (): undefined => undefined; // the command reports what went wrong
  const counts = createQueueCounts({
    redisUrl,
    prefix,
    log: { error: silent, warn: silent, info: silent, debug: silent },
  });
  try {
    return await counts.read();
  } finally {
    await counts.part.stop();
  }
}
