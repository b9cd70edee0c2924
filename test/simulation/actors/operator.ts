import type { MediaStorage } from '@gateway/media';
import { createLedger, createNamedFiles, createTaskMoves, createVendorTasks } from '@gateway/store';
import type { CommandPorts } from '../../../services/admin/src/command.ts';
import { audit } from '../../../services/admin/src/commands/audit.ts';
import { connectDatabase, reliably } from '../stores/database.ts';
import { beginLife, type Life } from '../world/life.ts';
import type { Replica, Surroundings } from './surroundings.ts';

/** Until a request that was on its way has arrived, and is in the list of its vendor. */
const arrivedMs = 10_000;
const againMs = 5_000;

/** What docs/operations.md asks of an operator after a fail-over that lost commits. */
export async function auditAfterwards(
  surroundings: Surroundings,
  workers: readonly Replica<void>[],
): Promise<void> {
  const { world, failOvers } = surroundings;
  const life = beginLife(world, 'the operator');
  const ports = portsOf(surroundings, life);
  for (const worker of workers) worker.turnOff();
  await world.pause(arrivedMs);
  for (;;) {
    const { lines, data } = await audit.run({ hours: '168', repair: 'true' }, ports);
    for (const line of lines) world.trace.say(`admin audit: ${line}`);
    const { unread, findings } = (data as Audited).vendors;
    const continued = findings.filter(
      ({ standing, repaired }) => standing === 'forgotten' && repaired !== undefined,
    );
    failOvers.continued.push(...continued.map(({ provider }) => provider));
    if (unread.length === 0) break;
    await world.pause(againMs);
  }
  for (const worker of workers) worker.turnOn();
}

interface Audited {
  readonly vendors: {
    readonly unread: readonly unknown[];
    readonly findings: readonly {
      readonly standing: string;
      readonly provider: string;
      readonly repaired?: string;
    }[];
  };
}

/** Those that the command uses. */
function portsOf(
  { world, postgres, weaken, vendors, storage }: Surroundings,
  life: Life,
): CommandPorts {
  const database = weaken(connectDatabase(reliably(postgres), life));
  const ledger = createLedger(database);
  const files: Pick<MediaStorage, 'list' | 'exists'> = {
    // Nothing is listed, so each is asked for.
    async *list() {},
    exists: (key) => Promise.resolve(storage.files.has(key)),
  };
  const ports: Partial<CommandPorts> = {
    ledger,
    // Without its record, which a world does not begin with.
    audit: { run: ({ graceSeconds }) => ledger.verify({ graceSeconds }) },
    namedFiles: createNamedFiles(database),
    openStorage: () => Promise.resolve(files as MediaStorage),
    vendorTasks: createVendorTasks(database),
    taskMoves: createTaskMoves(database),
    videoProviders: () =>
      new Map([...vendors].map(([name, vendor]) => [name, vendor.providerFor(life)])),
    showProgress: (line) => {
      if (line !== '') world.trace.say(`admin audit: ${line}`);
    },
  };
  return ports as CommandPorts;
}
