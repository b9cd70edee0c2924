import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, open, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer, type AddressInfo } from 'node:net';
import path from 'node:path';
import { tmpdir } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { interrupted, leaveNothing } from '../leave-nothing.ts';
import { openAccounts } from '../text/accounts.ts';
import { startGateway } from '../text/gateway.ts';
import { pin, startServer, targetCore } from '../text/processes.ts';
import { modelOf, scriptNames } from '../text/scripts.ts';
import { installLitellm, installPortkey, type Installed } from './install.ts';
import type { PeerName } from './options.ts';

/** A gateway that runs, on a core of its own, and how it is asked. */
export interface Peer {
  readonly title: string;
  readonly url: string;
  readonly pid: number;
  readonly apiKey: string;
  /** Of several accounts, where large bodies of one are read at a pace. */
  readonly apiKeys?: readonly string[];
  readonly headers: readonly string[];
  stop(): Promise<void>;
}

export interface PeerPorts {
  readonly upstreamUrl: string;
  readonly say: (line: string) => void;
}

const anyKey = 'sk-bench';
const accounts = 16;

/** Starts one; rejects with the reason where it cannot be installed or does not come up. */
export const startPeer: Readonly<Record<PeerName, (ports: PeerPorts) => Promise<Peer>>> = {
  async bare({ upstreamUrl }) {
    const { url, pid, stop } = await startServer('bare-proxy', [upstreamUrl]);
    pin(pid, targetCore);
    return { title: 'bare node:http + undici', url, pid, apiKey: anyKey, headers: [], stop };
  },
  async gateway({ upstreamUrl }) {
    const { stack, pid } = await startGateway(upstreamUrl);
    const { apiKey, suite, databaseUrl } = stack;
    const stop = (): Promise<void> => stack.stop();
    const apiKeys = await openAccounts(databaseUrl, accounts);
    return { title: 'this gateway', url: suite.baseUrl, pid, apiKey, apiKeys, headers: [], stop };
  },
  async portkey({ upstreamUrl, say }) {
    const installed = await installPortkey(say);
    const provider = ['x-portkey-provider', 'openai'];
    return startProgram(`Portkey ${installed.version}`, installed, {
      argsFor: (port) => Promise.resolve([`--port=${port}`]),
      headers: [...provider, 'x-portkey-custom-host', `${upstreamUrl}/v1`],
    });
  },
  async litellm({ upstreamUrl, say }) {
    const installed = await installLitellm(say);
    return startProgram(`LiteLLM ${installed.version}`, installed, {
      argsFor: async (port, dataDir) => {
        const file = path.join(dataDir, 'config.yaml');
        // JSON is YAML.
        await writeFile(file, JSON.stringify(litellmConfiguration(upstreamUrl)));
        return ['--config', file, '--host', '127.0.0.1', '--port', String(port)];
      },
      headers: [],
    });
  },
};

/** Without a database: then it checks no keys. */
const litellmConfiguration = (upstreamUrl: string): object => ({
  general_settings: { dangerously_permit_weak_or_unset_master_key: true },
  model_list: scriptNames.map((script) => {
    const name = modelOf('chat', script);
    const upstream = { model: `openai/${name}`, api_base: `${upstreamUrl}/v1`, api_key: anyKey };
    return { model_name: name, litellm_params: upstream };
  }),
});

interface ProgramOptions {
  readonly argsFor: (port: number, dataDir: string) => Promise<readonly string[]>;
  readonly headers: readonly string[];
}

const startMs = 120_000;

async function startProgram(
  title: string,
  { command, args }: Installed,
  { argsFor, headers }: ProgramOptions,
): Promise<Peer> {
  const dataDir = await mkdtemp(path.join(tmpdir(), 'bench-peer-'));
  const port = await freePort();
  const logFile = path.join(dataDir, 'log');
  const log = await open(logFile, 'w');
  const child = spawn(command, [...args, ...(await argsFor(port, dataDir))], {
    cwd: dataDir,
    stdio: ['ignore', log.fd, log.fd],
  });
  const stop = leaveNothing(async () => {
    await end(child);
    await log.close();
    await rm(dataDir, { recursive: true, force: true });
  });
  const url = `http://127.0.0.1:${port}`;
  if (!(await listens(url, child))) {
    const lines = (await readFile(logFile, 'utf8')).trim().split('\n');
    await stop();
    throw new Error(`${title} does not start: ${lines.at(-1)?.slice(0, 200) ?? ''}`);
  }
  const pid = child.pid ?? NaN;
  pin(pid, targetCore);
  return { title, url, pid, apiKey: anyKey, headers, stop };
}

async function end(child: ChildProcess): Promise<void> {
  if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
  const gone = once(child, 'exit');
  child.kill();
  await gone;
}

/** False where the program ends, or takes too long. */
async function listens(url: string, child: ChildProcess): Promise<boolean> {
  const over = new AbortController();
  const end = (): void => {
    over.abort();
  };
  child.once('error', end).once('exit', end);
  const givenUp = AbortSignal.any([over.signal, interrupted, AbortSignal.timeout(startMs)]);
  while (!givenUp.aborted) {
    const hasResponded = await fetch(url, { signal: givenUp }).then(
      () => true,
      () => false,
    );
    if (hasResponded) return true;
    await sleep(250);
  }
  return false;
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}
