import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { SetupFailure } from '../setup/failure.mjs';
import { run } from '../setup/run.mjs';
import {
  changelogWith,
  isPatch,
  manifestsIn,
  manifestWith,
  nextVersion,
  overlayWith,
} from './changes.mjs';

const overlay = 'k8s/overlays/production/kustomization.yaml';

/**
 * Makes a release of the checkout: files, commit, tag, image. `dryRun` says what would be done, and
 * does nothing.
 *
 * @param {{ root: string, wanted: string, day: string, dryRun: boolean, image: boolean, say: (line: string) => void }} options
 */
export async function release({ root, wanted, day, dryRun, image, say }) {
  const git = (...args) =>
    execFileSync('git', args, { cwd: root, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
  const read = (file) => readFileSync(join(root, file), 'utf8');
  const from = JSON.parse(read('package.json')).version;
  const to = nextVersion(from, wanted);
  const files = changedFiles(root, { read, from, to, day });
  const obstacles = obstaclesTo(to, git);
  if (!dryRun && obstacles.length > 0) throw new SetupFailure(obstacles.join('\n'));
  say(`${from} -> ${to}${dryRun ? ', as a trial: nothing is changed' : ''}`);
  for (const obstacle of obstacles) say(`in the way: ${obstacle}`);
  for (const [file] of files) say(`write   ${file}`);
  const commands = commandsFor(to, image);
  if (dryRun) {
    for (const { title } of commands) say(`run     ${title}`);
  } else {
    for (const [file, text] of files) writeFileSync(join(root, file), text);
    await perform(commands, { root, say });
  }
  say(
    `Then publish it: git push --follow-tags${image ? `, and push the image generation-gateway:${to}` : ''}.`,
  );
}

/** The files with their new text; throws where one of them is not fit for a release. */
function changedFiles(root, { read, from, to, day }) {
  return [
    ['CHANGELOG.md', changelogWith(read('CHANGELOG.md'), { version: to, day })],
    ...[...manifestsIn(root), 'package-lock.json'].map((file) => [
      file,
      manifestWith(read(file), { from, to }),
    ]),
    [overlay, overlayWith(read(overlay), { from, to })],
  ];
}

/** Why this checkout cannot be released now; nothing where it can. */
function obstaclesTo(to, git) {
  const found = [];
  if (git('status', '--porcelain').trim() !== '') {
    found.push('there are changes that are not committed: commit them or put them away first.');
  }
  if (git('tag', '--list', `v${to}`).trim() !== '') {
    found.push(`the tag v${to} is there already.`);
  }
  const last = git('tag', '--list', 'v*', '--sort=-v:refname').split('\n')[0];
  if (last !== '' && isPatch(to)) {
    const migrations = git('diff', '--name-only', last, '--', 'prisma/migrations').trim();
    if (migrations !== '') {
      found.push(
        `there are migrations since ${last}, and a patch brings none: release a minor version.`,
      );
    }
  }
  return found;
}

/** In this order: whatever fails leaves the commit, the tag and the image unmade. */
const commandsFor = (version, image) => [
  { title: 'npm run render', program: 'npm', args: ['run', '--silent', 'render'] },
  { title: 'npm run accept:openapi', program: 'npm', args: ['run', '--silent', 'accept:openapi'] },
  ...(image
    ? [
        {
          title: `npm run image -- --tag generation-gateway:${version}`,
          program: 'npm',
          args: ['run', '--silent', 'image', '--', '--tag', `generation-gateway:${version}`],
        },
      ]
    : []),
  {
    title: `git commit -m "Release ${version}"`,
    program: 'git',
    args: ['commit', '--quiet', '--all', '-m', `Release ${version}`],
  },
  {
    title: `git tag -a v${version}`,
    program: 'git',
    args: ['tag', '-a', `v${version}`, '-m', `Release ${version}`],
    left: `The commit is made, and the tag is missing: mend the cause and run git tag -a v${version} -m "Release ${version}", or take the commit back with "git reset --hard HEAD~1".`,
  },
];

const nothingLeft = 'Nothing is released; "git restore ." takes the changed files back.';

async function perform(commands, { root, say }) {
  for (const { title, program, args, left = nothingLeft } of commands) {
    say(`run     ${title}`);
    await run(program, args, {
      cwd: root,
      env: process.env,
      failure: `"${title}" failed. ${left}`,
    });
  }
}
