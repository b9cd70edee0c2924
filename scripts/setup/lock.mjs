import { mkdirSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import { dirname } from 'node:path';
import process from 'node:process';
import { setTimeout as sleep } from 'node:timers/promises';
import { SetupFailure } from './failure.mjs';

const heartbeatMs = 2_000;
/**
 * Also a holder on another machine, or in another container, that shares this checkout is found
 * dead after this.
 */
const deadAfterMs = 30_000;
const checkEveryMs = 200;

/**
 * Does `work` while no other process does the same with this lock file; `onWait` is told once when
 * it has to wait.
 */
export async function withLock(path, onWait, work) {
  await take(path, onWait);
  const heartbeat = setInterval(() => touch(path), heartbeatMs);
  const release = () => rmSync(path, { force: true });
  process.once('exit', release);
  try {
    return await work();
  } finally {
    clearInterval(heartbeat);
    process.off('exit', release);
    release();
  }
}

async function take(path, onWait) {
  let hasWaited = false;
  while (!tryToTake(path)) {
    if (isHolderDead(path)) {
      rmSync(path, { force: true });
      continue;
    }
    if (!hasWaited) onWait();
    hasWaited = true;
    await sleep(checkEveryMs);
  }
}

function tryToTake(path) {
  try {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, JSON.stringify({ pid: process.pid, host: os.hostname() }), { flag: 'wx' });
    return true;
  } catch (error) {
    if (error.code === 'EEXIST') return false;
    throw new SetupFailure(
      `This checkout has to be set up, and ${dirname(path)} cannot be written (${error.code}): run "npm run build" as the owner of the checkout.`,
    );
  }
}

function isHolderDead(path) {
  try {
    if (Date.now() - statSync(path).mtimeMs > deadAfterMs) return true;
    const { pid, host } = JSON.parse(readFileSync(path, 'utf8'));
    return host === os.hostname() && !isAlive(pid);
  } catch {
    // Released, or being written, at this moment.
    return false;
  }
}

function isAlive(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error.code === 'EPERM';
  }
}

function touch(path) {
  try {
    utimesSync(path, new Date(), new Date());
  } catch {
    // Somebody took the lock away; the work goes on.
  }
}
