import { createDatabase } from '@gateway/store';
import { openReceiver } from '@gateway/testing';
import { startFloor } from './floor.ts';
import { runLoad, type LoadResult } from './load.ts';
import { serviceNames, startStack, type BenchStack } from './stack.ts';

type Row = readonly (string | number)[];

/** Everything about the video path: creation, detection of the vendor's success, arrival of the push, memory. */
export async function benchVideos(print: (line: string) => void): Promise<void> {
  const stack = await startStack(() => undefined);
  try {
    table(print, ['service', 'resident, idle (MB)'], await Promise.all(serviceNames.map(async (name): Promise<Row> => [name, await stack.residentMegabytes(name)])));
    await delays(stack, print);
    await creation(stack, print);
  } finally {
    await stack.stop();
  }
}

async function creation({ suite, apiKey }: BenchStack, print: (line: string) => void): Promise<void> {
  const body = JSON.stringify({ model: 'sandbox-video', prompt: '[stall] a red balloon', duration: 4, resolution: '480p' });
  const headers = { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' };
  const floor = await startFloor();
  const load = (url: string, callers: number, requests: number): Promise<LoadResult> => runLoad({ url, method: 'POST', headers, body, callers, requests });
  await load(`${suite.baseUrl}/v1/videos`, 8, 200);
  const rows: Row[] = [];
  for (const callers of [1, 32]) {
    const bare = await load(floor.url, callers, 3_000);
    const ours = await load(`${suite.baseUrl}/v1/videos`, callers, callers === 1 ? 500 : 2_000);
    rows.push([callers, ours.p50Ms, ours.p99Ms, ours.perSecond, bare.perSecond, `${Math.round((ours.perSecond / bare.perSecond) * 1000) / 10} %`, ours.failed]);
  }
  await floor.stop();
  table(print, ['callers', 'p50 (ms)', 'p99 (ms)', 'creates/s', 'plain Node/s', 'of plain Node', 'failed'], rows);
}

interface Timeline {
  readonly id: string;
  readonly vendorMs: number;
  readonly oursMs: number;
}

/** Twenty videos one after the other: from the vendor's success to our terminal state, and from there to the push. */
async function delays({ suite, apiKey, databaseUrl }: BenchStack, print: (line: string) => void): Promise<void> {
  const receiver = await openReceiver();
  const arrivals = new Map<string, number>();
  const ids: string[] = [];
  for (let number = 0; number < 20; number += 1) {
    const answer = await fetch(`${suite.baseUrl}/v1/videos`, {
      method: 'POST', headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'sandbox-video', prompt: `delay ${number}`, duration: 4, resolution: '480p', callback_url: receiver.url }),
    });
    const { id } = (await answer.json()) as { id: string };
    ids.push(id);
    while (!arrivals.has(id)) {
      for (const { at, body } of receiver.pushes()) if (body.status === 'succeeded' && !arrivals.has(body.id)) arrivals.set(body.id, at);
      await new Promise((resolve) => { setTimeout(resolve, 5); });
    }
  }
  const timelines = await timelinesOf(ids, { suite, databaseUrl });
  await receiver.close();
  const detect = timelines.map(({ vendorMs, oursMs }) => oursMs - vendorMs);
  const push = timelines.map(({ id, oursMs }) => (arrivals.get(id) ?? 0) - oursMs);
  table(print, ['delay', 'p50 (ms)', 'max (ms)'], [['vendor’s success → our terminal state', ...spread(detect)], ['terminal state → push received', ...spread(push)]]);
}

async function timelinesOf(ids: readonly string[], { suite, databaseUrl }: Pick<BenchStack, 'suite' | 'databaseUrl'>): Promise<Timeline[]> {
  const database = createDatabase({ url: databaseUrl, applicationName: 'bench', poolSize: 1, onError: () => undefined });
  const { rows } = await database.pool.query<{ id: string; vendor_task_id: string; completed_at: Date }>('SELECT id, vendor_task_id, completed_at FROM task WHERE id = ANY($1)', [ids]);
  await database.part.stop();
  return Promise.all(rows.map(async ({ id, vendor_task_id: vendorTaskId, completed_at: completedAt }) => {
    const detail = (await (await fetch(`${suite.sandboxUrl}/control/tasks/${vendorTaskId}`)).json()) as { updated_at_ms: number };
    return { id, vendorMs: detail.updated_at_ms, oursMs: completedAt.getTime() };
  }));
}

const spread = (values: readonly number[]): [number, number] => {
  const sorted = [...values].sort((a, b) => a - b);
  return [Math.round(sorted[Math.floor(sorted.length / 2)] ?? 0), Math.round(sorted.at(-1) ?? 0)];
};

function table(print: (line: string) => void, head: readonly string[], rows: readonly Row[]): void {
  print(`| ${head.join(' | ')} |`);
  print(`|${head.map(() => '---').join('|')}|`);
  for (const row of rows) print(`| ${row.join(' | ')} |`);
  print('');
}
