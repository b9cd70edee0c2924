import { createOpenAI } from '@ai-sdk/openai';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { generateText, jsonSchema, Output, stepCountIs, streamText, tool } from 'ai';
import OpenAI from 'openai';
import OpenAIPrevious from 'openai-previous';
import { makeParseableTextFormat } from 'openai/lib/parser';
import { eventually } from '@gateway/testing';
import { startSandboxVendor, type RunningSandbox } from '@gateway/sandbox-vendor';
import { readResponse, type Json } from '../../unit/text-dialects/responses-grammar.ts';
import { keepMessage } from './kept-responses.ts';
import { asChat, openTextStage, post, type TextStage } from './text-stage.ts';

/** Of settings that the provider leaves out. */
globalThis.AI_SDK_LOG_WARNINGS = false;

/** A red square of 2 × 2. */
const png =
  'iVBORw0KGgoAAAANSUhEUgAAAAIAAAACCAIAAAD91JpzAAAAEElEQVR4nGP4z8AARAwQCgAf7gP9i18U1AAAAABJRU5ErkJggg==';

let vendor: RunningSandbox;
let stage: TextStage;
let apiKey: string;
beforeAll(async () => {
  vendor = await startSandboxVendor({ SANDBOX_API_KEY: 'vendor-secret' });
  stage = await openTextStage({
    settings: { TEXT_PING_MS: 300 },
    yaml: `
providers:
  c: { kind: chat, base_url: "${vendor.url}/v1", api_key: "\${KEY}" }
  m: { kind: messages, base_url: "${vendor.url}", api_key: "\${KEY}" }
  r: { kind: responses, base_url: "${vendor.url}/v1", api_key: "\${KEY}", quirks: { encrypted_reasoning: true } }
models:
  sandbox-chat: { kind: text, token_quota: { input: 2, output: 5, per: 1 }, routes: [{ provider: c, model: sandbox-chat }] }
  sandbox-messages: { kind: text, token_quota: { input: 2, output: 5, per: 1 }, routes: [{ provider: m, model: sandbox-messages }] }
  sandbox-responses: { kind: text, token_quota: { input: 2, output: 5, per: 1 }, routes: [{ provider: r, model: sandbox-upstream }] }
limits:
  default_key: { requests_per_minute: 100000, concurrent_requests: 100 }
`,
  });
  ({ apiKey } = await stage.aKey({ quota: 10_000_000 }));
});
afterAll(async () => {
  await stage.close();
  await vendor.stop();
});

const models = ['sandbox-chat', 'sandbox-messages', 'sandbox-responses'] as const;
const weatherSchema = {
  type: 'object',
  properties: { city: { type: 'string' } },
  required: ['city'],
  additionalProperties: false,
} as const;
const placeSchema = {
  type: 'object',
  properties: { city: { type: 'string' }, degrees: { type: 'integer' } },
  required: ['city', 'degrees'],
  additionalProperties: false,
} as const;
const weather: OpenAI.Responses.FunctionTool = {
  type: 'function',
  name: 'get_weather',
  description: 'The weather in a city',
  parameters: weatherSchema,
  strict: true,
};
const askWeather = '[call=get_weather {"city":"Lisbon"}] what is it like?';

