import { isId } from '@gateway/domain';
import type { ComparedTask, SentTask } from '@gateway/store';
import type { ListOutcome } from '@gateway/video-providers';
import { UsageError, type Command, type CommandPorts } from '../command.ts';
import { billingVerify } from './billing.ts';
import { storageVerify } from './storage.ts';

const usualHours = '24';
/** Vendors keep their lists for about a week. */
const mostHours = 168;
const hourMs = 3_600_000;
const listTimeoutMs = 120_000;

type Found = ComparedTask & { readonly provider: string };
type Finding = Found & { readonly repaired?: string };

/** After an accident that lost commits: the books, the files and the vendors, against each other. */
export const audit: Command = {
  help: 'Compare books, files and vendors with each other; exit code 1 if something is wrong',
  example: 'audit --hours 2 --repair',
  options: {
    hours: { required: false, help: `how far to read back at vendors (default ${usualHours})` },
    repair: {
      required: false,
      flag: true,
      help: 'put right what can be, and note the rest as exposure; stop the video-workers first',
    },
  },
  async run(values, ports) {
    const hours = hoursOf(values['hours']);
    const since = new Date(Date.now() - hours * hourMs);
    const books = await billingVerify.run({}, ports);
    const files = await storageVerify.run({}, ports);
    const vendors = await auditVendors(ports, { since, repairs: values['repair'] === 'true' });
    const isOpen = vendors.findings.some(({ repaired }) => repaired === undefined);
    return {
      ok: books.ok && files.ok && !isOpen && vendors.unread.length === 0,
      lines: [
        ...books.lines,
        ...files.lines,
        ...vendors.findings.map(lineOf),
        ...vendors.unread.map(({ provider, why }) => `NOT COMPARED ${provider}: ${why}`),
        ...vendors.blind.map(
          (provider) =>
            `${provider} cannot be compared: its list does not show what a task was sent with`,
        ),
        `the vendors have ${vendors.tasks} tasks of ours since ${since.toISOString()}; ${vendors.findings.length} are not in the books as they should be`,
        ...(isOpen ? ['stop the video-workers, and run this again with --repair'] : []),
      ],
      data: { books: books.data, files: files.data, vendors },
    };
  },
};

function hoursOf(text = usualHours): number {
  const hours = Number(text);
  if (!/^\d{1,3}$/.test(text) || hours < 1 || hours > mostHours) {
    throw new UsageError(
      `--hours must be a whole number from 1 to ${mostHours}; got ${JSON.stringify(text)}`,
    );
  }
  return hours;
}

interface VendorAudit {
  readonly tasks: number;
  readonly findings: readonly Finding[];
  /** Whose list could not be read. */
  readonly unread: readonly { readonly provider: string; readonly why: string }[];
  readonly blind: readonly string[];
}

async function auditVendors(
  ports: CommandPorts,
  { since, repairs }: { readonly since: Date; readonly repairs: boolean },
): Promise<VendorAudit> {
  const { listed, unread, blind } = await readLists(ports, since);
  const standings = await standingsOf(ports, listed);
  const findings: Finding[] = [];
  for (const found of standings.values()) {
    if (found.standing === 'known') continue;
    // The list that could not be read may be of the same account, and say more.
    const isSure = !unread.some(({ provider }) => provider === found.sentTo);
    findings.push(repairs && isSure ? { ...found, repaired: await repair(ports, found) } : found);
  }
  ports.showProgress('');
  return { tasks: standings.size, findings, unread, blind };
}

interface Lists extends Pick<VendorAudit, 'unread' | 'blind'> {
  /** By the provider. */
  readonly listed: ReadonlyMap<string, readonly SentTask[]>;
}

async function readLists(ports: CommandPorts, since: Date): Promise<Lists> {
  const listed = new Map<string, readonly SentTask[]>();
  const unread: { provider: string; why: string }[] = [];
  const blind: string[] = [];
  for (const [provider, { list }] of ports.videoProviders()) {
    if (list === undefined) {
      blind.push(provider);
      continue;
    }
    ports.showProgress(`reading the list of ${provider}`);
    const outcome = await list({ since }, AbortSignal.timeout(listTimeoutMs));
    if (outcome.kind === 'error') unread.push({ provider, why: outcome.detail });
    else listed.set(provider, sentByUs(outcome.tasks));
  }
  return { listed, unread, blind };
}

/** By the vendor's id. Two providers may share one account: what is right for one of them is right. */
async function standingsOf(
  { vendorTasks }: CommandPorts,
  listed: Lists['listed'],
): Promise<ReadonlyMap<string, Found>> {
  const standings = new Map<string, Found>();
  for (const [provider, tasks] of listed) {
    for (const found of await vendorTasks.compare(provider, tasks)) {
      const before = standings.get(found.vendorTaskId);
      const saysMore = before?.standing === 'second' && found.standing !== 'second';
      if (before !== undefined && !saysMore) continue;
      standings.set(found.vendorTaskId, { ...found, provider });
    }
  }
  return standings;
}

/** Others may use the vendor's account too. */
const sentByUs = (tasks: Extract<ListOutcome, { kind: 'listed' }>['tasks']): SentTask[] =>
  tasks.flatMap(({ vendorTaskId, correlation }) =>
    correlation !== undefined && isId('task', correlation)
      ? [{ vendorTaskId, taskId: correlation }]
      : [],
  );

/** Returns what was done. Again without effect. */
async function repair(
  { vendorTasks, taskMoves }: CommandPorts,
  { standing, taskId, vendorTaskId, provider }: Found,
): Promise<string> {
  const claimed = standing === 'forgotten' ? await vendorTasks.claimForgotten(taskId) : undefined;
  if (claimed !== undefined) {
    // Killed before this, the task is found at the vendor by the video-worker.
    const changes = { step: 'poll', vendorTaskId } as const;
    // A task that its vendor before had begun with is running already.
    await (claimed.status === 'running'
      ? taskMoves.stay(claimed, changes)
      : taskMoves.move(claimed, 'accepted', { changes }));
    return 'the task goes on with it, and is not sent again';
  }
  await taskMoves.recordExposure({
    taskId,
    kind: 'orphan',
    provider,
    vendorTaskId,
    detail: `found by an audit: ${explanations[standing]}`,
  });
  return 'noted as exposure';
}

const explanations: Readonly<Record<ComparedTask['standing'], string>> = {
  known: 'the books have it',
  forgotten: 'the task waits to be sent, and the vendor has it already',
  second: 'the task has another one, is over without it, or goes to another vendor',
  unknown: 'the books have no such task',
};

const lineOf = ({ standing, taskId, vendorTaskId, provider, repaired }: Finding): string =>
  `${repaired === undefined ? 'FOUND' : 'REPAIRED'} ${provider} ${vendorTaskId} for ${taskId}: ${explanations[standing]}${repaired === undefined ? '' : `; ${repaired}`}`;
