// Lets plain Node read the TypeScript sources: `node --import <this file>`. Tests that start a
// thread or a process need it, for Jest's own transform ends at the process.
import { readFile } from 'node:fs/promises';
import { register } from 'node:module';
import { fileURLToPath } from 'node:url';
import { transform } from '@swc/core';

/** @type {import('node:module').LoadHook} */
export async function load(url, context, nextLoad) {
  if (!url.endsWith('.ts')) return nextLoad(url, context);
  const { code } = await transform(await readFile(fileURLToPath(url), 'utf8'), {
    jsc: { parser: { syntax: 'typescript' }, target: 'es2023' },
    module: { type: 'es6' },
  });
  return { format: 'module', source: code, shortCircuit: true };
}

if (!import.meta.url.endsWith('?hooks')) register(`${import.meta.url}?hooks`);
