import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import express from 'express';
import { describe, expect, it } from '@jest/globals';
import { eventually } from '@gateway/testing';
import { createSendJson } from '../../../services/api/src/http/served-bytes.ts';

const accountId = 'acct_a';

/** Sends as many characters as its path says, to the account in it. */
async function aServer(options: Parameters<typeof createSendJson>[0]) {
  const sendJson = createSendJson(options);
  const app = express();
  app.get('/:account/:length', (request, response) => {
    const { account, length } = request.params;
    try {
      sendJson(response, { accountId: account, text: 'x'.repeat(Number(length)) });
    } catch (error) {
      response.status(500).send((error as { readonly code: string }).code);
    }
  });
  const server = createServer(app);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const gone = new AbortController();
  return {
    ask: (length: number, account = accountId) =>
      fetch(`${url}/${account}/${length}`, { signal: gone.signal }),
    async close() {
      gone.abort();
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

describe('a large text', () => {
  it('is sent within the bounds of its account and of the process', async () => {
    const { ask, close } = await aServer({
      accountBytes: 20_000_000,
      processBytes: 35_000_000,
      withinMs: 60_000,
    });
    await ask(15_000_000);

    expect(await (await ask(15_000_000)).text()).toBe('rate_limit_exceeded');
    await ask(15_000_000, 'acct_b');
    expect(await (await ask(15_000_000, 'acct_c')).text()).toBe('overloaded');
    expect(await (await ask(65_536)).text()).toHaveLength(65_536);
    await close();
  });

  it('is given up when nobody reads it in time, and its memory with it', async () => {
    const { ask, close } = await aServer({
      accountBytes: 20_000_000,
      processBytes: 20_000_000,
      withinMs: 50,
    });
    const unread = await ask(20_000_000);

    await eventually(async () => {
      expect((await ask(20_000_000)).status).toBe(200);
    });
    await expect(unread.text()).rejects.toThrow();
    await close();
  });
});
