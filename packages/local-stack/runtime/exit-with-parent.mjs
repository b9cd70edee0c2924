// Loaded with --import into every service that the supervisor starts. The supervisor holds the
// other end of stdin and never writes: when that end closes, the supervisor is gone, however it
// died, and this process stops as on SIGTERM.
import process from 'node:process';
import { isMainThread } from 'node:worker_threads';

const graceMs = 10_000;

let leaving = false;
const leave = () => {
  if (leaving) return;
  leaving = true;
  setTimeout(() => process.kill(process.pid, 'SIGKILL'), graceMs).unref();
  process.kill(process.pid, 'SIGTERM');
};

// Worker threads inherit --import, and have a stdin of their own.
if (isMainThread) {
  process.stdin.on('end', leave).on('close', leave).on('error', leave).resume();
  process.stdin.unref?.();
}
