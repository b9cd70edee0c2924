import { gatewayServices, type Service, type StartSuiteOptions } from '@gateway/local-stack';
import { createDatabase, type Database } from '@gateway/store';
import { startStack, type BenchStack } from '../stack.ts';
import { configurationFor, type FakeProvider } from './configuration.ts';

export const worker = 'video-worker';
export const secondWorker = 'video-worker-2';

export interface Stage extends BenchStack {
  readonly database: Database;
}

export interface StageOptions {
  readonly provider: FakeProvider;
  /** Default 1. */
  readonly workers?: 1 | 2;
  /** More settings of the workers. */
  readonly env?: Readonly<Record<string, string>>;
}

/**
 * The suites of settings name these; none of them has anything to do with a task that is at its
 * vendor.
 */
const idle = ['api', 'billing', 'sandbox-vendor'];

/** One or two workers, for now stopped, beside PostgreSQL and Redis, before a fake vendor. */
export async function startStage({
  provider,
  workers = 1,
  env = {},
}: StageOptions): Promise<Stage> {
  const names = workers === 1 ? [worker] : [worker, secondWorker];
  const stack = await startStack(() => undefined, {
    services: [...idle, worker],
    replicas: workers === 1 ? [] : [replicaOf(worker, secondWorker)],
    configuration: configurationFor(provider),
    env: Object.fromEntries(
      names.map((name) => [name, { LOG_LEVEL: 'warn', ...env }]),
    ) satisfies NonNullable<StartSuiteOptions['env']>,
  });
  const database = createDatabase({
    url: stack.databaseUrl,
    applicationName: 'bench',
    poolSize: 2,
    onError: () => undefined,
  });
  const stop = async (): Promise<void> => {
    await database.part.stop();
    await stack.stop();
  };
  try {
    for (const name of [...idle, ...names]) await stack.suite.stopService(name);
    return { ...stack, database, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

function replicaOf(name: string, as: string): Service {
  const service = gatewayServices.find((one) => one.name === name);
  if (service === undefined) throw new Error(`there is no service ${name}`);
  return { ...service, name: as };
}
