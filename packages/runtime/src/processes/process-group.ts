import cluster, { type Worker } from 'node:cluster';
import { backoffDelayMs } from '@gateway/domain';
import type { Part } from '../lifecycle/index.ts';
import type { Log } from '../log.ts';
import { SettingsError, settingsExitCode } from '../settings/settings.ts';
import type { MemberNews } from './group-member.ts';

export interface ProcessGroupOptions {
  readonly count: number;
  /** The file that each of them runs. */
  readonly program: string;
  readonly log: Log;
  /** Called when a process ended that should not have, and another takes its place. */
  readonly onRestart: () => void;
}

/** One place in the group, whichever process has it. */
export interface Member {
  readonly number: number;
  /** Undefined until the process says it. */
  readonly opsUrl: string | undefined;
  /** It has taken connections since its start, and is there. */
  readonly hasStarted: boolean;
}

export interface ProcessGroup extends Part {
  members(): readonly Member[];
  /** Passes a signal on. */
  signal(signal: NodeJS.Signals): void;
}

interface Place {
  readonly number: number;
  worker: Worker | undefined;
  opsUrl: string | undefined;
  hasStarted: boolean;
  /** Ends of this place's processes in a row that came soon. */
  failures: number;
  bornAt: number;
  pause: NodeJS.Timeout | undefined;
}

interface End {
  readonly code: number | null;
  readonly signal: string | null;
}

const restartBackoff = { firstMs: 500, maxMs: 30_000 } as const;
/** The end of a process that lived so long counts as the first again. */
const longLifeMs = 60_000;

/**
 * Processes that serve one port together: the first one takes connections and gives them out in turn
 * (`node:cluster`). They share nothing else, and each counts as a replica. One that ends by itself is
 * replaced; when the first one is killed, the others end.
 */
export function createProcessGroup(options: ProcessGroupOptions): ProcessGroup {
  const { count, log } = options;
  const places = Array.from({ length: count }, (_, at): Place => emptyPlace(at + 1));
  // Those that end while the group starts or stops are not replaced.
  let phase: 'starting' | 'running' | 'stopping' = 'starting';
  const replace = (place: Place, end: End): void => {
    const livedMs = performance.now() - place.bornAt;
    place.failures = livedMs > longLifeMs ? 1 : place.failures + 1;
    const pauseMs = backoffDelayMs(restartBackoff, place.failures, Math.random());
    log.error('process ended, another takes its place', {
      process: place.number,
      how: describe(end),
      pauseMs,
    });
    options.onRestart();
    place.pause = setTimeout(() => {
      open(place).catch(() => undefined); // its end is seen below
    }, pauseMs);
  };
  /** Resolves when the process has started; rejects when it ends before that. */
  const open = (place: Place): Promise<void> =>
    new Promise((resolve, reject) => {
      const worker = fork(options.program, place);
      worker.on('message', (news: MemberNews) => {
        if ('opsUrl' in news) place.opsUrl = news.opsUrl;
        else {
          place.hasStarted = true;
          resolve();
        }
      });
      worker.once('exit', (code: number | null, signal: string | null) => {
        const end = { code, signal };
        place.worker = place.opsUrl = undefined;
        place.hasStarted = false;
        reject(startError(end));
        if (phase === 'running') replace(place, end);
      });
    });
  return {
    name: 'processes',
    members: () => places,
    signal(signal) {
      for (const { worker } of places) worker?.process.kill(signal);
    },
    async start() {
      await Promise.all(places.map(open));
      phase = 'running';
      const lost = places.find(({ worker }) => worker === undefined);
      if (lost !== undefined) throw new Error(`process ${lost.number} ended as the others started`);
    },
    async stop() {
      phase = 'stopping';
      const ends = await Promise.all(places.map(endOf));
      const bad = ends.find((end) => end !== undefined && end.code !== 0);
      if (bad !== undefined) throw new Error(`a process ended with ${describe(bad)}`);
    },
  };
}

const emptyPlace = (number: number): Place => ({
  number,
  worker: undefined,
  opsUrl: undefined,
  hasStarted: false,
  failures: 0,
  bornAt: 0,
  pause: undefined,
});

function fork(program: string, place: Place): Worker {
  cluster.setupPrimary({ exec: program, args: [String(place.number)] });
  const worker = cluster.fork();
  place.worker = worker;
  place.bornAt = performance.now();
  // A message to one that is just ending breaks its channel, which says no more than its end does.
  worker.on('error', () => undefined);
  return worker;
}

/** Asks the process of a place to stop, and waits; undefined: there is none. */
function endOf({ worker, pause }: Place): Promise<End | undefined> {
  clearTimeout(pause);
  if (worker === undefined || worker.isDead()) return Promise.resolve(undefined);
  return new Promise((resolve) => {
    worker.once('exit', (code: number | null, signal: string | null) => {
      resolve({ code, signal });
    });
    worker.process.kill('SIGTERM');
  });
}

const describe = ({ code, signal }: End): string => signal ?? `exit code ${code}`;

/** What it wrote says why. */
const startError = (end: End): Error =>
  end.code === settingsExitCode
    ? new SettingsError('A process cannot start with these settings.')
    : new Error(`a process ended before it was ready, with ${describe(end)}`);
