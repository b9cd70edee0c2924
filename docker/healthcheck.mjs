// Healthy while the service in this container responds to GET /readyz.
import { readFileSync } from 'node:fs';
import process from 'node:process';

/** The setting that /readyz listens on, and its default. */
const ports = {
  api: ['OPS_PORT', 3010],
  billing: ['OPS_PORT', 3011],
  'video-worker': ['OPS_PORT', 3002],
  'callback-dispatcher': ['OPS_PORT', 3003],
  'sandbox-vendor': ['PORT', 8090],
};

/**
 * The part that entry.mjs was told to run: an argument of the container's first process, or of the
 * init that started it.
 */
function partOfContainer() {
  return readFileSync('/proc/1/cmdline', 'utf8')
    .split('\0')
    .find((word) => Object.hasOwn(ports, word));
}

const [setting, usual] = ports[partOfContainer()] ?? [];
const port = process.env[setting] || usual;
try {
  const { status } = await fetch(`http://127.0.0.1:${port}/readyz`, {
    signal: AbortSignal.timeout(4_000),
  });
  process.exit(status === 200 ? 0 : 1);
} catch {
  process.exit(1);
}