describe.each([
  ['openai 7', OpenAI],
  ['openai 6', OpenAIPrevious as unknown as typeof OpenAI],
])('%s', (_name, Client) => {
  const client = (): OpenAI => new Client({ baseURL: `${stage.url}/v1`, apiKey, maxRetries: 0 });

  describe.each(models)('on %s', (model) => {
    it('gets a whole response', async () => {
      const response = await client().responses.create({
        model,
        instructions: 'Be brief.',
        input: 'Where do foxes sleep?',
        metadata: { team: 'blue' },
      });

      expect(response.output_text).toContain('Where do foxes sleep?');
      expect(response.output_text).toContain('The system prompt says: "Be brief."');
      expect(response).toMatchObject({
        model,
        status: 'completed',
        instructions: 'Be brief.',
        metadata: { team: 'blue' },
        usage: { total_tokens: response.usage!.input_tokens + response.usage!.output_tokens },
      });
    });

    it('streams the same response', async () => {
      const input = [
        { role: 'developer', content: 'Be brief.' },
        { role: 'user', content: [{ type: 'input_text', text: 'Tell me a story.' }] },
      ] as const satisfies OpenAI.Responses.ResponseInput;
      const whole = await client().responses.create({ model, input: [...input] });
      const deltas: string[] = [];

      const stream = client().responses.stream({ model, input: [...input] });
      stream.on('response.output_text.delta', ({ delta }) => deltas.push(delta));
      const streamed = await stream.finalResponse();

      expect(deltas.length).toBeGreaterThan(3);
      expect([deltas.join(''), streamed.output_text]).toEqual([
        whole.output_text,
        whole.output_text,
      ]);
      expect(streamed.usage).toEqual(whole.usage);
    });

    it('runs a tool, and goes on thinking with what the response carries', async () => {
      const input: OpenAI.Responses.ResponseInput = [
        { role: 'user', content: `[think] ${askWeather}` },
      ];
      const request = {
        model,
        tools: [weather],
        store: false,
        reasoning: { effort: 'low', summary: 'auto' },
        include: ['reasoning.encrypted_content'],
      } as const;
      const first = await client().responses.create({
        ...request,
        tools: [weather],
        include: ['reasoning.encrypted_content'],
        input,
      });
      const [call] = first.output.filter((item) => item.type === 'function_call');
      const [thoughts] = first.output.filter((item) => item.type === 'reasoning');

      expect(call).toMatchObject({ name: 'get_weather', arguments: '{"city":"Lisbon"}' });
      expect(thoughts).toMatchObject({
        summary: [{ text: expect.stringContaining('The user wants') }],
        encrypted_content: expect.any(String),
      });
      input.push(...(first.output as OpenAI.Responses.ResponseInput), {
        type: 'function_call_output',
        call_id: call!.call_id,
        output: [{ type: 'input_text', text: '19 degrees' }],
      });
      const second = await client().responses.create({
        ...request,
        tools: [weather],
        include: ['reasoning.encrypted_content'],
        input,
      });

      expect(second.output_text).toContain('The tool get_weather answered: "19 degrees"');
    });

    it('parses an object in the shape of a schema, whole and streamed', async () => {
      const format = makeParseableTextFormat(
        { type: 'json_schema', name: 'place', strict: true, schema: placeSchema },
        (text) => JSON.parse(text) as unknown,
      );
      const place = { city: expect.any(String), degrees: expect.any(Number) };

      const parsed = await client().responses.parse({ model, input: 'where?', text: { format } });
      const streamed = await client()
        .responses.stream({ model, input: 'where?', text: { format } })
        .finalResponse();

      expect([parsed.output_parsed, streamed.output_parsed]).toEqual([place, place]);
    });

    it('sends a picture', async () => {
      const response = await client().responses.create({
        model,
        input: [
          {
            role: 'user',
            content: [
              { type: 'input_image', image_url: `data:image/png;base64,${png}`, detail: 'auto' },
            ],
          },
        ],
      });

      expect(response.output_text).toContain('You sent one image of type image/png');
    });

    it('builds on the response before, and on the one before that', async () => {
      const first = await client().responses.create({ model, input: 'My name is Heron.' });
      const second = await client().responses.create({
        model,
        input: askWeather,
        tools: [weather],
        previous_response_id: first.id,
      });
      const [call] = second.output.filter((item) => item.type === 'function_call');
      const third = await client().responses.create({
        model,
        tools: [weather],
        previous_response_id: second.id,
        input: [{ type: 'function_call_output', call_id: call!.call_id, output: '19 degrees' }],
      });

      expect(third.output_text).toContain('The tool get_weather answered: "19 degrees"');
      expect(third.previous_response_id).toBe(second.id);
      // What it builds on is part of its prompt.
      expect(third.usage!.input_tokens).toBeGreaterThan(second.usage!.input_tokens);
      expect(second.usage!.input_tokens).toBeGreaterThan(first.usage!.input_tokens);
    });

    it('hears of a failure in the middle of a stream', async () => {
      const stream = await client().responses.create({
        model,
        input: '[error-mid-stream] x',
        stream: true,
      });
      const types: string[] = [];
      const read = async (): Promise<void> => {
        for await (const { type } of stream) types.push(type);
      };

      await expect(read()).rejects.toBeInstanceOf(Client.APIError);
      expect(types).toContain('response.output_text.delta');
      expect(types).not.toContain('response.completed');
    });

    it('is told how long to wait, and what is too long', async () => {
      const ask = (input: string) => client().responses.create({ model, input });

      await expect(ask('[rate-limited] x')).rejects.toMatchObject({
        status: 429,
        code: 'rate_limit_exceeded',
      });
      await expect(ask('[context] x')).rejects.toMatchObject({
        status: 400,
        code: 'context_length_exceeded',
        message: expect.stringContaining("This model's maximum context length is"),
      });
    });
  });

  it('is told what it builds on that is not there', async () => {
    const ask = (fields: object) =>
      client().responses.create({ model: 'sandbox-chat', input: 'hi', ...fields });

    await expect(ask({ previous_response_id: 'resp_gone' })).rejects.toMatchObject({
      status: 400,
      code: 'previous_response_not_found',
      param: 'previous_response_id',
      message: expect.stringContaining("Previous response with id 'resp_gone' not found."),
    });
    await expect(ask({ input: [{ type: 'item_reference', id: 'rs_gone' }] })).rejects.toMatchObject(
      {
        status: 404,
        message: expect.stringContaining("Item with id 'rs_gone' not found."),
      },
    );
  });
});

