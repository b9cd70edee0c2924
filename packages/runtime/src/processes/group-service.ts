import { get } from 'node:http';
import process from 'node:process';
import { text } from 'node:stream/consumers';
import { createHealth } from '../http/health.ts';
import { json, opsPort, type OpsPortOptions, type Reply } from '../http/ops-port.ts';
import type { Part, Service } from '../lifecycle/index.ts';
import type { Log } from '../log.ts';
import { Counter, createRegistry, Gauge, type Registry } from '../metrics/metrics.ts';
import { mergeMetrics } from './merge-metrics.ts';
import { mergeReadiness, type ProcessReadiness } from './merge-readiness.ts';
import { createProcessGroup, type Member, type ProcessGroup } from './process-group.ts';

export interface GroupServiceOptions {
  readonly service: string;
  readonly count: number;
  readonly program: string;
  readonly settings: OpsPortOptions['settings'];
  /** How long each process may take to end what is under way. */
  readonly drainMs: number;
  readonly log: Log;
}

/** Shorter than a probe waits: a process that does not respond must not make the group silent. */
const askMs = 3_000;
/** Each process ends itself first. */
const spareMs = 2_000;

/** The first process of a group, which serves nobody but operators. */
export function createGroupService(options: GroupServiceOptions): Service {
  const { log, settings } = options;
  const metrics = createRegistry(options.service);
  const restarts = new Counter({
    name: 'gateway_process_restarts_total',
    help: 'Processes of this replica that ended by themselves and were replaced.',
    registers: [metrics],
  });
  const group = createProcessGroup({
    ...options,
    onRestart: () => {
      restarts.inc();
    },
  });
  showProcesses(group, metrics);
  let isRunning = false;
  const port = opsPort({
    settings,
    health: createHealth({}),
    log,
    routes: {
      '/livez': () => liveness(group),
      '/readyz': () => readiness(group, () => isRunning),
      '/metrics': () => allMetrics(group, metrics),
    },
  });
  const phase: Part = {
    name: 'readiness',
    start() {
      isRunning = true;
      process.on('SIGHUP', () => {
        group.signal('SIGHUP');
      });
      return Promise.resolve();
    },
    stop() {
      isRunning = false;
      return Promise.resolve();
    },
  };
  return {
    log,
    exceptionsBeforeRestart: 0,
    drainMs: options.drainMs + spareMs,
    parts: [port, group, phase],
  };
}

function showProcesses(group: ProcessGroup, metrics: Registry): void {
  const up = new Gauge({
    name: 'gateway_process_up',
    help: 'Whether this process of the replica is there: 1 or 0.',
    labelNames: ['process'],
    registers: [metrics],
    collect() {
      for (const { number, opsUrl } of group.members()) {
        up.set({ process: String(number) }, opsUrl === undefined ? 0 : 1);
      }
    },
  });
}

/** What a process says at a path of its operations port; undefined when it says nothing. */
function ask(
  { opsUrl }: Member,
  path: string,
): Promise<{ readonly status: number; readonly text: string } | undefined> {
  if (opsUrl === undefined) return Promise.resolve(undefined);
  return new Promise((resolve) => {
    const silence = (): void => {
      resolve(undefined);
    };
    get(`${opsUrl}${path}`, { signal: AbortSignal.timeout(askMs) }, (response) => {
      const { statusCode: status = 0 } = response;
      text(response).then((all) => {
        resolve({ status, text: all });
      }, silence);
    }).on('error', silence);
  });
}

/** A process that is not there yet is no reason to restart the others. */
async function liveness(group: ProcessGroup): Promise<Reply> {
  const living = group.members().filter(({ opsUrl }) => opsUrl !== undefined);
  const responses = await Promise.all(
    living.map(async (member) => ({ member, reply: await ask(member, '/livez') })),
  );
  const wrong = responses.find(({ reply }) => reply?.status !== 200);
  return wrong === undefined
    ? json(200, { status: 'ok' })
    : json(503, {
        status: 'stalled',
        reason: `process ${wrong.member.number} does not respond as it should`,
      });
}

async function readiness(group: ProcessGroup, isRunning: () => boolean): Promise<Reply> {
  const responses = await Promise.all(
    group.members().map(async (member): Promise<ProcessReadiness> => {
      if (!member.hasStarted) return 'absent';
      const reply = await ask(member, '/readyz');
      return reply === undefined ? undefined : (JSON.parse(reply.text) as ProcessReadiness);
    }),
  );
  const merged = mergeReadiness(responses);
  const status = isRunning() ? merged.status : 'unavailable';
  return json(status === 'unavailable' ? 503 : 200, { ...merged, status });
}

async function allMetrics(group: ProcessGroup, own: Registry): Promise<Reply> {
  const replies = await Promise.all(group.members().map((member) => ask(member, '/metrics')));
  const texts = replies.flatMap((reply) => (reply?.status === 200 ? [reply.text] : []));
  return {
    status: 200,
    type: own.contentType,
    body: mergeMetrics([await own.metrics(), ...texts]),
  };
}
