import { describe, expect, it } from '@jest/globals';
import { readFileSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { runInNewContext } from 'node:vm';
import { onlyAscii } from '../../../scripts/setup/bundle.mjs';
import { root } from './suite.ts';

const folder = path.join(root, 'dist');
const chunks = readdirSync(folder)
  .filter((name) => name.endsWith('.js'))
  .map((name) => ({ name, code: readFileSync(path.join(folder, name), 'latin1') }));

describe('bundles of the services', () => {
  it('have no character for which V8 would take two bytes for each', () => {
    expect(chunks.length).toBeGreaterThan(10);
    expect(chunks.filter(({ code }) => /[^\0-\x7f]/.test(code)).map(({ name }) => name)).toEqual(
      [],
    );
  });

  it('have of undici what calls upstreams, and not the rest', () => {
    const modules = chunks.flatMap(({ code }) =>
      [...code.matchAll(/^\/\/ node_modules\/undici\/(\S+)$/gm)].map(([, module]) => module ?? ''),
    );

    expect(modules).toContain('lib/dispatcher/client-h1.js');
    expect(modules).not.toContain('lib/web/fetch/index.js');
    expect(modules.filter((module) => /^lib\/(mock|web\/cookies)\//.test(module))).toEqual([]);
  });
});

describe('onlyAscii', () => {
  const bundled = (code: string): string => {
    const chunk = { type: 'chunk' as const, fileName: 'some.js', code };
    onlyAscii.generateBundle({}, { some: chunk, asset: { type: 'asset', fileName: 'x' } });
    return chunk.code;
  };

  it.each([
    [`'ä — 😀'`, 'ä — 😀'],
    ['`ä — ${1 + 1} 😀`', 'ä — 2 😀'],
    [`'a😀b'.replace(/[😀-😂]/u, '—')`, 'a—b'],
    [`'\\\\—'`, '\\—'],
    [`({ '—': '…' })['—'] /* ü */`, '…'],
    [`(() => { const größe = 3; return größe; })()`, 3],
    [`JSON.parse('{"—":"é"}')['—']`, 'é'],
  ])('leaves %s what it is', (code, value) => {
    const ascii = bundled(code);

    expect(ascii).toMatch(/^[\0-\x7f]+$/);
    expect(runInNewContext(ascii)).toEqual(value);
  });

  it.each(['String.raw`a — b`', "'\\—'", "'a\\\\\\—'", '/\\—/'])(
    'refuses to escape in %s',
    (code) => {
      expect(() => bundled(code)).toThrow('some.js: an escape would change');
    },
  );
});