describe.each(models)('@ai-sdk/openai’s default model on %s', (model) => {
  const languageModel = () => createOpenAI({ baseURL: `${stage.url}/v1`, apiKey })(model);
  const called: unknown[] = [];
  const tools = {
    get_weather: tool({
      inputSchema: jsonSchema<{ city: string }>({ ...weatherSchema, required: ['city'] }),
      execute: (input) => {
        called.push(input);
        return Promise.resolve('19 degrees');
      },
    }),
  };

  it.each([true, false])('runs tools until the final response, stored: %s', async (store) => {
    called.length = 0;
    const options = {
      model: languageModel(),
      maxRetries: 0,
      prompt: `[think] ${askWeather}`,
      tools,
      stopWhen: stepCountIs(3),
      providerOptions: { openai: { store, forceReasoning: true, reasoningEffort: 'low' } },
    } as const;
    const whole = await generateText(options);
    const streamed = streamText({ ...options, onError: () => undefined });

    expect(await streamed.text).toContain('The tool get_weather answered: "19 degrees"');
    expect(whole.text).toBe(await streamed.text);
    expect(whole.steps.map(({ finishReason }) => finishReason)).toEqual(['tool-calls', 'stop']);
    expect(whole.steps[0]!.reasoningText).toContain('The user wants');
    expect(called).toEqual([{ city: 'Lisbon' }, { city: 'Lisbon' }]);
  });

  it('gets an object in the shape of a schema', async () => {
    const output = Output.object({
      schema: jsonSchema<{ city: string }>({ ...weatherSchema, required: ['city'] }),
    });

    expect(
      (await generateText({ model: languageModel(), prompt: 'where?', output, maxRetries: 0 }))
        .output,
    ).toEqual({ city: expect.any(String) });
  });
});

/** A response that may fail. */
async function ask(body: unknown, headers: Record<string, string> = asChat(apiKey)) {
  const sent = post(`${stage.url}/v1/responses`, { headers, body });
  return { status: await sent.status, headers: await sent.headers, text: await sent.body };
}
const errorIn = ({ text }: { text: string }): Json => (JSON.parse(text) as { error: Json }).error;

