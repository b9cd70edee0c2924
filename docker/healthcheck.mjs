// Healthy while the service in this container answers GET /readyz.
import { readFileSync } from 'node:fs';
import process from 'node:process';

const defaultPorts = {
  api: 3000,
  billing: 3001,
  'video-worker': 3002,
  'callback-dispatcher': 3003,
  'sandbox-vendor': 8090,
};

/**
 * The part that entry.mjs was told to run: an argument of the container's first process, or of the
 * init that started it.
 */
function partOfContainer() {
  return readFileSync('/proc/1/cmdline', 'utf8')
    .split('\0')
    .find((word) => Object.hasOwn(defaultPorts, word));
}

const port = process.env.PORT || defaultPorts[partOfContainer()];
try {
  const { status } = await fetch(`http://127.0.0.1:${port}/readyz`, {
    signal: AbortSignal.timeout(4_000),
  });
  process.exit(status === 200 ? 0 : 1);
} catch {
  process.exit(1);
}
