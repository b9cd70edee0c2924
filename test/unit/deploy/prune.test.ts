import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { spawnSync } from 'node:child_process';
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { root } from './suite.ts';

let folder: string;
beforeEach(() => {
  folder = realpathSync(mkdtempSync(path.join(tmpdir(), 'prune-')));
});
afterEach(() => {
  rmSync(folder, { recursive: true });
});

function write(file: string, content: object | string = ''): void {
  mkdirSync(path.dirname(path.join(folder, file)), { recursive: true });
  writeFileSync(
    path.join(folder, file),
    typeof content === 'string' ? content : JSON.stringify(content),
  );
}

/** A suite of one service and one package beside each other, as npm lays them out. */
function aSuite(): void {
  write('package.json', { dependencies: { pg: '1' } });
  write('services/api/package.json', { dependencies: { '@gateway/store': '1', express: '1' } });
  write('packages/store/package.json', { dependencies: { '@prisma/client': '1' } });
  write('packages/testing/package.json', { dependencies: { jest: '1' } });
  mkdirSync(path.join(folder, 'node_modules/@gateway'), { recursive: true });
  for (const name of ['store', 'testing']) {
    symlinkSync(`../../packages/${name}`, path.join(folder, 'node_modules/@gateway', name));
  }
  write('node_modules/pg/package.json', {});
  write('node_modules/express/package.json', {
    optionalDependencies: { bufferutil: '1', absent: '1' },
    peerDependencies: { types: '1' },
    peerDependenciesMeta: { types: { optional: true } },
  });
  for (const name of ['bufferutil', 'types', 'jest']) {
    write(`node_modules/${name}/package.json`, {});
  }
  write('node_modules/@prisma/client/package.json', {
    peerDependencies: { prisma: '1' },
    peerDependenciesMeta: { prisma: { optional: true } },
  });
  write('node_modules/prisma/package.json', {});
}

const prune = (): ReturnType<typeof spawnSync> =>
  spawnSync(process.execPath, [path.join(root, 'docker/prune.mjs'), 'services/api'], {
    cwd: folder,
    encoding: 'utf8',
  });
const filesOf = (at: string): string[] => readdirSync(path.join(folder, at)).sort();

describe('docker/prune.mjs', () => {
  it('keeps what a part needs, through packages of the suite too, and removes development and optional peers', () => {
    aSuite();

    expect(prune().status).toBe(0);

    expect(filesOf('node_modules')).toEqual(['@gateway', '@prisma', 'bufferutil', 'express', 'pg']);
    expect(filesOf('node_modules/@gateway')).toEqual(['store']);
  });

  it('keeps the copy of a package that lies deeper, and removes the one beside it that nobody takes', () => {
    aSuite();
    write('node_modules/pg/package.json', { dependencies: { deep: '1' } });
    for (const place of ['node_modules/pg/node_modules/deep', 'node_modules/deep']) {
      write(`${place}/package.json`, {});
    }

    expect(prune().status).toBe(0);

    expect(filesOf('node_modules')).toEqual(['@gateway', '@prisma', 'bufferutil', 'express', 'pg']);
    expect(filesOf('node_modules/pg')).toEqual(['node_modules', 'package.json']);
  });

  it('removes types, source maps and the query compilers for other databases, and nothing else of a package', () => {
    aSuite();
    for (const file of [
      'index.js',
      'index.mjs',
      'index.d.ts',
      'index.d.mts',
      'index.js.map',
      'map.js',
    ]) {
      write(`node_modules/express/${file}`);
    }
    const compilers = [
      'mysql.wasm-base64.mjs',
      'postgresql.wasm-base64.js',
      'postgresql.wasm-base64.mjs',
      'sqlite.wasm-base64.js',
    ].map((end) => `query_compiler_fast_bg.${end}`);
    for (const file of ['client.mjs', ...compilers]) {
      write(`node_modules/@prisma/client/runtime/${file}`);
    }

    expect(prune().status).toBe(0);

    expect(filesOf('node_modules/express')).toEqual([
      'index.js',
      'index.mjs',
      'map.js',
      'package.json',
    ]);
    expect(filesOf('node_modules/@prisma/client/runtime')).toEqual([
      'client.mjs',
      ...compilers.slice(1, 3),
    ]);
  });

  it('fails, and names it, when something needed is not installed', () => {
    aSuite();
    rmSync(path.join(folder, 'node_modules/pg'), { recursive: true });

    const { status, stderr } = prune();

    expect(status).toBe(1);
    expect(String(stderr)).toContain('pg, which');
  });
});
