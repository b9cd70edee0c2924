/** @workers 3: it promises no times. */
import { execFile } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, describe, expect, it } from '@jest/globals';

const root = path.resolve(import.meta.dirname, '../../..');
const folder = mkdtempSync(path.join(tmpdir(), 'lint-'));

afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

interface Diagnostic {
  readonly code: string;
  readonly filename: string;
}

/** What lint alone knows, of all that it refuses in these snippets. */
const ownRules = /no-connection|no-restricted|shared-clock|no-literal-getter|guarded-listeners/;

/**
 * What the project's own rules refuse in these files, of a project that has nothing else; without
 * the rules that need types.
 */
async function complaintsAbout(files: Readonly<Record<string, string>>): Promise<Diagnostic[]> {
  const project = mkdtempSync(path.join(folder, 'project-'));
  for (const name of ['.oxlintrc.json', 'scripts/check/lint-rules.mjs']) {
    cpSync(path.join(root, name), path.join(project, name), { recursive: true });
  }
  for (const [name, code] of Object.entries(files)) {
    mkdirSync(path.dirname(path.join(project, name)), { recursive: true });
    writeFileSync(path.join(project, name), code);
  }
  const printed = await new Promise<string>((resolve) => {
    execFile(
      process.execPath,
      [path.join(root, 'node_modules/oxlint/bin/oxlint'), '--format', 'json', '.'],
      { cwd: project, maxBuffer: 10_000_000 },
      (_error, stdout) => {
        resolve(stdout);
      },
    );
  });
  const { diagnostics } = JSON.parse(printed) as { diagnostics: Diagnostic[] };
  return diagnostics.filter(({ code }) => ownRules.test(code));
}

/** The files among these that are refused, each once. */
const refusedOf = async (files: Readonly<Record<string, string>>): Promise<string[]> =>
  [...new Set((await complaintsAbout(files)).map(({ filename }) => filename))].sort();

const elsewhere = [
  'services/callback-dispatcher/src/adapters',
  'services/video-worker/src',
  'services/api/src/http/routes',
  'services/billing/src',
  'packages/media/src',
  'packages/runtime/src',
];
/** Each line of code in a file of its own, in each of these folders. */
const filesOf = (
  folders: readonly string[],
  lines: readonly string[],
): Readonly<Record<string, string>> =>
  Object.fromEntries(
    folders.flatMap((each) => lines.map((code, at) => [`${each}/line-${at}.ts`, `${code}\n`])),
  );

const connecting = [
  'await fetch(url);',
  'await globalThis.fetch(url);',
  'await global.fetch(url);',
  'new WebSocket(url);',
  "import got from 'got';",
  "import { got } from 'got';",
  "import { request } from 'undici';",
  "import axios from 'axios';",
  "import http from 'node:http';",
  "import * as https from 'node:https';",
  "import { get as fetchIt } from 'https';",
  "import { createServer, request } from 'node:http';",
  "import net from 'node:net';",
  "import { connect } from 'node:tls';",
  "import { Socket } from 'node:net';",
  "import http2 from 'node:http2';",
  "export { request } from 'node:http';",
  "export { request as ask } from 'node:http';",
  "export * from 'node:net';",
  "const { default: got } = await import('got');",
  "const http = await import('node:http');",
];

describe('a connection that does not go through the guard', () => {
  it.each(elsewhere)('is refused by lint, whatever opens it, in %s', async (place) => {
    const files = filesOf([place], connecting);

    expect(await refusedOf(files)).toEqual(Object.keys(files).sort());
  });
});

describe('what opens no connection', () => {
  it('passes lint in any service', async () => {
    const harmless = [
      "import { isIP, type Socket } from 'node:net';",
      "import type { AddressInfo } from 'node:net';",
      "import { createServer, type IncomingMessage } from 'node:http';",
      "export type { Socket } from 'node:net';",
      "export * from './servers.ts';",
      "import * as servers from './servers.ts';",
      'export const connections = 1;',
      "const fetch = (entry: string): string => entry; fetch('x');",
    ];

    expect(await refusedOf(filesOf(elsewhere, harmless))).toEqual([]);
  });
});

describe('the guard itself', () => {
  it('may connect', async () => {
    expect(await refusedOf(filesOf(['packages/outbound/src'], connecting))).toEqual([]);
  });
});

describe('a listener in the api', () => {
  const places = ['http', 'adapters', 'bodies', 'text/client'].map(
    (folder) => `services/api/src/${folder}`,
  );

  it('is refused without a guard', async () => {
    const files = filesOf(places, [
      "parser.on('field', () => { take(); });",
      "parser.on('field', () => take());",
      "socket.once('close', function () { take(); });",
      "response.addListener('drain', take);",
      "stream.response.once('drain', () => { take(); });",
      "incoming.on('data', guarded(fail, take)).on('end', take);",
    ]);

    expect(await refusedOf(files)).toEqual(Object.keys(files).sort());
  });

  it('passes with one, and where it does nothing', async () => {
    const files = filesOf(places, [
      "incoming.on('data', guarded(fail, take)).on('end', guarded(fail, () => { end(); }));",
      "part.on('error', () => undefined);",
      "parser.once('taken', resolve).once('refused', reject);",
    ]);

    expect(await refusedOf(files)).toEqual([]);
  });
});

describe('lint refuses', () => {
  it.each([
    ["a clock of one's own", 'export const now = Date.now();', 'services/billing/src/x.ts'],
    ["a clock of one's own", 'export const now = new Date();', 'packages/store/src/x.ts'],
    ['the environment', 'export const { env } = process;', 'services/billing/src/x.ts'],
    ['the environment', "export const a = process.env['A'];", 'packages/store/src/x.ts'],
    [
      'a literal with a getter',
      'export const a = { get b() { return 1; } };',
      'services/api/src/text/x.ts',
    ],
    [
      'a literal with a getter',
      'export const a = { get b() { return 1; } };',
      'packages/text-dialects/src/x.ts',
    ],
  ])('%s: %s', async (_what, code, file) => {
    expect(await refusedOf({ [file]: code })).toEqual([file]);
  });

  it('none of them where it is allowed', async () => {
    const now = 'export const now = Date.now();';

    expect(
      await refusedOf({
        'services/api/src/text/hot-path/request-lines.ts': now,
        'services/admin/src/x.ts': now,
        'services/billing/src/x.ts': 'export const at = (ms: number): Date => new Date(ms);',
        'services/billing/src/config.ts': "export const a = process.env['A'];",
        'services/billing/src/y.ts': 'export const a = { get b() { return 1; } };',
      }),
    ).toEqual([]);
  });
});
