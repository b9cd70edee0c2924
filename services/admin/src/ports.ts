import path from 'node:path';
import { createQueueCounts, type QueueCount } from '@gateway/queue';
import { newId } from '@gateway/runtime';
import {
  createAccountReads,
  createAccounts,
  createCallbackDeliveries,
  createCallbackSecrets,
  createLedger,
  createLedgerReads,
  createTaskOverviews,
} from '@gateway/store';
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
  ledgerReads: createLedgerReads(database),
  tasks: createTaskOverviews(database),
  queueCounts: () => countQueues(settings),
  diagnose: () => diagnose({ settings, database, migrationsFolder, loadConfiguration }),
  newId,
});

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
