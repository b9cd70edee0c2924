import { describe, expect, it } from '@jest/globals';
import { Linter } from 'eslint';
import tseslint from 'typescript-eslint';

const { default: rules } = (await import(
  new URL('../../../eslint.config.js', import.meta.url).href
)) as { default: Linter.Config[] };
/** The project's own rules on a file that need not exist: without the rules that need its types. */
const configuration = [
  ...rules,
  { files: ['**/*.ts'], ...tseslint.configs.disableTypeChecked } as Linter.Config,
  { languageOptions: { parserOptions: { projectService: false } } },
];
const complaintsAbout = (code: string, path: string): string[] =>
  new Linter({ configType: 'flat' })
    .verify(code, configuration, path)
    .filter(({ message }) => /connections|stranger|do no I\/O/.test(message))
    .map(({ ruleId }) => ruleId ?? '');

const elsewhere = [
  'services/callback-dispatcher/src/adapters/x.ts',
  'services/video-worker/src/x.ts',
  'services/api/src/http/routes/x.ts',
  'services/billing/src/x.ts',
  'packages/media/src/x.ts',
  'packages/runtime/src/x.ts',
];

describe.each(elsewhere)('a connection that does not go through the guard, in %s', (path) => {
  it.each([
    'await fetch(url);',
    'await globalThis.fetch(url);',
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
    "const { default: got } = await import('got');",
    "const http = await import('node:http');",
  ])('is refused by lint: %s', (code) => {
    expect(complaintsAbout(code, path)).not.toEqual([]);
  });
});

describe('what opens no connection', () => {
  it.each([
    "import { isIP, type Socket } from 'node:net';",
    "import type { AddressInfo } from 'node:net';",
    "const fetch = (entry: string): string => entry; fetch('x');",
  ])('passes lint in any service: %s', (code) => {
    expect(elsewhere.flatMap((path) => complaintsAbout(code, path))).toEqual([]);
  });

  it('passes lint where a server is built', () => {
    expect(
      complaintsAbout(
        "import { createServer, type IncomingMessage } from 'node:http';",
        'packages/runtime/src/x.ts',
      ),
    ).toEqual([]);
  });
});

describe('the guard itself', () => {
  it('may connect', () => {
    expect(
      complaintsAbout(
        "import http from 'node:http'; import net from 'node:net'; import { got } from 'got';",
        'packages/outbound/src/x.ts',
      ),
    ).toEqual([]);
  });
});
