import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { documentsOf, root } from './suite.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'render-'));
});
afterEach(() => {
  rmSync(folder, { recursive: true });
});

const write = (files: Readonly<Record<string, string>>): void => {
  for (const [name, text] of Object.entries(files)) writeFileSync(path.join(folder, name), text);
};
const render = (
  env: NodeJS.ProcessEnv = process.env,
): { readonly status: number | null; readonly stdout: string; readonly stderr: string } =>
  spawnSync(process.execPath, [path.join(root, 'scripts/render.mjs'), folder], {
    encoding: 'utf8',
    env,
  });

const pod =
  'apiVersion: v1\nkind: Pod\nmetadata: { name: one }\nspec:\n  hostname: a\n  containers: [{ name: main, image: app }, { name: other, image: other:1 }]\n';

describe('npm run render', () => {
  it('is Kustomize: merges patches, sets namespace and images, and names a ConfigMap by its content', () => {
    write({
      'kustomization.yaml':
        'namespace: here\nresources: [pod.yaml]\npatches: [{ path: patch.yaml }]\nimages: [{ name: app, newName: there/app, newTag: "2" }]\nconfigMapGenerator: [{ name: words, literals: [A=b=c] }]\n',
      'pod.yaml': pod,
      'patch.yaml':
        'apiVersion: v1\nkind: Pod\nmetadata: { name: one }\nspec:\n  hostname: null\n  containers: [{ name: main, tty: true }]\n',
    });

    expect(documentsOf(render().stdout)).toEqual([
      {
        apiVersion: 'v1',
        kind: 'ConfigMap',
        metadata: { name: expect.stringMatching(/^words-\w{10}$/), namespace: 'here' },
        data: { A: 'b=c' },
      },
      {
        apiVersion: 'v1',
        kind: 'Pod',
        metadata: { name: 'one', namespace: 'here' },
        spec: {
          containers: [
            { name: 'main', image: 'there/app:2', tty: true },
            { name: 'other', image: 'other:1' },
          ],
        },
      },
    ]);
  });

  it('ends with what Kustomize says where it refuses', () => {
    write({ 'kustomization.yaml': 'resources: [pod.yaml]\n' });
    const { status, stdout, stderr } = render();

    expect([status, stdout]).toEqual([1, '']);
    expect(stderr).toContain('pod.yaml');
  });

  it('says what to install where there is no renderer', () => {
    const { status, stderr } = render({ PATH: folder });

    expect([status, stderr]).toEqual([
      1,
      '\nRendering needs kubectl or kustomize on the PATH: install one of them, then run this again.\n',
    ]);
  });
});
