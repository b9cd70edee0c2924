import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { eventually } from '@gateway/testing';
import { projectRoot } from './markdown.ts';

export interface Stage {
  /** Looks like the root of the project, has data of its own, and a picture to upload. */
  readonly folder: string;
  /**
   * In which http://localhost:3000 leads curl to the gateway of this stage, and a status from 400
   * on fails.
   */
  readonly environment: NodeJS.ProcessEnv;
  readonly baseUrl: string;
  readonly apiKey: string;
  /** What starting it has printed. */
  printed(): string;
  close(): Promise<void>;
}

const ours =
  /^(TEST_|npm_)|^(DATABASE_URL|REDIS_URL|GATEWAY_CONFIG|HOST|PORT|DATA_DIR|NODE_ENV|NODE_OPTIONS|CALLBACK_SECRET_KEYS|ADMIN_TOKEN)$/;
const aPixel =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

/**
 * Starts the gateway with the command that a newcomer is told, in a folder of its own, on a free
 * port.
 */
export async function openStage(command: string): Promise<Stage> {
  const folder = await mkdtemp(path.join(os.tmpdir(), 'gateway-docs-'));
  for (const name of await readdir(projectRoot)) {
    if (name !== '.data' && name !== '.git') {
      await symlink(path.join(projectRoot, name), path.join(folder, name));
    }
  }
  await writeFile(path.join(folder, 'cat.png'), Buffer.from(aPixel, 'base64'));
  const dataDir = path.join(folder, '.data');
  const inherited = Object.fromEntries(
    Object.entries(process.env).filter(([name]) => !ours.test(name)),
  );
  const environment = { ...inherited, DATA_DIR: dataDir, CURL_HOME: folder };
  const child = spawn('bash', ['-c', `exec ${command}`], {
    cwd: folder,
    env: { ...environment, PORT: '0' },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let printed = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      printed += text;
    });
  }
  const close = async (): Promise<void> => {
    await stop(child);
    await rm(folder, { recursive: true, force: true });
  };
  try {
    const demo = await eventually(
      async () => {
        if (!printed.includes('Ctrl-C stops everything')) {
          throw new Error(`"${command}" is not ready and has printed:\n${printed}`);
        }
        return JSON.parse(await readFile(path.join(dataDir, 'demo.json'), 'utf8')) as {
          base_url: string;
          api_key: string;
        };
      },
      { withinMs: child.exitCode === null ? 120_000 : 0, everyMs: 100 },
    );
    // A busy machine may return 503 or 504 with retry-after, as the pages say.
    await writeFile(
      path.join(folder, '.curlrc'),
      `connect-to = "localhost:3000:${new URL(demo.base_url).host}"\nfail-with-body\nretry = 3\n`,
    );
    return {
      folder,
      environment,
      baseUrl: demo.base_url,
      apiKey: demo.api_key,
      printed: () => printed,
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}

/**
 * In order; when that takes longer than half a minute npm is killed, and what it started ends
 * because npm is gone.
 */
async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, 'exit');
  child.kill('SIGTERM');
  const impatience = setTimeout(() => {
    child.kill('SIGKILL');
  }, 30_000);
  await ended;
  clearTimeout(impatience);
}
