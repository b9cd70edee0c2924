import { setTimeout as pause } from 'node:timers/promises';
import { TestEnvironment } from 'jest-environment-node';

/** What ends by itself (a socket's FIN, a killed child, a command's time limit) gets this long. */
const graceMs = 5_000;
const checkMs = 10;
/** Requests in flight end by themselves; jest itself makes them too. */
const passing = /^(?:FSReq|Immediate|TTYWrap|CloseReq|ShutdownWrap|WriteWrap|GetAddrInfoReqWrap)/;

// Opened at their first use, for as long as the process lives; no test's doing.
void [process.stdin, process.stdout, process.stderr];

/**
 * Node's environment, and a file that leaves something open fails: a timer, socket, server or child
 * that keeps the process alive outlives its test, disturbs the next file and hides what a service
 * forgets to close.
 */
export default class HandleGuardEnvironment extends TestEnvironment {
  #before = keepingAlive();
  #failures = 0;

  handleTestEvent({ name }) {
    if (name === 'test_fn_failure' || name === 'hook_failure') this.#failures += 1;
  }

  async teardown() {
    await super.teardown();
    // A test that fails may not come to its closing; the reason why it failed must be seen.
    if (this.#failures > 0) return;
    const deadline = performance.now() + graceMs;
    let left = leftSince(this.#before);
    while (left.length > 0 && performance.now() < deadline) {
      await pause(checkMs);
      left = leftSince(this.#before);
    }
    if (left.length === 0) return;
    throw new Error(
      `This file leaves open: ${left.join(', ')}. Close it in afterEach or afterAll; ` +
        '"npm test -- FILE --detectOpenHandles" tells where it was opened.',
    );
  }
}

/** What keeps the process alive now: how many of each kind, and the handles themselves. */
function keepingAlive() {
  const counts = new Map();
  for (const kind of process.getActiveResourcesInfo()) {
    if (!passing.test(kind)) counts.set(kind, (counts.get(kind) ?? 0) + 1);
  }
  // Not part of the public interface of Node.
  const { _getActiveHandles: handlesOf } = /** @type {any} */ (process);
  return { counts, handles: new Set(handlesOf.call(process)) };
}

/** In words, what keeps the process alive that did not before. */
function leftSince(before) {
  const now = keepingAlive();
  const kinds = [...now.counts]
    .filter(([kind, count]) => count > (before.counts.get(kind) ?? 0))
    .map(([kind, count]) => `${count - (before.counts.get(kind) ?? 0)} × ${kind}`);
  if (kinds.length === 0) return [];
  const handles = [...now.handles].filter((handle) => !before.handles.has(handle));
  return [...kinds, ...handles.map(inWords)];
}

function inWords(handle) {
  const { constructor, localPort, remotePort, spawnfile, pid } = handle;
  if (typeof handle.address === 'function' && typeof handle.listen === 'function') {
    return `a server at port ${handle.address()?.port}`;
  }
  if (remotePort !== undefined) return `a socket from port ${localPort} to ${remotePort}`;
  if (spawnfile !== undefined) return `process ${pid} (${spawnfile})`;
  return `a ${constructor?.name}`;
}
