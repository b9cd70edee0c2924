// The programs of a Kubernetes API server: etcd of the distribution, kube-apiserver out of its Go module.
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { delimiter, join } from 'node:path';
import process from 'node:process';
import { SetupFailure } from '../setup/failure.mjs';
import { run } from '../setup/run.mjs';
import { folderOf, kubernetes } from './schemas.mjs';

const [, version = ''] = kubernetes.name.split('@');
/** Not in the checkout: it takes a quarter of an hour to make, and every checkout can use it. */
const cache = join(
  process.env.XDG_CACHE_HOME || join(homedir(), '.cache'),
  'generation-gateway',
  'kubernetes',
);
const built = join(cache, `kube-apiserver-${version}`);

const onPath = (name) =>
  (process.env.PATH ?? '')
    .split(delimiter)
    .map((folder) => join(folder, name))
    .find((file) => existsSync(file));

/** kube-apiserver as KUBE_APISERVER names it, or as it was built before; undefined where there is none. */
export const knownApiServer = () =>
  process.env.KUBE_APISERVER ?? (existsSync(built) ? built : undefined);

/**
 * Both programs, made where they are missing.
 *
 * @param {(line: string) => void} say
 */
export async function apiServerPrograms(say) {
  return { etcd: await findEtcd(say), apiServer: knownApiServer() ?? (await build(say)) };
}

async function findEtcd(say) {
  const known = process.env.ETCD ?? onPath('etcd');
  if (known !== undefined) return known;
  const { fetchPackage } = await import('../../packages/local-stack/dist/distribution-package.js');
  const fetched = await fetchPackage({
    name: 'etcd-server',
    find: (folder) => {
      const program = join(folder, 'usr', 'bin', 'etcd');
      return Promise.resolve(existsSync(program) ? program : undefined);
    },
    cacheDir: join(cache, 'etcd'),
    log: say,
  });
  if (fetched !== undefined) return fetched;
  throw new SetupFailure('There is no etcd: install it, or name one in ETCD, then run this again.');
}

/** The module refers to its neighbours by folders that are not in it; they are modules of the same day. */
async function build(say) {
  say(`building kube-apiserver ${version}, once for all checkouts: about a quarter of an hour`);
  const source = mkdtempSync(join(mkdirs(cache), 'source-'));
  try {
    const manifest = readFileSync(join(folderOf(kubernetes.name), 'go.mod'), 'utf8');
    const neighbours = [...manifest.matchAll(/^\t(k8s\.io\/\S+) => \.\/staging\//gm)];
    writeFileSync(
      join(source, 'go.mod'),
      [
        'module api-server',
        /^go .*$/m.exec(manifest)?.[0] ?? '',
        `require k8s.io/kubernetes ${version}`,
        ...neighbours.map(
          ([, name]) => `replace ${name} => ${name} ${version.replace('v1.', 'v0.')}`,
        ),
        '',
      ].join('\n'),
    );
    const named = `k8s.io/component-base/version.gitVersion=${version}`;
    await run(
      'go',
      [
        'build',
        '-mod=mod',
        '-ldflags',
        `-s -w -X ${named}`,
        '-o',
        built,
        `k8s.io/kubernetes/cmd/kube-apiserver`,
      ],
      {
        cwd: source,
        failure: 'kube-apiserver could not be built, see above. Or name one in KUBE_APISERVER.',
      },
    );
    return built;
  } finally {
    rmSync(source, { recursive: true, force: true });
  }
}

function mkdirs(folder) {
  mkdirSync(folder, { recursive: true });
  return folder;
}
