import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';
import { GatewayClient } from '@gateway/client';
import type { Command } from '../command.ts';
import { addressFrom, forgetCredentials, keepCredentials, localGateway } from '../credentials.ts';
import { exitCodes, UsageError } from '../exit-codes.ts';
import { numberText, readAll, tell, type Terminal } from '../terminal.ts';

const login: Command = {
  name: 'login',
  summary: 'checks an API key and keeps it for later commands',
  options: { url: { value: 'URL', help: `address of the gateway; ${localGateway} by default` } },
  examples: [
    'gw login --url https://gateway.example',
    'printenv KEY | gw login --url https://gateway.example',
  ],
  async run(given, terminal) {
    const { GW_BASE_URL: setting = localGateway } = terminal.env;
    const url = given.text('url');
    const baseUrl =
      url === undefined ? addressFrom('GW_BASE_URL', setting) : addressFrom('--url', url);
    const apiKey = (await readKey(terminal)).trim();
    if (!/^[\x21-\x7E]+$/.test(apiKey)) throw new UsageError('That is no API key.');
    const client = new GatewayClient({ baseUrl, apiKey });
    const { available_quota: available } = await client.balance(terminal);
    const file = await keepCredentials(terminal, { baseUrl, apiKey });
    tell(terminal, given, {
      found: { base_url: baseUrl, file, available_quota: available },
      words: () =>
        `Logged in at ${baseUrl}: ${numberText(available)} quota available. The key is in ${file}.\n`,
    });
    return exitCodes.done;
  },
};

/** From a pipe, or typed without being shown. */
async function readKey({ stdin, stderr, signal }: Terminal): Promise<string> {
  if (stdin.isTTY !== true) return readAll(stdin);
  stderr.write('API key: ');
  const silent = new Writable({
    write: (_chunk, _encoding, done) => {
      done();
    },
  });
  const lines = createInterface({
    input: stdin as unknown as NodeJS.ReadableStream,
    output: silent,
    terminal: true,
  });
  try {
    return await lines.question('', { signal });
  } finally {
    lines.close();
    stderr.write('\n');
  }
}

const logout: Command = {
  name: 'logout',
  summary: 'forgets the key that "gw login" has kept',
  options: {},
  examples: ['gw logout'],
  async run(given, terminal) {
    const file = await forgetCredentials(terminal);
    tell(terminal, given, {
      found: { file },
      words: () => `${file} is gone. The key itself still works.\n`,
    });
    return exitCodes.done;
  },
};

export const loginCommands: readonly Command[] = [login, logout];
