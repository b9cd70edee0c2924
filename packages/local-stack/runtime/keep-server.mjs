// Runs one native server (PostgreSQL, Redis) for as long as whoever started this process lives. A
// native server cannot be told to watch its parent, so this small process does: SIGTERM, or the end
// of stdin, stops the server properly.
//   node keep-server.mjs '{"command":"…","args":["…"],"stopSignal":"SIGINT","graceMs":8000,"uid":101,"gid":104,"env":{}}'
import { spawn } from 'node:child_process';
import process from 'node:process';

const { command, args, stopSignal, graceMs, uid, gid, env } = JSON.parse(process.argv[2] ?? '');
const account = uid === undefined ? {} : { uid, gid };
const server = spawn(command, args, {
  stdio: ['ignore', 'inherit', 'inherit'],
  env: { ...process.env, ...env },
  ...account,
});

server.once('error', (error) => {
  process.stderr.write(`${command} cannot be started: ${error.message}\n`);
  process.exit(127);
});
server.once('exit', (code) => process.exit(code ?? 1));

let stopping = false;
const stop = () => {
  if (stopping) return;
  stopping = true;
  setTimeout(() => server.kill('SIGKILL'), graceMs).unref();
  server.kill(stopSignal);
};
for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP']) process.on(signal, stop);
process.stdin.on('end', stop).on('close', stop).on('error', stop).resume();
