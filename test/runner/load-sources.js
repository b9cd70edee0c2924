// Hooks of Node's module loader: TypeScript as it is written, and this
// repository's packages as sources.
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';

const require = createRequire(import.meta.url);
const cache = path.resolve(import.meta.dirname, '../../.cache/test-sources');
const globals = new URL('./globals.js', import.meta.url).href;
const { version } = require('ts-blank-space/package.json');

/** @type {import('node:module').ResolveHook} */
export function resolve(specifier, context, next) {
  if (specifier === '@jest/globals') {
    return { url: globals, format: 'module', shortCircuit: true };
  }
  // A source is named as it is: what Node would do to find it was a sixth of loading. It tells best of
  // one that is not there.
  if (specifier.startsWith('.') && specifier.endsWith('.ts')) {
    const url = new URL(specifier, context.parentURL);
    if (existsSync(url)) return { url: url.href, format: 'module', shortCircuit: true };
  }
  const conditions = [...context.conditions, '@gateway/source'];
  return next(specifier, { ...context, conditions });
}

/** @type {import('node:module').LoadHook} */
export function load(url, context, next) {
  const { pathname } = new URL(url);
  if (!pathname.endsWith('.ts')) return next(url, context);
  return { format: 'module', source: withoutTypes(fileURLToPath(url)), shortCircuit: true };
}

/**
 * Types become blanks, so that every line and column stays where it is. The last line of what is kept
 * says of which source it is: one file for each source, however often that changes.
 */
function withoutTypes(file) {
  const source = readFileSync(file, 'utf8');
  const mark = `\n// ${hashOf(version, source)}`;
  const cached = path.join(cache, hashOf(file));
  const known = contentOf(cached);
  if (known?.endsWith(mark) === true) return known;
  const blanked = blank(source, file) + mark;
  mkdirSync(cache, { recursive: true });
  // Several workers may write it at once.
  const draft = `${cached}.${process.pid}`;
  writeFileSync(draft, blanked);
  renameSync(draft, cached);
  return blanked;
}

/** @param {string[]} parts */
function hashOf(...parts) {
  const hash = createHash('sha256');
  for (const part of parts) hash.update(part);
  return hash.digest('hex');
}

/** Nothing where it is not there. */
function contentOf(file) {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return undefined;
  }
}

function blank(source, file) {
  // Loads the compiler: only for what is not in the cache.
  const { default: blankSpace } = require('ts-blank-space');
  return blankSpace(source, (node) => {
    throw new SyntaxError(`${file}: more than types would have to go, at "${node.getText()}"`);
  });
}
