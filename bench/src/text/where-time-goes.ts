import { mkdtemp, readFile, rm } from 'node:fs/promises';
import type { Profiler } from 'node:inspector';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { passThrough, runClosedOn, type Target, type TextBench } from './bench.ts';
import { cpuPerResponse } from './figures.ts';
import { startGateway } from './gateway.ts';
import { pin, startServer, targetCore } from './processes.ts';
import { collecting, native, sharesOf } from './profile.ts';
import { partNamesOfRequest, partOfRequest } from './request-parts.ts';
import type { Table } from '../report.ts';

const callers = 64;
const warmUpSeconds = 4;
/** A profile has 2,000 samples a second. */
const profiledTimes = 4;
const writtenWithinMs = 20_000;

/** Microseconds by part. */
type Parts = ReadonlyMap<string, number>;

/**
 * Where the CPU of a small request goes, in the gateway and in the bare proxy: V8's profile of the
 * main thread, as shares of all that the process used.
 */
export async function benchRequestParts(bench: TextBench): Promise<Table> {
  const folder = await mkdtemp(path.join(tmpdir(), 'bench-profile-'));
  try {
    bench.say('I: the bare proxy under a profiler');
    const bare = await ofBareProxy(bench, path.join(folder, 'bare.json'));
    bench.say('I: the gateway under a profiler');
    return tableOf(bare, await ofGateway(bench, path.join(folder, 'gateway.json')));
  } finally {
    await rm(folder, { recursive: true });
  }
}

const profiledAs = (file: string) => ({
  NODE_OPTIONS: `--import ${pathToFileURL(path.join(import.meta.dirname, 'profiler.js')).href}`,
  BENCH_PROFILE: file,
});

async function ofBareProxy(bench: TextBench, file: string): Promise<Parts> {
  const bare = await startServer('bare-proxy', [bench.upstreamUrl], profiledAs(file));
  try {
    pin(bare.pid, targetCore);
    return await profiled(bench, { name: 'bare', url: bare.url, pid: bare.pid }, file);
  } finally {
    await bare.stop();
  }
}

async function ofGateway(bench: TextBench, file: string): Promise<Parts> {
  const { stack, pid } = await startGateway(bench.upstreamUrl, { env: profiledAs(file) });
  try {
    const target: Target = { name: 'gateway', url: stack.suite.baseUrl, pid };
    return await profiled({ ...bench, apiKey: stack.apiKey }, target, file);
  } finally {
    await stack.stop();
  }
}

async function profiled(bench: TextBench, target: Target, file: string): Promise<Parts> {
  const seconds = bench.seconds * profiledTimes;
  const job = { script: 'whole', callers, warmUpSeconds, seconds } as const;
  const running = runClosedOn(bench, { target, route: passThrough.messages }, job);
  await Promise.race([running, sleep(warmUpSeconds * 1_000)]);
  process.kill(target.pid, 'SIGUSR2');
  const cpuMicroseconds = cpuPerResponse(await running);
  process.kill(target.pid, 'SIGUSR2');
  const shares = sharesOf(await profileIn(file), partOfRequest);
  return new Map([...shares].map(([part, share]) => [part, share * cpuMicroseconds]));
}

async function profileIn(file: string): Promise<Profiler.Profile> {
  const untilMs = performance.now() + writtenWithinMs;
  for (;;) {
    try {
      return JSON.parse(await readFile(file, 'utf8')) as Profiler.Profile;
    } catch (error) {
      if (performance.now() > untilMs) throw error;
      await sleep(100);
    }
  }
}

function tableOf(bare: Parts, gateway: Parts): Table {
  const names = [...partNamesOfRequest, collecting, native];
  const sum = (parts: Parts): number => [...parts.values()].reduce((all, each) => all + each, 0);
  return {
    head: ['CPU of a request (µs)', 'bare proxy', 'gateway', 'more'],
    rows: [
      ...names.map((name) => rowOf(name, bare.get(name) ?? 0, gateway.get(name) ?? 0)),
      rowOf('together', sum(bare), sum(gateway)),
    ],
  };
}

const rowOf = (name: string, bare: number, gateway: number) =>
  [name, bare, gateway, gateway - bare] as const;
