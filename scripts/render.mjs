// npm run render: writes k8s/install.yaml, the dev overlay as one file for `kubectl apply -f`.
// npm run render -- k8s/overlays/production: prints the objects of a folder; further arguments are components to add.
import { writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { stringify } from 'yaml';
import { renderFolder } from './render/kustomize.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const trial = join(root, 'k8s', 'overlays', 'dev');
const installFile = join(root, 'k8s', 'install.yaml');

const asText = (objects) => objects.map((object) => stringify(object, { lineWidth: 0, aliasDuplicateObjects: false })).join('---\n');

try {
  const [folder, ...components] = process.argv.slice(2);
  const head = '# Made by `npm run render` from k8s/overlays/dev: change that, then render again.\n';
  const text = `${folder === undefined ? head : ''}${asText(renderFolder(folder ?? trial, { components }))}`;
  if (folder !== undefined) process.stdout.write(text);
  else {
    writeFileSync(installFile, text);
    process.stdout.write(`wrote ${relative(process.cwd(), installFile)}\n`);
  }
} catch (error) {
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 1;
}
