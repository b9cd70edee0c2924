import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from '@jest/globals';
import { transform } from '@swc/core';

const folder = path.resolve(import.meta.dirname, '../../../packages/client');
const manifest = JSON.parse(await readFile(path.join(folder, 'package.json'), 'utf8')) as object;

describe('the client', () => {
  it('is at most 15 kB, minified and compressed', async () => {
    const files = (await readdir(path.join(folder, 'src'))).filter((name) => name !== 'schema.ts');
    const modules = await Promise.all(
      files.map(async (name) => {
        const source = await readFile(path.join(folder, 'src', name), 'utf8');
        const { code } = await transform(source, {
          jsc: {
            parser: { syntax: 'typescript' },
            target: 'es2022',
            minify: { compress: { toplevel: true }, mangle: { topLevel: true } },
          },
          module: { type: 'es6' },
          minify: true,
        });
        return code;
      }),
    );

    // A bundler, which also shortens what modules call each other, makes less of it.
    expect(gzipSync(modules.join('\n')).length).toBeLessThanOrEqual(15 * 1_024);
    process.stdout.write(`client: ${gzipSync(modules.join('\n')).length} bytes, gzipped\n`);
  });

  it('depends on nothing', () => {
    expect(manifest).not.toHaveProperty('dependencies');
    expect(manifest).not.toHaveProperty('peerDependencies');
  });
});
