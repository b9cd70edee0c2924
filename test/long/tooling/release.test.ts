/** @workers 3: it promises no times. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterEach, describe, expect, it } from '@jest/globals';
import {
  changelogWith,
  manifestsIn,
  manifestWith,
  nextVersion,
  overlayWith,
} from '../../../scripts/release/changes.mjs';
import { release } from '../../../scripts/release/release.mjs';

const checkout = path.resolve(import.meta.dirname, '../../..');
const read = (folder: string, file: string): string =>
  readFileSync(path.join(folder, file), 'utf8');

const folders: string[] = [];
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

const json = (value: unknown): string => `${JSON.stringify(value, null, 2)}\n`;

/** A repository of the same form, whose scripts write what they were called with. */
function aRepository(): { root: string; git: (...args: string[]) => string } {
  const root = mkdtempSync(path.join(os.tmpdir(), 'gateway-release-'));
  folders.push(root);
  const note = (name: string): string =>
    `node -e "require('fs').writeFileSync('${name}.txt', process.argv.slice(1).join(' '))" --`;
  const files: Record<string, string> = {
    'package.json': json({
      name: 'x',
      version: '0.4.9',
      scripts: { render: note('render'), 'accept:openapi': note('openapi'), image: note('image') },
    }),
    'packages/domain/package.json': json({ name: '@gateway/domain', version: '0.4.9' }),
    'services/api/package.json': json({
      name: '@gateway/api',
      version: '0.4.9',
      dependencies: { '@gateway/domain': '0.4.9', other: '0.4.9' },
    }),
    'package-lock.json': json({
      version: '0.4.9',
      packages: {
        '': { version: '0.4.9' },
        'node_modules/other': { version: '0.4.9' },
        'services/api': { version: '0.4.9', dependencies: { '@gateway/domain': '0.4.9' } },
      },
    }),
    'CHANGELOG.md':
      '# Changelog\n\n## [Unreleased]\n\n- A thing.\n\n## [0.4.9] - 2026-01-01\n\n- Older.\n',
    'k8s/overlays/production/kustomization.yaml': 'images:\n  - newTag: 0.4.9\n',
    'prisma/migrations/1_first/migration.sql': 'SELECT 1;\n',
    'render.txt': '',
    'openapi.txt': '',
    'image.txt': '',
  };
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(path.dirname(path.join(root, name)), { recursive: true });
    writeFileSync(path.join(root, name), text);
  }
  const git = (...args: string[]): string =>
    execFileSync('git', args, { cwd: root, encoding: 'utf8' });
  git('init', '--quiet');
  git('config', 'user.name', 'Somebody');
  git('config', 'user.email', 'somebody@example.com');
  git('add', '--all');
  git('commit', '--quiet', '-m', 'First');
  git('tag', 'v0.4.9');
  return { root, git };
}

async function releaseOf(
  root: string,
  options: { wanted: string; dryRun?: boolean; image?: boolean },
): Promise<string[]> {
  const said: string[] = [];
  await release({
    root,
    day: '2026-02-03',
    dryRun: false,
    image: true,
    ...options,
    say: (line: string) => said.push(line),
  });
  return said;
}

describe('the next version', () => {
  it.each([
    ['0.4.9', 'patch', '0.4.10'],
    ['0.4.9', 'minor', '0.5.0'],
    ['0.4.9', 'major', '1.0.0'],
    ['0.4.9', '0.6.0', '0.6.0'],
    ['1.2.3', '2.0.0', '2.0.0'],
  ])('after %s, asked for %s, is %s', (current, wanted, next) => {
    expect(nextVersion(current, wanted)).toBe(next);
  });

  it.each([
    ['0.4.9', '0.4.9', 'does not come after'],
    ['0.4.9', '0.3.12', 'does not come after'],
    ['0.4.9', 'next', 'is no version'],
    ['0.4.9', 'v1.0.0', 'is no version'],
  ])('after %s cannot be %s', (current, wanted, problem) => {
    expect(() => nextVersion(current, wanted)).toThrow(problem);
  });
});

describe('the files of a release', () => {
  it.each([...manifestsIn(checkout), 'package-lock.json'])('keep their form: %s', (file) => {
    const text = read(checkout, file);

    expect(manifestWith(text, { from: '9.9.9', to: '9.9.9' })).toBe(text);
  });

  it('are there in this checkout', () => {
    const { version } = JSON.parse(read(checkout, 'package.json')) as { version: string };
    const overlay = read(checkout, 'k8s/overlays/production/kustomization.yaml');
    const changelog = read(checkout, 'CHANGELOG.md');

    expect(overlayWith(overlay, { from: version, to: '9.9.9' })).toContain('newTag: 9.9.9\n');
    expect(changelogWith(changelog, { version: '9.9.9', day: '2026-02-03' })).toContain(
      '## [Unreleased]\n\n## [9.9.9] - 2026-02-03\n',
    );
  });

  it('are refused where the changelog says nothing new', () => {
    const text = '## [Unreleased]\n\n## [1.0.0] - 2026-01-01\n\n- Old.\n';

    expect(() => changelogWith(text, { version: '1.1.0', day: '2026-02-03' })).toThrow(
      'there is nothing to release',
    );
  });
});

