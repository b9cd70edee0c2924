import { nothingSettled, settledWith } from '@gateway/domain';
import type { OperatorEvent } from '@gateway/store';
import { UsageError, type Command, type CommandPorts } from '../command.ts';
import { knownAccount } from './accounts.ts';

const everyMs = 500;
/** However much is written meanwhile, no more than this is read at once. */
const most = 5_000;
const minuteMs = 60_000;
const mostMinutes = 1_440;

export const events: Command = {
  help: 'Follow the tasks of all accounts: a line for each status that one takes, until Ctrl-C',
  example: 'events --json',
  options: {
    account: { required: false, help: 'account id' },
    minutes: { required: false, help: 'end after so many minutes (default: never)' },
  },
  async run(values, ports) {
    const { minutes, json } = values;
    const account =
      values['account'] === undefined ? undefined : await knownAccount(values, ports.accounts);
    const toLine = json === 'true' ? jsonLine : eventLine;
    const ms = minutes === undefined ? undefined : minutesOf(minutes) * minuteMs;
    await ports.untilInterrupted((interrupted) =>
      follow(ports, {
        signal:
          ms === undefined ? interrupted : AbortSignal.any([interrupted, AbortSignal.timeout(ms)]),
        show(event) {
          if (account === undefined || event.accountId === account) ports.print(toLine(event));
        },
      }),
    );
    return { ok: true, isPrinted: true, lines: [], data: {} };
  },
};

function minutesOf(text: string): number {
  const minutes = Number(text);
  if (/^\d{1,4}$/.test(text) && minutes >= 1 && minutes <= mostMinutes) return minutes;
  throw new UsageError(
    `--minutes must be a whole number from 1 to ${mostMinutes}; got ${JSON.stringify(text)}`,
  );
}

interface Following {
  readonly signal: AbortSignal;
  readonly show: (event: OperatorEvent) => void;
}

/** Shows what is written from now on; what is committed late, too. */
async function follow(
  { operatorFeed, pause, now, say }: CommandPorts,
  { signal, show }: Following,
): Promise<void> {
  let from = await operatorFeed.newest();
  let settling = nothingSettled;
  let shown = new Set<number>();
  let readUpTo = from;
  while (!signal.aborted) {
    const newest = await operatorFeed.newest();
    settling = settledWith(settling, { at: now().getTime(), newest });
    if (newest - readUpTo > most) say('more has happened than is shown: see "tasks"');
    from = Math.max(from, newest - most);
    const read = await operatorFeed.after(from, most);
    for (const event of read) if (!shown.has(event.position)) show(event);
    shown = new Set(read.map(({ position }) => position));
    readUpTo = newest;
    from = Math.max(from, settling.upTo);
    await pause(everyMs, signal);
  }
}

const eventLine = ({ at, accountId, status, task }: OperatorEvent): string =>
  [
    at.toISOString(),
    task.id,
    status.padEnd('succeeded'.length),
    accountId,
    `${task.model} at ${task.provider}, vendor task ${task.vendorTaskId ?? 'none'}`,
    ...(task.failureCode === null ? [] : [`${task.failureCode}: ${task.failureMessage ?? ''}`]),
  ].join('  ');

const jsonLine = ({ at, sequence, status, task }: OperatorEvent): string =>
  JSON.stringify({ at, sequence, status, task });
