// npm run render: the manifests as one file; `npm run render -- --help` says more.
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { parse, stringify } from 'yaml';
import { endWith, SetupFailure } from './setup/failure.mjs';
import { readArguments } from './setup/usage.mjs';

const help = `npm run render                      write k8s/install.yaml, the dev overlay as one file for "kubectl apply -f"
npm run render -- FOLDER [COMPONENT ...]
                                    print the objects of a folder such as k8s/overlays/production, with components added

Needs kubectl or kustomize on the PATH.
`;

const root = fileURLToPath(new URL('..', import.meta.url));
const trialOverlay = join(root, 'k8s', 'overlays', 'dev');
const installFile = join(root, 'k8s', 'install.yaml');

/**
 * In the order in which they are tried.
 *
 * @type {[program: string, args: string[]][]}
 */
const renderers = [
  ['kubectl', ['kustomize']],
  ['kustomize', ['build']],
];

/** The objects of a folder as YAML text; `components` are added to those that the folder names. */
function render(folder, components) {
  if (components.length === 0) return kustomize(folder);
  mkdirSync(join(root, '.cache'), { recursive: true });
  const overlay = mkdtempSync(join(root, '.cache', 'render-'));
  try {
    const { namespace } = parse(readFileSync(join(folder, 'kustomization.yaml'), 'utf8'));
    const pathTo = (path) => relative(overlay, join(process.cwd(), path));
    const kustomization = {
      namespace,
      resources: [pathTo(folder)],
      components: components.map(pathTo),
    };
    writeFileSync(join(overlay, 'kustomization.yaml'), stringify(kustomization));
    return kustomize(overlay);
  } finally {
    rmSync(overlay, { recursive: true });
  }
}

function kustomize(folder) {
  for (const [program, command] of renderers) {
    const { error, status, stdout, stderr } =
      /** @type {import('node:child_process').SpawnSyncReturns<string> & { error?: NodeJS.ErrnoException }} */ (
        spawnSync(program, [...command, folder], {
          encoding: 'utf8',
        })
      );
    if (error?.code === 'ENOENT') continue;
    if (status !== 0) {
      throw new SetupFailure(
        `${program} ${command.join(' ')} ${folder} failed:\n${error?.message ?? stderr}`,
      );
    }
    return stdout;
  }
  throw new SetupFailure(
    'Rendering needs kubectl or kustomize on the PATH: install one of them, then run this again.',
  );
}

try {
  const [folder, ...components] = readArguments(help, { allowPositionals: true }).positionals;
  if (folder !== undefined) {
    process.stdout.write(render(folder, components));
  } else {
    writeFileSync(
      installFile,
      `# Made by \`npm run render\` from k8s/overlays/dev: change that, then render again.\n${render(trialOverlay, [])}`,
    );
    process.stdout.write(`wrote ${relative(process.cwd(), installFile)}\n`);
  }
} catch (error) {
  endWith(error);
}