describe('a release', () => {
  it('writes the version everywhere, makes the image, and leaves a commit with its tag', async () => {
    const { root, git } = aRepository();

    await releaseOf(root, { wanted: 'minor' });

    expect(git('status', '--porcelain')).toBe('');
    expect(git('log', '--format=%s', '-1', 'v0.5.0').trim()).toBe('Release 0.5.0');
    expect(JSON.parse(read(root, 'services/api/package.json'))).toMatchObject({
      version: '0.5.0',
      dependencies: { '@gateway/domain': '0.5.0', other: '0.4.9' },
    });
    expect(JSON.parse(read(root, 'package-lock.json'))).toMatchObject({
      version: '0.5.0',
      packages: {
        '': { version: '0.5.0' },
        'node_modules/other': { version: '0.4.9' },
        'services/api': { version: '0.5.0', dependencies: { '@gateway/domain': '0.5.0' } },
      },
    });
    expect(read(root, 'k8s/overlays/production/kustomization.yaml')).toContain('newTag: 0.5.0');
    expect(read(root, 'CHANGELOG.md')).toContain(
      '## [Unreleased]\n\n## [0.5.0] - 2026-02-03\n\n- A thing.\n\n## [0.4.9]',
    );
    expect(read(root, 'image.txt')).toBe('--tag generation-gateway:0.5.0');
  });

  it('passes over what another branch has left behind', async () => {
    const { root, git } = aRepository();
    mkdirSync(path.join(root, 'packages/left'));

    await releaseOf(root, { wanted: 'minor', image: false });

    expect(git('tag').trim().split('\n')).toEqual(['v0.4.9', 'v0.5.0']);
  });

  it('says what is left to do where the tag alone fails', async () => {
    const { root, git } = aRepository();
    git('config', 'tag.gpgSign', 'true');
    git('config', 'gpg.program', 'false');

    await expect(releaseOf(root, { wanted: 'minor', image: false })).rejects.toThrow(
      'the tag is missing: mend the cause and run git tag -a v0.5.0',
    );
    expect(git('log', '--format=%s', '-1').trim()).toBe('Release 0.5.0');
  });

  it('can be tried without a trace', async () => {
    const { root, git } = aRepository();
    const before = git('rev-parse', 'HEAD');

    const said = await releaseOf(root, { wanted: 'patch', dryRun: true });

    expect(said.join('\n')).toMatch(/0\.4\.9 -> 0\.4\.10[^]*write   package\.json[^]*git tag/);
    expect(git('status', '--porcelain')).toBe('');
    expect(git('rev-parse', 'HEAD')).toBe(before);
    expect(git('tag').trim()).toBe('v0.4.9');
  });

  it('is refused, and nothing written, while something is not committed', async () => {
    const { root, git } = aRepository();
    writeFileSync(path.join(root, 'notes.txt'), 'x');

    await expect(releaseOf(root, { wanted: 'minor' })).rejects.toThrow('not committed');
    expect(git('status', '--porcelain')).toBe('?? notes.txt\n');
  });

  it('is refused as a patch where it brings a migration', async () => {
    const { root, git } = aRepository();
    mkdirSync(path.join(root, 'prisma/migrations/2_second'));
    writeFileSync(path.join(root, 'prisma/migrations/2_second/migration.sql'), 'SELECT 2;\n');
    git('add', '--all');
    git('commit', '--quiet', '-m', 'Second');

    await expect(releaseOf(root, { wanted: 'patch' })).rejects.toThrow('a patch brings none');
    await releaseOf(root, { wanted: 'minor', image: false });
    expect(read(root, 'image.txt')).toBe('');
  });

  it('leaves no commit and no tag where a step fails', async () => {
    const { root, git } = aRepository();
    const manifest = read(root, 'package.json').replace(
      /"render": "[^]*?",\n/,
      '"render": "node -e \\"process.exit(3)\\"",\n',
    );
    writeFileSync(path.join(root, 'package.json'), manifest);
    git('commit', '--quiet', '--all', '-m', 'Break');

    await expect(releaseOf(root, { wanted: 'minor' })).rejects.toThrow('git restore .');
    expect(git('log', '--format=%s', '-1').trim()).toBe('Break');
    expect(git('tag').trim()).toBe('v0.4.9');
  });
});
