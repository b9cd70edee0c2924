import { afterEach, expect, it } from '@jest/globals';
import { createLedger } from '@gateway/store';
import { eventually } from '@gateway/testing';
import { startBilling } from '../billing-service.ts';
import { asMessages, createOpener, hello, messagesCompletion, post } from './text-stage.ts';

const { upstreamThat, stageWith, closing, closeAll } = createOpener();
afterEach(closeAll);

/** A token costs one unit; a request with `max_tokens: 100` reserves a little more than 100. */
const yamlOf = (url: string): string => `
limits: { default_key: { concurrent_requests: 100, requests_per_minute: 1000 } }
providers:
  up: { kind: messages, base_url: "${url}", api_key: "\${KEY}" }
models:
  m: { kind: text, token_quota: { input: 1, output: 1, per: 1 }, routes: [{ provider: up, model: up-m }] }
`;

it('an account cannot use more at once than it has, and the books are right', async () => {
  const upstream = await upstreamThat(({ response }) => {
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(
      JSON.stringify({ ...messagesCompletion, usage: { input_tokens: 20, output_tokens: 100 } }),
    );
  });
  const { stage } = await stageWith({ yaml: yamlOf(upstream.url) });
  const billing = await startBilling({ url: stage.databaseUrl }, { SWEEP_MS: 200 });
  closing.push(billing.stop);
  const { apiKey, accountId } = await stage.aKey({ quota: 500 });

  const statuses = await Promise.all(
    Array.from(
      { length: 40 },
      () =>
        post(`${stage.url}/v1/messages`, { headers: asMessages(apiKey), body: hello('m') }).status,
    ),
  );

  expect(statuses.filter((status) => status === 200).length).toBe(upstream.received.length);
  expect(upstream.received.length).toBeLessThanOrEqual(4);
  expect(statuses.filter((status) => status === 402).length).toBeGreaterThanOrEqual(36);
  const ledger = createLedger(stage.database);
  await eventually(async () => {
    expect(await ledger.balanceOf(accountId)).toMatchObject({
      balanceQuota: 500 - 120 * upstream.received.length,
      debtQuota: 0,
    });
  });
  await expect(ledger.verify({ graceSeconds: 60 })).resolves.toEqual([]);
});
