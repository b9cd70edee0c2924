import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startSandboxVendor, type RunningSandbox } from '@gateway/sandbox-vendor';
import { readResponse, type Json } from '../../unit/text-dialects/responses-grammar.ts';
import { asChat, openTextStage, type TextStage } from './text-stage.ts';

let vendor: RunningSandbox;
let stage: TextStage;
let apiKey: string;
beforeAll(async () => {
  vendor = await startSandboxVendor({ SANDBOX_API_KEY: 'vendor-secret' });
  stage = await openTextStage({
    settings: { RESPONSES_RETENTION_HOURS: 0 },
    yaml: `
providers:
  c: { kind: chat, base_url: "${vendor.url}/v1", api_key: "\${KEY}" }
  r: { kind: responses, base_url: "${vendor.url}/v1", api_key: "\${KEY}", quirks: { encrypted_reasoning: true } }
models:
  sandbox-chat: { kind: text, routes: [{ provider: c, model: sandbox-chat }] }
  sandbox-responses: { kind: text, routes: [{ provider: r, model: sandbox-upstream }] }
`,
  });
  ({ apiKey } = await stage.aKey({ quota: 10_000_000 }));
});
afterAll(async () => {
  await stage.close();
  await vendor.stop();
});

async function ask(body: Json): Promise<{ status: number; text: string }> {
  const response = await fetch(`${stage.url}/v1/responses`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...asChat(apiKey) },
    body: JSON.stringify(body),
  });
  return { status: response.status, text: await response.text() };
}

describe.each(['sandbox-chat', 'sandbox-responses'])(
  'a gateway that keeps no responses, with %s',
  (model) => {
    it.each([{}, { store: true }, { store: null }])('says so: %j', async (fields) => {
      const { status, text } = await ask({ model, input: 'hi', ...fields });
      const streamed = await ask({ model, input: 'hi', stream: true, ...fields });

      expect(status).toBe(200);
      expect(JSON.parse(text)).toMatchObject({ store: false });
      expect(readResponse(streamed.text).response).toMatchObject({ store: false });
    });

    it('does not find what it gave, and says what to do', async () => {
      const { id } = JSON.parse((await ask({ model, input: 'hi' })).text) as { id: string };

      const next = await ask({ model, input: 'and?', previous_response_id: id });

      expect(next.status).toBe(400);
      expect(JSON.parse(next.text)).toMatchObject({
        error: {
          code: 'previous_response_not_found',
          param: 'previous_response_id',
          message: expect.stringContaining(
            'not found. This gateway keeps no responses: send the whole conversation as input',
          ),
        },
      });
    });
  },
);
