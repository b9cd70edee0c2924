import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { documentsOf, root } from './suite.ts';

let folder: string;
beforeEach(() => { folder = mkdtempSync(path.join(tmpdir(), 'render-')); });
afterEach(() => { rmSync(folder, { recursive: true }); });

const write = (files: Readonly<Record<string, string>>): void => {
  for (const [name, text] of Object.entries(files)) writeFileSync(path.join(folder, name), text);
};
const render = (): { readonly status: number | null; readonly stdout: string; readonly stderr: string } =>
  spawnSync(process.execPath, [path.join(root, 'scripts/render.mjs'), folder], { encoding: 'utf8' });

const pod = 'apiVersion: v1\nkind: Pod\nmetadata: { name: one }\nspec:\n  hostname: a\n  containers: [{ name: main, image: app }, { name: other, image: other:1 }]\n';

describe('npm run render', () => {
  it('merges a patch by names, removes what is null, and sets namespace, images and ConfigMaps', () => {
    write({
      'kustomization.yaml': 'namespace: here\nresources: [pod.yaml]\npatches: [{ path: patch.yaml }]\nimages: [{ name: app, newName: there/app, newTag: "2" }]\nconfigMapGenerator: [{ name: words, literals: [A=b=c] }]\n',
      'pod.yaml': pod,
      'patch.yaml': 'apiVersion: v1\nkind: Pod\nmetadata: { name: one }\nspec:\n  hostname: null\n  containers: [{ name: main, tty: true }]\n',
    });

    expect(documentsOf(render().stdout)).toEqual([
      { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'one', namespace: 'here' }, spec: { containers: [{ name: 'main', image: 'there/app:2', tty: true }, { name: 'other', image: 'other:1' }] } },
      { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'words', namespace: 'here' }, data: { A: 'b=c' } },
    ]);
  });

  it.each([
    ['a field that it does not know', { 'kustomization.yaml': 'resources: [pod.yaml]\nnamePrefix: x-\n', 'pod.yaml': pod }, 'not known to this renderer: namePrefix'],
    ['a key that stands twice', { 'kustomization.yaml': 'resources: [pod.yaml]\n', 'pod.yaml': `${pod}kind: Pod\n` }, 'Map keys must be unique'],
    ['a patch of nothing', { 'kustomization.yaml': 'resources: [pod.yaml]\npatches: [{ path: patch.yaml }]\n', 'pod.yaml': pod, 'patch.yaml': 'apiVersion: v1\nkind: Pod\nmetadata: { name: two }\n' }, 'there is no Pod two to patch'],
    ['two objects of one name', { 'kustomization.yaml': 'resources: [pod.yaml, twin.yaml]\n', 'pod.yaml': pod, 'twin.yaml': pod }, 'there are two of v1 Pod one'],
  ])('refuses %s', (_what, files, reason) => {
    write(files);
    const { status, stdout, stderr } = render();

    expect(status).toBe(1);
    expect(stdout).toBe('');
    expect(stderr).toContain(reason);
  });
});

describe('docker/prune.mjs', () => {
  it('keeps what a part needs, at whatever depth, and removes the rest', () => {
    const installed = { 'node_modules/used': { dependencies: { deep: '1' } }, 'node_modules/used/node_modules/deep': {}, 'node_modules/deep': {}, 'node_modules/@x/peer': {}, 'node_modules/tool': {} };
    for (const [where, manifest] of Object.entries({ ...installed, 'services/one': { dependencies: { used: '1' }, peerDependencies: { '@x/peer': '1', tool: '1' }, peerDependenciesMeta: { tool: { optional: true } } }, packages: {}, '.': {} })) {
      mkdirSync(path.join(folder, where), { recursive: true });
      writeFileSync(path.join(folder, where, 'package.json'), JSON.stringify(manifest));
    }
    rmSync(path.join(folder, 'packages/package.json'));
    const { stderr } = spawnSync(process.execPath, [path.join(root, 'docker/prune.mjs'), 'services/one'], { cwd: folder, encoding: 'utf8' });
    const left = readdirSync(path.join(folder, 'node_modules'), { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('package.json')).map((file) => path.dirname(file)).sort();

    expect(stderr).toBe('');
    expect(left).toEqual(['@x/peer', 'used', 'used/node_modules/deep']);
  });
});
