import { randomBytes } from 'node:crypto';
import { readdirSync, readlinkSync } from 'node:fs';
import path from 'node:path';
import { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  createMediaLinks,
  mediaTokenDefaults,
  openFileSystemStorage,
  parseTokenKeys,
} from '@gateway/media';
import { createDatabase, createTaskMoves } from '@gateway/store';
import { aQueuedTask, withPlace } from '@gateway/testing';
import { shown, type Cells, type Figure, type Publish, type Table } from '../report.ts';
import { startStack, type BenchStack } from '../stack.ts';
import { pin, otherCore, targetCore } from '../text/processes.ts';
import { cpuSecondsOf, residentMegabytesOf } from '../proc.ts';
import { restSeconds } from '../rest.ts';
import { abortDownload, download } from './download.ts';
import { startBareServer, startNginx, type Target } from './targets.ts';

const fileBytes = 200_000_000;
const clients = 8;
const rounds = 5;
const aborts = 500;

/**
 * Downloads of one large file from the api, from a bare Node server and from nginx; what a download
 * and an aborted one leave behind.
 */
export async function benchMedia(publish: Publish): Promise<void> {
  const stack = await startStack(() => undefined, {
    services: ['sandbox-vendor', 'billing', 'api'],
  });
  const targets: Target[] = [];
  try {
    const { storageKey, url } = await aVideo(stack);
    const folder = path.join(path.dirname(stack.suite.logs.folder), 'media');
    const file = path.join(folder, storageKey);
    const api: Target = {
      name: 'gateway',
      url: new URL(url),
      pid: stack.suite.pidOf('api') ?? NaN,
      stop: () => Promise.resolve(),
    };
    const nginx = await startNginx(file, path.dirname(folder));
    targets.push(await startBareServer(file), ...(nginx === undefined ? [] : [nginx]), api);
    await sleep(restSeconds * 1_000);
    const idleMegabytes = residentMegabytesOf(api.pid);
    const isPinned =
      targets.every(({ pid }) => pin(pid, targetCore)) && pin(process.pid, otherCore);
    const { table, figures } = await compare(targets);
    publish({
      tables: [table, await leaks(api, folder)],
      figures: [
        ...figures,
        {
          measure: 'resident memory of the api before the first',
          unit: 'MB',
          value: idleMegabytes,
        },
      ],
      notes: [
        `${clients} clients, ${fileBytes / 1e6} MB each, median of ${rounds} rounds.`,
        ...(nginx === undefined ? ['nginx is not on the PATH: not compared with.'] : []),
        ...(isPinned ? [] : ['Nothing was pinned to a core: the figures share both.']),
      ],
    });
  } finally {
    await Promise.all(targets.map((target) => target.stop()));
    await stack.stop();
  }
}

/** A finished task whose video is the large file, as the worker would have written it. */
async function aVideo({
  suite,
  databaseUrl,
  accountId,
}: BenchStack): Promise<{ storageKey: string; url: string }> {
  const database = createDatabase({
    url: databaseUrl,
    applicationName: 'bench',
    poolSize: 1,
    onError: () => undefined,
  });
  const storage = await openFileSystemStorage({
    folder: path.join(path.dirname(suite.logs.folder), 'media'),
  });
  const task = await aQueuedTask(database, accountId);
  const storageKey = `videos/${task.id}-2.mp4`;
  const piece = randomBytes(1_000_000);
  const stored = await storage.put(
    storageKey,
    Readable.from(
      (function* pieces() {
        for (let sent = 0; sent < fileBytes; sent += piece.length) yield piece;
      })(),
    ),
    { maxBytes: fileBytes },
  );
  const moves = createTaskMoves(database);
  const claimed = await moves.claimSubmission(await withPlace(database, task));
  const running =
    claimed === 'lost'
      ? undefined
      : await moves.move(claimed, 'accepted', { changes: { step: 'poll', vendorTaskId: 'bench' } });
  const result = {
    seconds: 5,
    width: 1920,
    height: 1080,
    hasAudio: false,
    ratio: '16:9',
    resolution: '1080p',
    seed: null,
    completionTokens: 1,
    totalTokens: 1,
  };
  const done =
    running &&
    (await moves.move(running, 'stored', {
      changes: { step: 'done', result, billed: { seconds: 5, quota: 50 } },
      media: [{ variant: 'content', contentType: 'video/mp4', storageKey, ...stored }],
    }));
  await database.part.stop();
  if (done === undefined) throw new Error('the task of the bench could not be finished');
  const links = createMediaLinks({
    baseUrl: suite.baseUrl,
    keys: parseTokenKeys(suite.secrets.media_token_keys),
    ...mediaTokenDefaults,
    now: () => new Date(),
  });
  return { storageKey, url: links.video(task.id) };
}

