// The build of the pages: hashed files that may be cached for good, and beside each what is sent of it compressed.
import process from 'node:process';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import { defineConfig } from 'vite';

const base = '/console/';

/** Beside every text its brotli and gzip form, made once here and never while serving. */
const compressed = {
  name: 'compressed',
  enforce: /** @type {const} */ ('post'),
  generateBundle: {
    order: /** @type {const} */ ('post'),
    handler(_options, bundle) {
      for (const [fileName, file] of Object.entries(bundle)) {
        const bytes = Buffer.from(file.type === 'chunk' ? file.code : file.source);
        const brotli = brotliCompressSync(bytes, {
          params: {
            [constants.BROTLI_PARAM_QUALITY]: 11,
            [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length,
          },
        });
        this.emitFile({ type: 'asset', fileName: `${fileName}.br`, source: brotli });
        this.emitFile({
          type: 'asset',
          fileName: `${fileName}.gz`,
          source: gzipSync(bytes, { level: 9 }),
        });
      }
    },
  },
};

/** The first script stands before the others in the page; while pages are developed the main one imports it. */
const firstScript = {
  name: 'first-script',
  transformIndexHtml: {
    order: /** @type {const} */ ('post'),
    handler(_html, { bundle = {} }) {
      const first = Object.values(bundle).find((file) => file.name === 'first' && file.isEntry);
      if (first === undefined) return [];
      const attrs = { type: 'module', async: true, crossorigin: true, src: base + first.fileName };
      return [{ tag: 'script', attrs, injectTo: /** @type {const} */ ('head-prepend') }];
    },
  },
};

// While pages are developed, `npx vite services/console` serves them and asks a running gateway.
const gateway = process.env['GATEWAY_URL'] ?? 'http://localhost:3000';

export default defineConfig({
  base,
  // Packages of this repository are read from their sources.
  resolve: { conditions: ['@gateway/source', 'module', 'browser', 'production', 'import'] },
  oxc: { jsx: { runtime: 'automatic' } },
  plugins: [firstScript, compressed],
  build: {
    target: ['chrome123', 'firefox121', 'safari17.5'],
    modulePreload: { polyfill: false },
    rolldownOptions: { input: { index: 'index.html', first: 'src/first.ts' } },
    // The policy forbids what is inline.
    assetsInlineLimit: 0,
    reportCompressedSize: false,
  },
  server: { proxy: { '/v1': gateway, '/admin': gateway, '/media': gateway, '/docs': gateway } },
});
