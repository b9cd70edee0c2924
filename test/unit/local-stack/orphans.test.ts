import { spawn } from 'node:child_process';
import path from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { aFolder, aService, becomesTrue, isRunning } from './stand-in.ts';

const dist = path.resolve(import.meta.dirname, '../../../packages/local-stack/dist');
const keeper = path.resolve(
  import.meta.dirname,
  '../../../packages/local-stack/runtime/keep-server.mjs',
);

/** Starts a program in plain Node and waits for its first line. */
async function firstLineOf(
  args: readonly string[],
  stdio: 'ignore' | 'pipe',
): Promise<{ supervisor: ReturnType<typeof spawn>; line: string }> {
  const supervisor = spawn(process.execPath, args, { stdio: [stdio, 'pipe', 'inherit'] });
  const line = await new Promise<string>((resolve) => {
    let text = '';
    supervisor.stdout
      ?.setEncoding('utf8')
      .on('data', (chunk: string) => {
        text += chunk;
        if (text.includes('\n')) resolve(text.split('\n')[0] ?? '');
      })
      .on('end', () => {
        resolve(text);
      });
  });
  return { supervisor, line };
}

describe('processes whose supervisor is killed with SIGKILL', () => {
  it('end: the services (as compiled, by npm run build)', async () => {
    const place = aFolder();
    const services = ['api', 'sandbox-vendor'].map((name) => ({
      name,
      entry: place.file(`${name}.mjs`, aService),
    }));
    const program = place.file(
      'supervise.mjs',
      `
      import { startSuite } from ${JSON.stringify(path.join(dist, 'suite.js'))};
      const suite = await startSuite({ dataDir: ${JSON.stringify(place.folder)}, databaseUrl: '', redisUrl: '', services: ${JSON.stringify(services)} });
      console.log(JSON.stringify([suite.pidOf('api'), suite.pidOf('sandbox-vendor')]));
      setInterval(() => undefined, 1_000);
    `,
    );
    const { supervisor, line } = await firstLineOf([program], 'ignore');
    const pids = JSON.parse(line) as number[];
    expect(pids.map(isRunning)).toEqual([true, true]);

    supervisor.kill('SIGKILL');

    expect(await becomesTrue(() => !pids.some(isRunning))).toBe(true);
    place.remove();
  });

  it('end: a native server, through its keeper', async () => {
    const server = ['-e', 'console.log(process.pid); setInterval(() => {}, 1000)'];
    const order = JSON.stringify({
      command: process.execPath,
      args: server,
      stopSignal: 'SIGINT',
      graceMs: 1_000,
    });
    const { supervisor, line } = await firstLineOf([keeper, order], 'pipe');
    expect(isRunning(Number(line))).toBe(true);

    // What the end of its parent looks like to a keeper.
    supervisor.stdin?.destroy();

    expect(await becomesTrue(() => !isRunning(Number(line)) && supervisor.exitCode !== null)).toBe(
      true,
    );
  });

  it('end: a native server that does not obey, by force', async () => {
    const server = [
      '-e',
      'process.on("SIGINT", () => {}); console.log(process.pid); setInterval(() => {}, 1000)',
    ];
    const order = JSON.stringify({
      command: process.execPath,
      args: server,
      stopSignal: 'SIGINT',
      graceMs: 100,
    });
    const { supervisor, line } = await firstLineOf([keeper, order], 'pipe');

    supervisor.kill('SIGTERM');

    expect(await becomesTrue(() => !isRunning(Number(line)))).toBe(true);
  });
});
