import { setTimeout as pause } from 'node:timers/promises';
import { promisify } from 'node:util';

/**
 * What ends by itself (a socket's FIN, a killed child, a command's time limit) gets this long: nothing
 * waits for it where nothing is left.
 */
const usualGraceMs = 20_000;
const checkMs = 10;
/** Requests in flight end by themselves; jest itself makes them too. */
const passing = /^(?:FSReq|Immediate|TTYWrap|CloseReq|ShutdownWrap|WriteWrap|GetAddrInfoReqWrap)/;

// Opened at their first use, for as long as the process lives; no test's doing.
void [process.stdin, process.stdout, process.stderr];

/**
 * Fails a file that leaves something open: a timer, socket, server or child that keeps the process
 * alive outlives its test, disturbs the next file and hides what a service forgets to close.
 *
 * @param {ReturnType<typeof openHandles>} before what was open when the file began
 * @param {ReturnType<typeof watchTimers>} timers those that the file has set
 * @param {number} [graceMs] for what ends by itself
 */
export async function refuseLeftOvers(before, timers, graceMs = usualGraceMs) {
  const deadline = performance.now() + graceMs;
  timers.watchAll();
  let left = leftSince(before);
  while (left.length > 0 && performance.now() < deadline) {
    await pause(checkMs);
    left = leftSince(before);
  }
  if (left.length === 0) return;
  throw new Error(
    `This file leaves open: ${[...left, ...timers.open()].join(', ')}. Close it in afterEach or afterAll; ` +
      '"npm test -- FILE --detectOpenHandles" tells where it was opened.',
  );
}

/**
 * Remembers where a timer was set until it is over: among hundreds of files one that is left is not
 * found by its kind alone. While a file runs only the long ones are remembered, for to look where a
 * timer is set costs more than to set it, and each statement sets one. A shorter one is over before
 * its file is refused; what it sets then is remembered.
 */
export function watchTimers(graceMs = usualGraceMs) {
  const { setTimeout: ownSetTimeout, clearTimeout: ownClearTimeout } = globalThis;
  /** @type {Map<NodeJS.Timeout, { ms: number, at: Error }>} */
  const running = new Map();
  let leastMs = graceMs;
  const watched = (work, ms = 0, ...values) => {
    if (ms < leastMs) return ownSetTimeout(work, ms, ...values);
    const timer = ownSetTimeout(
      (...given) => {
        running.delete(timer);
        work(...given);
      },
      ms,
      ...values,
    );
    const limit = Error.stackTraceLimit;
    Error.stackTraceLimit = 4;
    running.set(timer, { ms, at: new Error('set') });
    Error.stackTraceLimit = limit;
    return timer;
  };
  globalThis.setTimeout = /** @type {any} */ (
    Object.defineProperty(watched, promisify.custom, { value: pause })
  );
  globalThis.clearTimeout = (timer) => {
    running.delete(/** @type {any} */ (timer));
    ownClearTimeout(timer);
  };
  return {
    watchAll() {
      leastMs = 0;
    },
    stop() {
      globalThis.setTimeout = ownSetTimeout;
      globalThis.clearTimeout = ownClearTimeout;
    },
    /** In words, those that keep the process alive. */
    open: () =>
      [...running]
        .filter(([timer]) => timer.hasRef())
        .map(([, { ms, at }]) => `a timer of ${ms} ms, set ${callerIn(at)}`),
  };
}

const callerIn = ({ stack = '' }) =>
  stack.split('\n').slice(2, 4).join(' ').replace(/\s+/g, ' ').trim();

/** What keeps the process alive now: how many of each kind, and the handles themselves. */
export function openHandles() {
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
  const now = openHandles();
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
