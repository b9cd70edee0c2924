import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';

/** Beside the sources and beside the compiled files alike: browsers get these files as they are. */
const folder = new URL('../../browser/', import.meta.url);
const read = (name: string): string => readFileSync(new URL(name, folder), 'utf8');

const style = read('page.css');
const scripts = {
  theme: read('theme.js'),
  search: read('search.js'),
  parts: read('parts.js'),
  languages: read('languages.js'),
  send: read('send.js'),
};
export type PageScript = keyof typeof scripts;

const sourceOf = (text: string): string =>
  `'sha256-${createHash('sha256').update(text).digest('base64')}'`;

/** The head's style sheet. */
export const styleElement = `<style>${style}</style>`;

/** These scripts, each with a scope of its own. */
export const scriptElements = (names: readonly PageScript[]): string =>
  names.map((name) => `<script type="module">${scripts[name]}</script>`).join('');

/** A page with these scripts runs nothing else, loads nothing, and calls nobody but its own origin. */
export const policyFor = (names: readonly PageScript[]): string =>
  [
    "default-src 'none'",
    `style-src ${sourceOf(style)}`,
    `script-src ${names.map((name) => sourceOf(scripts[name])).join(' ')}`,
    ...(names.includes('send') ? ["connect-src 'self'"] : []),
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ');

/** Data for a script. Browsers never run it. */
export const dataElement = (id: string, value: unknown): string =>
  `<script type="application/json" id="${id}">${JSON.stringify(value).replaceAll('<', '\\u003c')}</script>`;
