import { spawn } from 'node:child_process';
import os from 'node:os';
import process from 'node:process';
import { SetupFailure } from './failure.mjs';

const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'];

/**
 * Runs a program to its end. Its output is shown only when it fails (`show: true`: at once). A
 * signal that ends this script ends the program first.
 */
export async function run(command, args, { cwd, env = process.env, show = false, failure }) {
  const child = spawn(command, args, {
    cwd,
    env,
    stdio: show ? 'inherit' : ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream?.setEncoding('utf8').on('data', (chunk) => {
      output += chunk;
    });
  let received;
  const onSignal = (signal) => {
    received = signal;
    child.kill(signal);
  };
  for (const signal of signals) process.on(signal, onSignal);
  const exitCode = await new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => resolve(code ?? 1));
  });
  for (const signal of signals) process.off(signal, onSignal);
  if (received !== undefined) process.exit(128 + os.constants.signals[received]);
  if (exitCode !== 0 && failure !== undefined)
    throw new SetupFailure(`${output.trim()}\n\n${failure}`.trim(), { cause: output });
  return exitCode;
}