describe('POST /v1/responses', () => {
  it('streams by the grammar, under the aliases of its path too', async () => {
    const sent = post(`${stage.url}/responses/`, {
      headers: asChat(apiKey),
      body: { model: 'sandbox-messages', input: '[think] why?', stream: true },
    });

    expect([await sent.status, (await sent.headers)['content-type']]).toEqual([
      200,
      'text/event-stream; charset=utf-8',
    ]);
    const { items, response } = readResponse(await sent.body);
    expect(items.map(({ type }) => type)).toEqual(['reasoning', 'message']);
    expect(response).toMatchObject({ status: 'completed' });
  });

  it.each([
    ['model', { model: 7 }],
    ['input', { input: 7 }],
    ['input', { input: [] }],
    ['input[0]', { input: ['text'] }],
    ['max_output_tokens', { max_output_tokens: 0 }],
    ['temperature', { temperature: 3 }],
    ['truncation', { truncation: 'some' }],
    ['metadata.a', { metadata: { a: 1 } }],
    ['input[0].role', { input: [{ type: 'message', role: 'robot', content: 'x' }] }],
    ['input[0].call_id', { input: [{ type: 'function_call', name: 'f', arguments: '{}' }] }],
    ['text.format.type', { text: { format: { type: 'xml' } } }],
    ['tools[0].name', { tools: [{ type: 'function' }] }],
    ['messages', { input: undefined, messages: [{ role: 'user', content: 'x' }] }],
  ])('refuses a bad request by its field: %s', async (param, fields) => {
    const refused = await ask({ model: 'sandbox-chat', input: 'hi', ...fields });

    expect([refused.status, errorIn(refused)['param']]).toEqual([400, param]);
  });

  it.each([
    ['conversation', { conversation: 'conv_1' }],
    ['background', { background: true }],
    ['prompt', { prompt: { id: 'pmpt_1' } }],
    ['top_logprobs', { top_logprobs: 3 }],
    ['include[0]', { include: ['message.output_text.logprobs'] }],
    ['tools[0].type', { tools: [{ type: 'web_search' }] }],
    ['tools[1].type', { tools: [weather, { type: 'mcp', server_label: 'x' }] }],
    ['input[0]', { input: [{ type: 'web_search_call', id: 'ws_1', status: 'completed' }] }],
    [
      'input[0].content[0].file_id',
      { input: [{ role: 'user', content: [{ type: 'input_file', file_id: 'file_1' }] }] },
    ],
  ])('refuses what cannot be honoured, with the way out: %s', async (param, fields) => {
    const refused = await ask({ model: 'sandbox-chat', input: 'hi', ...fields });

    expect([refused.status, errorIn(refused)]).toEqual([
      400,
      expect.objectContaining({
        code: 'unsupported_parameter',
        param,
        message: expect.stringContaining('; '),
      }),
    ]);
  });

  it('names what was dropped, and sends the headers of its limits', async () => {
    const { status, headers } = await ask({
      model: 'sandbox-chat',
      input: 'hi',
      prompt_cache_key: 'k',
      text: { verbosity: 'low' },
      truncation: 'auto',
      service_tier: 'flex',
      nobody_knows_it: 1,
    });

    expect(status).toBe(200);
    expect(headers['x-gateway-dropped-params']).toBe(
      'prompt_cache_key, nobody_knows_it, text.verbosity, truncation, service_tier',
    );
    expect(headers).toMatchObject({
      'x-ratelimit-limit-requests': '100000',
      'x-request-id': expect.any(String),
      'x-gateway-route': expect.any(String),
    });
  });

  it('keeps nothing of a request that does not want it, and all that the next one needs', async () => {
    const { apiKey: key } = await stage.aKey({ quota: 1_000_000 });
    const body = { model: 'sandbox-messages', input: '[think] hi' };
    const get = async (path: string) => {
      const response = await fetch(`${stage.url}/v1/responses/${path}`, { headers: asChat(key) });
      return { status: response.status, body: (await response.json()) as Json };
    };
    const unkept = await ask({ ...body, store: false }, asChat(key));
    expect(await get((JSON.parse(unkept.text) as { id: string }).id)).toMatchObject({
      status: 404,
    });

    const { text } = await ask(body, asChat(key));

    const response = JSON.parse(text) as { id: string; output: Json[] };
    const { id, output } = response;
    const sealed = { ...output[0], encrypted_content: expect.stringMatching(/^gw1r\./) };
    expect(await get(id)).toEqual({ status: 200, body: response });
    for (const name of ['include', 'include[]']) {
      expect(await get(`${id}?${name}=reasoning.encrypted_content`)).toEqual({
        status: 200,
        body: { ...response, output: [sealed, output[1]] },
      });
    }
    expect((JSON.parse(unkept.text) as { output: Json[] }).output[0]).toMatchObject({
      type: 'reasoning',
      encrypted_content: expect.stringMatching(/^gw1r\./),
    });
    expect((await get(`${id}/input_items`)).body['data']).toEqual([
      {
        id: expect.stringMatching(/^msg_\w+$/),
        type: 'message',
        role: 'user',
        content: [{ type: 'input_text', text: '[think] hi' }],
      },
    ]);
  });

  it('does not let one account build on what another has', async () => {
    const { text } = await ask({ model: 'sandbox-chat', input: 'hi' });
    const { id } = JSON.parse(text) as { id: string };
    const other = await stage.aKey();

    const refused = await ask(
      { model: 'sandbox-chat', input: 'hi', previous_response_id: id },
      asChat(other.apiKey),
    );

    expect([refused.status, errorIn(refused)['code']]).toEqual([
      400,
      'previous_response_not_found',
    ]);
  });

  it('reserves for what a request builds on, and refuses what outgrows the route', async () => {
    const { apiKey: key, accountId } = await stage.aKey({ quota: 1_000 });
    for (const [responseId, words] of [
      ['resp_long', 2_000],
      ['resp_huge', 210_000],
    ] as const) {
      await keepMessage(stage, { accountId, responseId, content: 'word '.repeat(words) });
    }
    const build = (previous_response_id: string) =>
      ask(
        { model: 'sandbox-chat', input: 'hi', max_output_tokens: 1, previous_response_id },
        asChat(key),
      );

    expect((await build('resp_long')).status).toBe(402);
    const huge = await build('resp_huge');
    expect([huge.status, errorIn(huge)['code']]).toEqual([413, 'payload_too_large']);
  });

  it('is metered and charged like the other dialects', async () => {
    const { apiKey: key, accountId } = await stage.aKey({ quota: 1_000_000 });
    const { text } = await ask({ model: 'sandbox-messages', input: 'hi' }, asChat(key));
    const { usage } = JSON.parse(text) as { usage: Record<string, number> };

    const record = await eventually(async () => {
      const found = (await stage.usage(1)).find(({ account_id }) => account_id === accountId);
      if (found === undefined) throw new Error('no usage record yet');
      return found;
    });

    expect(record).toMatchObject({
      dialect: 'responses',
      upstream_dialect: 'messages',
      outcome: 'succeeded',
      input_tokens: usage['input_tokens'],
      output_tokens: usage['output_tokens'],
      estimated: false,
    });
  });
});
