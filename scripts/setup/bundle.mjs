import { readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';

/** What is started as a process of its own, by name, with its compiled entry. */
export const programs = {
  api: 'services/api/dist/main.js',
  'video-worker': 'services/video-worker/dist/main.js',
  'callback-dispatcher': 'services/callback-dispatcher/dist/main.js',
  billing: 'services/billing/dist/main.js',
  'sandbox-vendor': 'services/sandbox-vendor/dist/main.js',
  admin: 'services/admin/dist/main.js',
};

/**
 * Each program in a few files instead of 1,500: a process spends half of its start on finding and
 * loading modules one by one. Writes `dist/NAME.js`, and beside it what several of them share or
 * load late. Needs all that is compiled.
 *
 * @param {string} root
 */
async function bundle(root) {
  // Not there before dependencies are.
  const { rolldown } = await import('rolldown');
  const entries = Object.entries(programs).map(([name, path]) => [name, join(root, path)]);
  const bundler = await rolldown({
    cwd: root,
    input: Object.fromEntries(entries),
    platform: 'node',
    // They load compiled addons from their own folders.
    external: ['msgpackr-extract', /^@napi-rs\//],
    plugins: [
      leanUndici(join(root, 'node_modules', 'undici', 'index.js')),
      compiledModules(root, new Set(entries.map(([, path]) => path))),
      onlyAscii,
    ],
  });
  try {
    await bundler.write({
      dir: join(root, 'dist'),
      format: 'esm',
      entryFileNames: '[name].js',
      chunkFileNames: '[name]-[hash].js',
      sourcemap: true,
      sourcemapExcludeSources: true,
      // Errors and logs tell classes by their names.
      keepNames: true,
      // V8 keeps the text of what it runs.
      comments: { legal: true, annotation: false, jsdoc: false },
      cleanDir: true,
    });
  } finally {
    await bundler.close();
  }
}

/** A program's stack traces name our sources; who maintains what is installed has other copies. */
const noMap = { version: 3, sources: [], names: [], mappings: '' };

/**
 * Our modules as the compiler wrote them, with its source maps. They find files beside them as if
 * they had stayed where they are; an entry does not, for the bundle takes its place.
 */
function compiledModules(root, entries) {
  return {
    name: 'compiled-modules',
    load: {
      filter: { id: /^[^\0]*\.[cm]?js$/ },
      handler(id) {
        const code = readFileSync(id, 'utf8');
        if (id.includes('/node_modules/')) return { code, map: noMap };
        return {
          code: entries.has(id) ? code : inPlace(code, relative(join(root, 'dist'), id)),
          map: readFileSync(`${id}.map`, 'utf8'),
        };
      },
    },
  };
}

const inPlace = (code, path) =>
  code
    .replaceAll('import.meta.url', `new URL('${path}', import.meta.url).href`)
    .replaceAll('import.meta.dirname', `(import.meta.dirname + '/${dirname(path)}')`);

/**
 * Undici without `fetch`, caches, cookies and mocks, which nobody here calls. Its own index gives
 * dispatchers their methods, too. A source that imports another name fails the build.
 */
const leanUndici = (index) => ({
  name: 'lean-undici',
  load(id) {
    if (id !== index) return undefined;
    const code = `
      import api from './lib/api/index.js';
      import Dispatcher from './lib/dispatcher/dispatcher.js';
      import Pool from './lib/dispatcher/pool.js';
      import errors from './lib/core/errors.js';
      import util from './lib/core/util.js';
      Object.assign(Dispatcher.prototype, api);
      export { Pool, errors, util };
    `;
    return { code, map: noMap };
  },
});

/**
 * V8 takes two bytes for each character of a text in which one is beyond Latin-1, and keeps the text
 * of every module: 6 MB of an api. In a raw text, or behind a backslash, an escape would not be what it
 * stands for.
 */
export const onlyAscii = {
  name: 'only-ascii',
  generateBundle(_options, bundle) {
    for (const chunk of Object.values(bundle)) {
      if (chunk.type !== 'chunk') continue;
      const changed = changedByEscapes.exec(chunk.code)?.[0];
      if (changed !== undefined) {
        throw new Error(`${chunk.fileName}: an escape would change ${changed}`);
      }
      chunk.code = chunk.code.replaceAll(/[^\0-\x7f]/g, escaped);
    }
  },
};

const changedByEscapes = /\bString\s*\.\s*raw\s*`[^`]*[^\0-\x7f]|(?<!\\)(?:\\\\)*\\[^\0-\x7f]/;
const escaped = (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;

if (process.argv[1] === fileURLToPath(import.meta.url)) await bundle(process.cwd());
