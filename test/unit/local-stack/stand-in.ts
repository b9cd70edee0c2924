import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

/** A folder of one test; gone when `remove` is called. */
export function aFolder(): {
  folder: string;
  file(name: string, text: string): string;
  remove(): void;
} {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'gateway-local-stack-'));
  return {
    folder,
    file: (name, text) => {
      const at = path.join(folder, name);
      writeFileSync(at, text);
      return at;
    },
    remove: () => {
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/**
 * A service in a few lines: returns 200 on /readyz and its environment on /env, crashes on /crash,
 * stops on SIGTERM.
 */
export const aService = `
import { createServer } from 'node:http';
const server = createServer((request, response) => {
  if (request.url === '/crash') process.exit(3);
  response.end(request.url === '/env' ? JSON.stringify(process.env) : 'ok');
});
server.listen(Number(process.env.PORT), '127.0.0.1', () => console.log(JSON.stringify({ message: 'listening', pid: process.pid })));
process.on('SIGTERM', () => process.exit(0));
`;

/** A service that starts a process of its own and tells its number on /child. */
export const aServiceWithAChild = `
import { spawn } from 'node:child_process';
import { createServer } from 'node:http';
const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { stdio: 'ignore' });
createServer((request, response) => response.end(String(child.pid))).listen(Number(process.env.PORT), '127.0.0.1');
process.on('SIGTERM', () => process.exit(0));
`;

/** A service that is up and never gets ready. */
export const aServiceThatIsNeverReady = `
import { createServer } from 'node:http';
console.log('{"message":"waiting for the database"}');
createServer((request, response) => { response.statusCode = 503; response.end('{"failing":"database"}'); }).listen(Number(process.env.PORT), '127.0.0.1');
`;

/** A service that cannot start. */
export const aServiceThatCannotStart = `
console.log('Settings that keep this service from starting: DATABASE_URL is required');
process.exit(1);
`;

/** A service that ends with a code as often as it is started, and logs one line each time. */
export const aServiceThatEndsWith = (exitCode: number): string => `
console.log('not like this');
process.exit(${exitCode});
`;

/** A service that does not listen to SIGTERM. */
export const aServiceThatWillNotStop = `${aService.replace("process.on('SIGTERM', () => process.exit(0));", '')}
process.on('SIGTERM', () => undefined);
`;

export function isRunning(pid: number | undefined): boolean {
  if (pid === undefined) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

/** Looks until `isSo` says true, for ten seconds. */
export async function becomesTrue(isSo: () => boolean | Promise<boolean>): Promise<boolean> {
  for (const deadline = Date.now() + 10_000; Date.now() < deadline;) {
    if (await isSo()) return true;
    await sleep(20);
  }
  return false;
}
