import { Session } from 'node:inspector/promises';
import { fileURLToPath } from 'node:url';

const ours = /\/(?:packages|services)\/[^/]+\/src\//;

/** @type {Session | undefined} Counts from the first file on: a module is loaded once per worker. */
let session;

/** Makes V8 count, for `--coverage`. */
export async function startCoverage() {
  if (session !== undefined) return;
  session = new Session();
  session.connect();
  await session.post('Profiler.enable');
  await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: true });
}

/** What was run since the last call, as jest's reporter wants it; sources are what V8 has compiled. */
export async function takeCoverage() {
  const { result } = await /** @type {Session} */ (session).post('Profiler.takePreciseCoverage');
  return result
    .filter(({ url }) => ours.test(url))
    .map((script) => ({ result: { ...script, url: fileURLToPath(script.url) } }));
}
