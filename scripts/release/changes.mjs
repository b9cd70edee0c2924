import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { SetupFailure } from '../setup/failure.mjs';

const form = /^(\d+)\.(\d+)\.(\d+)$/;
const kinds = ['major', 'minor', 'patch'];

/**
 * The version after `current`: a kind of step, or a version by name.
 *
 * @param {string} current
 * @param {string} wanted
 */
export function nextVersion(current, wanted) {
  const now = form.exec(current)?.slice(1).map(Number);
  if (now === undefined) {
    throw new SetupFailure(`package.json has no version like 1.2.3: "${current}".`);
  }
  const step = kinds.indexOf(wanted);
  const next =
    step === -1
      ? form.exec(wanted)?.slice(1).map(Number)
      : now.map((number, place) => (place < step ? number : place === step ? number + 1 : 0));
  if (next === undefined) {
    throw new SetupFailure(
      `"${wanted}" is no version: name major, minor, patch, or one like 1.2.3.`,
    );
  }
  const difference =
    next.map((number, place) => number - now[place]).find((each) => each !== 0) ?? 0;
  if (difference <= 0) throw new SetupFailure(`${next.join('.')} does not come after ${current}.`);
  return next.join('.');
}

/** Whether a version may bring migrations (docs/upgrading.md): one of a patch may not. */
export const isPatch = (version) => !version.endsWith('.0');

/**
 * What stands under Unreleased gets the version and its day; an empty list is no release.
 *
 * @param {string} text
 * @param {{ version: string, day: string }} release
 */
export function changelogWith(text, { version, day }) {
  const heading = '## [Unreleased]\n';
  const start = text.indexOf(heading);
  if (start === -1) throw new SetupFailure('CHANGELOG.md has no "## [Unreleased]".');
  const rest = text.slice(start + heading.length);
  const end = rest.search(/^## \[/m);
  const news = (end === -1 ? rest : rest.slice(0, end)).trim();
  if (news === '') {
    throw new SetupFailure(
      'CHANGELOG.md says nothing under "## [Unreleased]": there is nothing to release.',
    );
  }
  return `${text.slice(0, start)}${heading}\n## [${version}] - ${day}\n${rest}`;
}

/** The manifests of the root and of every workspace, by their paths in the checkout. */
export const manifestsIn = (root) => [
  'package.json',
  ...['packages', 'services'].flatMap((folder) =>
    readdirSync(join(root, folder))
      .map((name) => `${folder}/${name}/package.json`)
      // A folder without one is what another branch has left behind.
      .filter((file) => existsSync(join(root, file))),
  ),
];

/**
 * A manifest, or the lock file, with the version in place of the one before, its own and those of the
 * workspaces that it needs.
 *
 * @param {string} text
 * @param {{ from: string, to: string }} change
 */
export function manifestWith(text, change) {
  const manifest = JSON.parse(text);
  renew(manifest, change);
  for (const [path, entry] of Object.entries(manifest.packages ?? {})) {
    if (!path.includes('node_modules/')) renew(entry, change);
  }
  return `${JSON.stringify(manifest, null, 2)}\n`;
}

function renew(manifest, { from, to }) {
  if (manifest.version === from) manifest.version = to;
  for (const list of [manifest.dependencies, manifest.devDependencies]) {
    for (const name of Object.keys(list ?? {})) {
      if (name.startsWith('@gateway/') && list[name] === from) list[name] = to;
    }
  }
}

/**
 * The production overlay, which names the image by its version.
 *
 * @param {string} text
 * @param {{ from: string, to: string }} change
 */
export function overlayWith(text, { from, to }) {
  const line = `newTag: ${from}\n`;
  if (!text.includes(line)) {
    throw new SetupFailure(`k8s/overlays/production/kustomization.yaml has no "${line.trim()}".`);
  }
  return text.replaceAll(line, `newTag: ${to}\n`);
}
