import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { GatewayClient, type ClientOptions } from '@gateway/client';

/** Where an example runs: a folder with the files that it names, and the secrets of its reader. */
export interface Desk {
  readonly folder: string;
  readonly secrets: Readonly<Record<string, string>>;
  /** The public address of the gateway, and where that leads to. */
  readonly publicly: { readonly address: string; readonly is: string };
}

export interface Runner {
  /** Rejects, with what was said, when an example fails. */
  run(code: string, desk: Desk): Promise<void>;
  close(): void;
}

/** In a shell, as a person pastes it; a status from 400 on is a failure. */
export const curlRunner: Runner = {
  async run(code, { folder, secrets }) {
    const child = spawn('sh', ['-c', code], {
      cwd: folder,
      env: { PATH: process.env['PATH'], CURL_HOME: folder, ...secrets },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let said = '';
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8').on('data', (text: string) => (said += text));
    }
    await once(child, 'close');
    if (child.exitCode !== 0) throw new Error(said);
  },
  close: () => undefined,
};

type Body = (...given: unknown[]) => Promise<void>;
const AsyncFunction = (async () => {
  await Promise.resolve();
}).constructor as new (...text: string[]) => Body;

/** The examples use no types, so that they run as they are once their imports are given to them. */
export const typescriptRunner: Runner = {
  async run(code, { folder, secrets, publicly }) {
    const inFolder = (name: string): string => path.join(folder, name);
    class ClientHere extends GatewayClient {
      constructor(options: ClientOptions) {
        super({
          ...options,
          fetch: (address, init) =>
            fetch(
              typeof address === 'string'
                ? address.replace(publicly.address, publicly.is)
                : address,
              init,
            ),
        });
      }
    }
    const given = {
      GatewayClient: ClientHere,
      process: { env: secrets, stdout: { write: () => true } },
      console: { log: () => undefined },
      readFile: (name: string) => readFile(inFolder(name)),
      writeFile: (name: string, data: Parameters<typeof writeFile>[1]) =>
        writeFile(inFolder(name), data),
    };
    const body = new AsyncFunction(...Object.keys(given), code.replace(/^import .*$/gm, ''));
    await body(...Object.values(given));
  },
  close: () => undefined,
};

const driver = `
import io, json, os, sys, contextlib, traceback
for line in sys.stdin:
    given = json.loads(line)
    os.chdir(given["folder"])
    os.environ.update(given["secrets"])
    try:
        with contextlib.redirect_stdout(io.StringIO()):
            exec(given["code"], {"__name__": "__main__"})
        said = ""
    except Exception as error:
        body = error.read().decode() if hasattr(error, "read") else ""
        said = traceback.format_exc() + body
    print(json.dumps(said), flush=True)
`;

export const hasPython = (): boolean => spawnSync('python3', ['--version']).status === 0;

/** One Python for all examples, each in a world of its own: starting one takes longer than an example. */
export function openPython(): Runner {
  const child = spawn('python3', ['-c', driver], { stdio: ['pipe', 'pipe', 'inherit'] });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  return {
    async run(code, desk) {
      child.stdin.write(`${JSON.stringify({ code, ...desk })}\n`);
      const { value } = (await lines.next()) as { value: string };
      const said = JSON.parse(value) as string;
      if (said !== '') throw new Error(said);
    },
    close: () => child.kill(),
  };
}
