import path from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { errorCatalogue } from '@gateway/domain';
import { documentsOf, fileOf, services, type Manifest } from './suite.ts';

const configuration = fileOf('docker/haproxy/haproxy.cfg');
const [compose] = documentsOf(fileOf('docker-compose.yml')) as [Manifest];
const { balancer, api } = compose.services;

const milliseconds = (text: string): number =>
  Number.parseFloat(text) * (text.endsWith('ms') ? 1 : 1_000);
/** What stands after these words. */
const after = (words: string): string =>
  new RegExp(`^ .*\\b${words} (\\S+)`, 'm').exec(configuration)?.[1] ?? '';

interface ErrorBody {
  readonly code: keyof typeof errorCatalogue;
  readonly type: string;
  readonly message: string;
  readonly param: unknown;
}
const bodyOf = (body: string): ErrorBody => (JSON.parse(body) as { error: ErrorBody }).error;

/** The body of a file that is a whole response, once its head is right. */
function wholeResponse(status: number, file: string): string {
  const [head = '', body = ''] = fileOf(`docker/haproxy/${file}`).split('\n\n');
  expect(head).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
  expect(head).toContain('\ncontent-type: application/json\n');
  expect(head).toContain(`\ncontent-length: ${Buffer.byteLength(body)}`);
  return body;
}

describe('docker/haproxy/haproxy.cfg', () => {
  it('balances customers over every replica of the api that is ready', () => {
    const { PORT, OPS_PORT } = services['api']!.defaults;

    expect(configuration).toContain(`server-template api 16 api:${String(PORT)}\n`);
    expect(configuration).toContain(`default-server check port ${String(OPS_PORT)} `);
    expect(configuration).toContain('option httpchk GET /readyz\n');
    expect(after('init-state')).toBe('down');
    expect(api.environment.TRUSTED_PROXIES).toContain(
      `:-${compose.networks.default.ipam.config[0].subnet}}`,
    );
  });

  it('leaves a replica out at once when it refuses a connection, and tries the next', () => {
    expect(configuration).toContain(' observe layer4 error-limit 1 on-error mark-down ');
    expect(after('retry-on')).toBe('conn-failure');
    expect(after('option redispatch')).toBe('1');
  });

  it('does not leave a replica out that responds late: its checks take up to two seconds', () => {
    expect(milliseconds(after('timeout check'))).toBeGreaterThan(2_000);
  });

  it('sees that a replica stops before it stops', () => {
    const seenMs = milliseconds(after('inter')) + milliseconds(after('fastinter'));

    expect(after('fall')).toBe('2');
    expect(Number(api.environment.STOP_DELAY_MS)).toBeGreaterThanOrEqual(2 * seenMs);
  });

  it('starts with as many connections as the engine allows', () => {
    expect(configuration).not.toMatch(/^ *maxconn /m);
    expect(Number(after('fd-hard-limit'))).toBeGreaterThan(2 * 20_000);
  });

  it('responds itself with error bodies like the gateway’s', () => {
    const own = [
      ...configuration.matchAll(
        /http-error status (\d+) (?:content-type application\/json string '(.+?)'|errorfile (\S+))/g,
      ),
    ].map(([, status, body, file]) => ({
      status: Number(status),
      ...bodyOf(body ?? wholeResponse(Number(status), path.basename(file!))),
    }));

    expect(own.map(({ status }) => status)).toEqual([400, 408, 502, 503, 504]);
    for (const { status, code, type, message, param } of own) {
      expect(errorCatalogue[code]).toMatchObject({ status, type });
      expect(message).not.toBe('');
      expect(param).toBeNull();
    }
  });

  it('lets open responses through for as long as the api has, which it does not wait for', () => {
    const usual = (given: string): string => /:-(.+)\}$/.exec(given)![1]!;
    const { DRAIN_MS } = services['api']!.defaults;

    expect(balancer.stop_grace_period).toBe(api.stop_grace_period);
    expect(milliseconds(usual(api.stop_grace_period))).toBeGreaterThan(
      Number(api.environment.STOP_DELAY_MS) + Number(DRAIN_MS) + 10_000,
    );
    expect(balancer.depends_on).toBeUndefined();
    expect(balancer.volumes).toEqual(['./docker/haproxy:/usr/local/etc/haproxy:ro']);
  });
});
