// A Kubernetes API server on loopback, alone: no controllers, no nodes.
import { spawn, spawnSync } from 'node:child_process';
import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { SetupFailure } from '../setup/failure.mjs';

const startWithinMs = 120_000;

/**
 * etcd and kube-apiserver with nothing in them; `kubectl` runs that program as an administrator.
 *
 * @param {{ etcd: string, apiServer: string }} programs
 * @param {readonly number[]} ports three that are free
 */
export async function startApiServer({ etcd, apiServer }, [clients, peers, secure]) {
  const folder = mkdtempSync(join(tmpdir(), 'gateway-api-server-'));
  const children = [];
  const stop = async () => {
    for (const child of children.splice(0).reverse()) {
      if (child.exitCode !== null || child.signalCode !== null) continue;
      const ended = once(child, 'exit');
      child.kill('SIGKILL'); // nothing of it is kept
      await ended;
    }
    rmSync(folder, { recursive: true, force: true });
  };
  const start = (program, args) => {
    const log = openSync(join(folder, 'log'), 'a');
    const child = spawn(program, args, { stdio: ['ignore', log, log] });
    child.on('error', () => undefined);
    children.push(child);
  };
  try {
    start(etcd, etcdOptions({ folder, clients, peers }));
    const token = randomBytes(16).toString('hex');
    start(apiServer, serverOptions({ folder, clients, secure, token }));
    const kubectl = kubectlFor({ folder, secure, token });
    await untilReady({ kubectl, children, log: join(folder, 'log') });
    return { kubectl, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

const etcdOptions = ({ folder, clients, peers }) => [
  `--data-dir=${join(folder, 'etcd')}`,
  '--unsafe-no-fsync',
  `--listen-client-urls=http://127.0.0.1:${clients}`,
  `--advertise-client-urls=http://127.0.0.1:${clients}`,
  `--listen-peer-urls=http://127.0.0.1:${peers}`,
  `--initial-advertise-peer-urls=http://127.0.0.1:${peers}`,
  `--initial-cluster=default=http://127.0.0.1:${peers}`,
];

function serverOptions({ folder, clients, secure, token }) {
  const key = join(folder, 'service-accounts.pem');
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2_048 });
  writeFileSync(key, privateKey.export({ type: 'pkcs1', format: 'pem' }), { mode: 0o600 });
  const tokens = join(folder, 'tokens.csv');
  writeFileSync(tokens, `${token},administrator,administrator,system:masters\n`, { mode: 0o600 });
  return [
    `--etcd-servers=http://127.0.0.1:${clients}`,
    '--bind-address=127.0.0.1',
    '--advertise-address=127.0.0.1',
    `--secure-port=${secure}`,
    `--cert-dir=${join(folder, 'certificates')}`,
    '--service-cluster-ip-range=10.0.0.0/24',
    '--service-account-issuer=https://kubernetes.default.svc',
    `--service-account-key-file=${key}`,
    `--service-account-signing-key-file=${key}`,
    `--token-auth-file=${tokens}`,
    '--authorization-mode=RBAC',
    // Otherwise it refuses a privileged pod by itself, and not by the standard of the namespace.
    '--allow-privileged=true',
    '--endpoint-reconciler-type=none',
  ];
}

function kubectlFor({ folder, secure, token }) {
  const configuration = join(folder, 'kubeconfig');
  const named = { cluster: 'here', user: 'administrator' };
  writeFileSync(
    configuration,
    JSON.stringify({
      apiVersion: 'v1',
      kind: 'Config',
      clusters: [
        {
          name: 'here',
          cluster: { server: `https://127.0.0.1:${secure}`, 'insecure-skip-tls-verify': true },
        },
      ],
      users: [{ name: 'administrator', user: { token } }],
      contexts: [{ name: 'here', context: named }],
      'current-context': 'here',
    }),
    { mode: 0o600 },
  );
  /** @returns {{ code: number, stdout: string, stderr: string }} */
  return (args, input = '') => {
    const { error, status, stdout, stderr } =
      /** @type {import('node:child_process').SpawnSyncReturns<string> & { error?: NodeJS.ErrnoException }} */ (
        spawnSync('kubectl', [`--kubeconfig=${configuration}`, ...args], {
          input,
          encoding: 'utf8',
          maxBuffer: 64_000_000,
        })
      );
    if (error?.code === 'ENOENT') {
      throw new SetupFailure('There is no kubectl: install it, then run this again.');
    }
    return { code: status ?? 1, stdout, stderr };
  };
}

async function untilReady({ kubectl, children, log }) {
  const before = Date.now() + startWithinMs;
  while (kubectl(['get', '--raw=/readyz']).code !== 0) {
    const isGone = children.some(
      ({ exitCode, signalCode, pid }) =>
        pid === undefined || exitCode !== null || signalCode !== null,
    );
    if (isGone || Date.now() > before) {
      const last = readFileSync(log, 'utf8').trim().split('\n').slice(-15).join('\n');
      throw new SetupFailure(`The API server did not start. The last lines of its log:\n${last}`);
    }
    await delay(250);
  }
}
