import { failed, ok, skipped, warning, type Diagnosis } from './diagnosis.ts';
import { readiness, type Readiness } from './reach.ts';

/** Without one of these nothing gets done. */
const services = ['api', 'video-worker', 'callback-dispatcher', 'billing'] as const;

/** `connected`: the services that have a connection to the database at this moment. */
export function judgeConnected(connected: readonly string[]): Diagnosis {
  const check = 'services';
  const missing = services.filter((name) => !connected.includes(name));
  if (missing.length === 0) return ok(check, 'all four are connected to the database');
  if (missing.length === services.length) {
    return warning(check, 'none is connected to the database', 'start them, then ask again');
  }
  return failed(
    check,
    `not connected to the database: ${missing.join(', ')}`,
    'start what is missing, and look at its log if it runs',
  );
}

/** What each service says of itself, at the addresses in OPS_URLS. */
export async function checkReadiness(opsUrls: string | undefined): Promise<Diagnosis[]> {
  if (opsUrls === undefined) {
    return [
      skipped(
        'readiness of services',
        'OPS_URLS is not set',
        'set OPS_URLS to the operations ports that can be reached from here, such as api=http://127.0.0.1:9090',
      ),
    ];
  }
  return Promise.all(
    opsUrls.split(',').map(async (pair) => {
      const [name, url] = splitOnce(pair);
      return judgeReadiness(name, await readiness(url));
    }),
  );
}

const splitOnce = (pair: string): [string, string] => {
  const at = pair.indexOf('=');
  return [pair.slice(0, at), pair.slice(at + 1)];
};

function judgeReadiness(name: string, found: Readiness): Diagnosis {
  const check = `service ${name}`;
  if (found.kind === 'unreachable') {
    return failed(
      check,
      `cannot be reached: ${found.reason}`,
      `check that ${name} runs, and its address in OPS_URLS`,
    );
  }
  if (found.kind === 'ready') return ok(check, 'ready');
  const failing = Object.entries(found.checks)
    .filter(([, status]) => status !== 'ok')
    .map(([part, status]) => `${part} ${status}`);
  return warning(
    check,
    failing.length === 0 ? `not ready (${found.status})` : `not ready: ${failing.join(', ')}`,
    `see the log of ${name}`,
  );
}
