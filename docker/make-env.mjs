// node docker/make-env.mjs: writes the secrets that the suite needs into .env for docker compose.
// Values that are there stay.
//   --sandbox      also starts the sandbox vendor, and opens the way to its files
//   --kubernetes   for `kubectl create secret generic --from-env-file`: whole addresses, of DATABASE_URL and REDIS_URL if the file has
//                  them, or of the databases in the cluster
//   --file NAME    another file than .env
//   --help         this text
import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import process from 'node:process';
import { parseArgs } from 'node:util';

const { sandbox, kubernetes, file, help } = readOptions();
if (help) {
  process.stdout.write(usage());
  process.exit(0);
}

function readOptions() {
  try {
    const flag = /** @type {const} */ ({ type: 'boolean', default: false });
    return parseArgs({
      options: {
        sandbox: flag,
        kubernetes: flag,
        help: { ...flag, short: 'h' },
        file: { type: 'string', default: '.env' },
      },
    }).values;
  } catch (error) {
    process.stderr.write(`${error.message}\n\n${usage()}`);
    process.exit(2);
  }
}

/** The comment at the head of this file. */
function usage() {
  const lines = readFileSync(fileURLToPath(import.meta.url), 'utf8').split('\n');
  return lines
    .slice(
      0,
      lines.findIndex((line) => !line.startsWith('//')),
    )
    .map((line) => `${line.slice(3)}\n`)
    .join('');
}

const token = () => randomBytes(24).toString('hex'); // safe inside a URL
const key = () => `k1:${randomBytes(32).toString('base64')}`;
const text = existsSync(file) ? readFileSync(file, 'utf8') : '';
const known = new Map(
  text
    .split('\n')
    .filter((line) => /^\w+=/.test(line))
    .map((line) => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)]),
);
const added = [];
const need = (name, make) => {
  if (known.has(name)) return known.get(name);
  const value = make();
  known.set(name, value);
  added.push(`${name}=${value}`);
  return value;
};

const postgresPassword = need('POSTGRES_PASSWORD', token);
/** Of an address that is there, sentinels' too. */
const passwordIn = (address) => {
  const [, password] = /^[\w+]+:\/\/[^:@/]*:([^@/]*)@/.exec(address ?? '') ?? [];
  return password === undefined ? undefined : decodeURIComponent(password);
};
const redisPassword = need('REDIS_PASSWORD', () => passwordIn(known.get('REDIS_URL')) ?? token());
/** Each service has a database role of its own, which the migration lets log in. */
const roles = ['api', 'billing', 'video_worker', 'callback_dispatcher', 'admin'].map((service) => ({
  service,
  role: `gateway_${service}`,
  password: need(`GATEWAY_${service.toUpperCase()}_PASSWORD`, token),
}));
need('SERVICE_TOKEN', token);
need('MEDIA_TOKEN_KEYS', key);
need('CALLBACK_SECRET_KEYS', key);
need('RECEIPT_KEYS', key);
if (sandbox || kubernetes) need('SANDBOX_API_KEY', token);
if (kubernetes) {
  const address = need(
    'DATABASE_URL',
    () => `postgres://gateway:${postgresPassword}@postgres:5432/gateway`,
  );
  for (const { service, role, password } of roles) {
    need(`${service.toUpperCase()}_DATABASE_URL`, () =>
      address.replace(/\/\/[^@/]*@/, `//${role}:${password}@`),
    );
  }
  need('REDIS_URL', () => `redis://:${redisPassword}@redis:6379`);
} else if (sandbox) {
  need('COMPOSE_PROFILES', () => 'sandbox');
  need('INGEST_ALLOW_HTTP', () => 'true');
  need('INGEST_ALLOW_CIDRS', () => '172.31.250.0/24');
}
writeFileSync(
  file,
  `${text}${text === '' || text.endsWith('\n') ? '' : '\n'}${added.map((line) => `${line}\n`).join('')}`,
  { mode: 0o600 },
);
process.stdout.write(
  added.length === 0
    ? `${file} has everything.\n`
    : `${file}: added ${added.map((line) => line.split('=')[0]).join(', ')}.\n`,
);
