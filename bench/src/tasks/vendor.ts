import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { leaveNothing } from '../leave-nothing.ts';

export interface Listing {
  readonly atMs: number;
  /** How many tasks it named. */
  readonly named: number;
}

export interface FakeVendor {
  /** As `base_url` of a provider of kind `ark`. */
  readonly baseUrl: string;
  readonly listings: readonly Listing[];
  stop(): Promise<void>;
}

export interface FakeVendorOptions {
  /** Called when a task is polled, by itself or in a list; with Date.now(). */
  readonly onPoll: (vendorTaskId: string, atMs: number, how: 'alone' | 'listed') => void;
  /** How long one poll takes. Default 0. */
  readonly respondAfterMs?: number;
  /** Called when whoever polled a task is gone before the response; with Date.now(). */
  readonly onBroken?: (vendorTaskId: string, atMs: number) => void;
}

const tasksPath = '/api/v3/contents/generations/tasks';
/** A list may name hundreds of tasks in its address. */
const maxHeaderSize = 1 << 20;

/** A vendor of Ark's format at which every task that is asked for runs, for ever. */
export async function startFakeVendor({
  onPoll: onPoll,
  respondAfterMs: respondAfterMs = 0,
  onBroken = () => undefined,
}: FakeVendorOptions): Promise<FakeVendor> {
  const listings: Listing[] = [];
  const showTask = (id: string, response: ServerResponse): void => {
    onPoll(id, Date.now(), 'alone');
    if (respondAfterMs === 0) {
      respond(response, taskOf(id));
      return;
    }
    const responding = setTimeout(() => {
      respond(response, taskOf(id));
    }, respondAfterMs);
    response.once('close', () => {
      clearTimeout(responding);
      if (!response.writableFinished) onBroken(id, Date.now());
    });
  };
  const list = (query: URLSearchParams, response: ServerResponse): void => {
    const ids = query.getAll('filter.task_ids');
    const atMs = Date.now();
    listings.push({ atMs, named: ids.length });
    for (const id of ids) onPoll(id, atMs, 'listed');
    respond(response, { items: ids.map(taskOf), total: ids.length });
  };
  const server = createServer(
    { maxHeaderSize },
    (request: IncomingMessage, response: ServerResponse) => {
      const { pathname, searchParams } = new URL(request.url ?? '/', 'http://vendor');
      if (pathname === tasksPath) list(searchParams, response);
      else showTask(decodeURIComponent(pathname.slice(tasksPath.length + 1)), response);
    },
  );
  server.keepAliveTimeout = 120_000;
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  return {
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}/api/v3`,
    listings,
    stop: leaveNothing(
      () =>
        new Promise((resolve) => {
          server.close(() => {
            resolve();
          });
          server.closeAllConnections();
        }),
    ),
  };
}

const createdAt = Math.floor(Date.now() / 1_000);
const taskOf = (id: string): object => ({
  id,
  model: 'bench',
  status: 'running',
  created_at: createdAt,
  updated_at: createdAt,
});

function respond(response: ServerResponse, body: object): void {
  const text = JSON.stringify(body);
  response
    .writeHead(200, {
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(text),
    })
    .end(text);
}
