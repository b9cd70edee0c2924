import { fork, spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { createServer, type AddressInfo } from 'node:net';
import path from 'node:path';

/** A server that hands out the file, and the process that does the work. */
export interface Target {
  readonly name: string;
  readonly url: URL;
  readonly pid: number;
  stop(): Promise<void>;
}

export async function startBareServer(file: string): Promise<Target> {
  const child = fork(path.join(import.meta.dirname, 'bare-server.js'), [file], { execArgv: [] });
  const [{ port }] = (await once(child, 'message')) as [{ port: number }];
  return {
    name: 'bare node',
    url: new URL(`http://127.0.0.1:${port}/`),
    pid: child.pid ?? NaN,
    stop: () => stop(child),
  };
}

/** Undefined when there is no nginx on the PATH. One process, as the api is one. */
export async function startNginx(file: string, folder: string): Promise<Target | undefined> {
  if (spawnSync('nginx', ['-v']).error !== undefined) return undefined;
  const port = await freePort();
  const configuration = path.join(folder, 'nginx.conf');
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
    .map((name) => `${name}_temp_path ${folder}/${name};`)
    .join(' ');
  await writeFile(
    configuration,
    `
    daemon off; master_process off; pid ${folder}/nginx.pid; error_log ${folder}/nginx.log;
    events { worker_connections 256; }
    http { access_log off; sendfile on; tcp_nopush on; ${temporary} server { listen 127.0.0.1:${port}; root ${path.dirname(file)}; } }`,
  );
  const child = spawn('nginx', ['-c', configuration, '-p', folder], { stdio: 'ignore' });
  const url = new URL(`http://127.0.0.1:${port}/${path.basename(file)}`);
  for (let tries = 0; tries < 100 && !(await responds(url)); tries += 1) {
    await new Promise((resolve) => {
      setTimeout(resolve, 50);
    });
  }
  return { name: 'nginx', url, pid: child.pid ?? NaN, stop: () => stop(child) };
}

const responds = (url: URL): Promise<boolean> =>
  fetch(url, { method: 'HEAD' }).then(
    (response) => response.ok,
    () => false,
  );

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => {
    server.close(resolve);
  });
  return port;
}

async function stop(child: ChildProcess): Promise<void> {
  const gone = once(child, 'exit');
  child.kill();
  await gone;
}
