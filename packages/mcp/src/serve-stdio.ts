import process from 'node:process';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { createServer } from './server.ts';
import type { Connection } from './tool.ts';

export interface StdioOptions {
  readonly connection: Connection;
  readonly version: string;
  readonly onError: (error: Error) => void;
}

export interface StdioConnection {
  /** The client has closed its end. */
  readonly ended: Promise<void>;
  close(): Promise<void>;
}

/** Serves the one client at the other end of this process's standard streams. */
export function serveStdioConnection({
  connection,
  version,
  onError,
}: StdioOptions): StdioConnection {
  const ended = new Promise<void>((resolve) => {
    for (const event of ['end', 'close']) process.stdin.once(event, resolve);
  });
  const { close } = serveStdio(({ era }) => createServer(connection, era, version), {
    onerror: onError,
    // Nothing here changes that a client could subscribe to.
    maxSubscriptions: 0,
  });
  return { ended, close };
}
