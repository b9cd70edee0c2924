import { spawn } from 'node:child_process';
import os from 'node:os';
import process from 'node:process';
import { SetupFailure } from './failure.mjs';

const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'];

/**
 * Runs a program to its end. Its output is shown only when it fails (`show: true`: at once). A
 * signal that ends this script ends the program first.
 *
 * @param {string} command
 * @param {readonly string[]} args
 * @param {{ cwd?: string, env?: NodeJS.ProcessEnv, show?: boolean, failure?: string }} options
 *   `failure`: what to throw, below the output, where the exit code is not 0
 * @returns {Promise<number>} the exit code
 */
export async function run(command, args, { cwd, env = process.env, show = false, failure }) {
  const child = spawn(command, args, {
    cwd,
    env,
    stdio: show ? 'inherit' : ['ignore', 'pipe', 'pipe'],
  });
  const outputSoFar = collectOutput(child);
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
  if (exitCode !== 0 && failure !== undefined) {
    const output = outputSoFar();
    throw new SetupFailure(`${output.trim()}\n\n${failure}`.trim(), { cause: output });
  }
  return exitCode;
}

/** @param {import('node:child_process').ChildProcess} child */
function collectOutput(child) {
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding('utf8').on('data', (chunk) => {
      output += chunk;
    });
  }
  return () => output;
}
