import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
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
  createExposureLists,
  createGoneModels,
  createInstallation,
  createJournal,
  createLedger,
  createLedgerReads,
  createMarginReads,
  createNamedFiles,
  createOperatorActions,
  createOperatorFeed,
  createRecordedAudit,
  createRetention,
  createStatusReads,
  createTaskCallbacks,
  createTaskDetails,
  createTaskMoves,
  createTaskOverviews,
  createTaskTries,
  createUsageReads,
  createVendorTasks,
} from '@gateway/store';
import { createVideoProvider, videoVendors, type VideoProvider } from '@gateway/video-providers';
import type { CommandPorts } from './command.ts';
import type { Settings } from './config.ts';
import { diagnose, type Surroundings } from './doctor/diagnose.ts';
import { checkTarget } from './vendor-check/target.ts';

export type PortsOptions = Omit<Surroundings, 'migrationsFolder'>;

/** Beside the services in the checkout: ../../../prisma/migrations seen from dist/ports.js. */
const migrationsFolder = path.resolve(import.meta.dirname, '../../../prisma/migrations');

/** What every command may touch; nothing is connected before a command uses it. */
export const portsOf = ({ settings, database, loadConfiguration }: PortsOptions): CommandPorts => ({
  accounts: createAccounts(database),
  actions: createOperatorActions(database, 'command'),
  journal: createJournal(database),
  accountReads: createAccountReads(database),
  callbackDeliveries: createCallbackDeliveries(database),
  taskCallbacks: createTaskCallbacks(database),
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
  exposures: createExposureLists(database),
  status: createStatusReads(database),
  configuredProviders: () =>
    settings.GATEWAY_CONFIG === undefined
      ? new Map()
      : loadConfiguration(settings.GATEWAY_CONFIG).providers,
  now: () => new Date(),
  tasks: createTaskOverviews(database),
  operatorFeed: createOperatorFeed(database),
  taskDetails: createTaskDetails(database),
  taskTries: createTaskTries(database),
  usageReads: createUsageReads(database),
  taskMoves: createTaskMoves(database),
  vendorTasks: createVendorTasks(database),
  goneModels: createGoneModels(database),
  videoProviders: () => videoProvidersOf(settings, loadConfiguration),
  checkTarget: (provider) =>
    checkTarget(provider, {
      configuration: loadConfiguration(fileIn(settings)),
      fetching: settings,
    }),
  say: (line) => void process.stderr.write(`${line}\n`),
  print: (line) => void process.stdout.write(`${line}\n`),
  pause: (ms, signal) => delay(ms, undefined, { signal }).catch(() => undefined),
  untilInterrupted,
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
  settings: Readonly<Settings>,
  loadConfiguration: PortsOptions['loadConfiguration'],
): ReadonlyMap<string, VideoProvider> {
  return new Map(
    [...loadConfiguration(fileIn(settings)).providers.values()]
      .filter(({ kind }) => kind in videoVendors)
      .map(({ name, kind, baseUrl, apiKey }) => [
        name,
        createVideoProvider(kind, { baseUrl, apiKey, timeoutMs: vendorTimeoutMs }),
      ]),
  );
}

function fileIn({ GATEWAY_CONFIG: file }: Readonly<Settings>): string {
  if (file !== undefined) return file;
  throw new Error('Settings that keep this command from running:\n  GATEWAY_CONFIG is required');
}

/** One Ctrl-C may arrive twice: from the terminal, and from whatever started this process. */
const sameInterruptMs = 2_000;

/** A second Ctrl-C ends the process, as the first one does without this. */
async function untilInterrupted<Result>(
  work: (interrupted: AbortSignal) => Promise<Result>,
): Promise<Result> {
  const controller = new AbortController();
  const forget = (): void => void process.off('SIGINT', onInterrupt);
  const onInterrupt = (): void => {
    controller.abort();
    setTimeout(forget, sameInterruptMs).unref();
  };
  process.on('SIGINT', onInterrupt);
  try {
    return await work(controller.signal);
  } finally {
    if (!controller.signal.aborted) forget();
  }
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