interface Round {
  readonly megabytesPerSecond: number;
  readonly megabytesPerCpuSecond: number;
  readonly peakMegabytes: number;
}

/**
 * Targets take turns, and are compared within a round: what else the machine does then concerns
 * them alike.
 */
async function compare(
  targets: readonly Target[],
): Promise<{ table: Table; figures: readonly Figure[] }> {
  for (const { url } of targets) await download(url, fileBytes);
  const results = new Map<Target, Round[]>(targets.map((target) => [target, []]));
  for (let round = 0; round < rounds; round += 1) {
    for (const target of targets) results.get(target)?.push(await measure(target));
  }
  return compared(results);
}

const targets = { ofNginx: { atLeast: 0.5 }, peak: { atMost: 150 } };

function compared(results: ReadonlyMap<Target, readonly Round[]>): {
  table: Table;
  figures: readonly Figure[];
} {
  const named = (name: string): Target | undefined =>
    [...results.keys()].find((target) => target.name === name);
  const reference = named('nginx') ?? [...results.keys()][0];
  const of = (target: Target | undefined, figure: keyof Round): number[] =>
    (target === undefined ? [] : (results.get(target) ?? [])).map((round) => round[figure]);
  const ratio = (target: Target | undefined, figure: keyof Round): number =>
    median(of(target, figure).map((value, round) => value / (of(reference, figure)[round] ?? NaN)));
  const name = reference?.name ?? '';
  const head = ['server', 'MB/s', `MB/s, of ${name}`, 'MB for each second of its CPU'];
  const rows = [...results.keys()].map((target): Cells => [
    target.name,
    median(of(target, 'megabytesPerSecond')),
    `${shown(ratio(target, 'megabytesPerSecond'))} ×`,
    median(of(target, 'megabytesPerCpuSecond')),
    Math.max(...of(target, 'peakMegabytes')),
  ]);
  const gateway = named('gateway');
  const share: Figure = {
    measure: 'MB/s of the gateway, of nginx',
    unit: '×',
    value: name === 'nginx' ? ratio(gateway, 'megabytesPerSecond') : NaN,
    target: targets.ofNginx,
  };
  const peak: Figure = {
    measure: 'resident memory of the api, highest',
    unit: 'MB',
    value: Math.max(...of(gateway, 'peakMegabytes')),
    target: targets.peak,
  };
  return { table: { head: [...head, 'resident, highest (MB)'], rows }, figures: [share, peak] };
}

async function measure({ url, pid }: Target): Promise<Round> {
  let peakMegabytes = 0;
  const watch = setInterval(() => {
    peakMegabytes = Math.max(peakMegabytes, residentMegabytesOf(pid));
  }, 20);
  const [startedAt, cpuBefore] = [performance.now(), cpuSecondsOf(pid)];
  await Promise.all(Array.from({ length: clients }, () => download(url, fileBytes)));
  clearInterval(watch);
  const megabytes = (clients * fileBytes) / 1e6;
  return {
    megabytesPerSecond: megabytes / ((performance.now() - startedAt) / 1000),
    megabytesPerCpuSecond: megabytes / (cpuSecondsOf(pid) - cpuBefore),
    peakMegabytes,
  };
}

const median = (values: readonly number[]): number =>
  [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? NaN;

async function leaks({ url, pid }: Target, folder: string): Promise<Table> {
  const wave = (): Promise<unknown> =>
    Promise.all(Array.from({ length: 20 }, () => abortDownload(url)));
  await wave(); // opens the connections to the database, which stay
  const before = descriptorsOf(pid, folder);
  const residentBefore = residentMegabytesOf(pid);
  for (let done = 0; done < aborts; done += 20) await wave();
  let after = descriptorsOf(pid, folder);
  for (
    let tries = 0;
    tries < 40 && (after.files > before.files || after.sockets > before.sockets);
    tries += 1
  ) {
    await new Promise((resolve) => {
      setTimeout(resolve, 100);
    });
    after = descriptorsOf(pid, folder);
  }
  return {
    head: [`after ${aborts} aborted downloads`, 'before', 'after'],
    rows: [
      ['open media files of the api', before.files, after.files],
      ['open sockets of the api', before.sockets, after.sockets],
      ['resident (MB)', residentBefore, residentMegabytesOf(pid)],
    ],
  };
}

function descriptorsOf(pid: number, folder: string): { files: number; sockets: number } {
  const open = readdirSync(`/proc/${pid}/fd`).map((fd) => {
    try {
      return readlinkSync(`/proc/${pid}/fd/${fd}`);
    } catch {
      return ''; // closed meanwhile
    }
  });
  return {
    files: open.filter((file) => file.startsWith(folder)).length,
    sockets: open.filter((file) => file.startsWith('socket:')).length,
  };
}
