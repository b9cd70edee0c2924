import { createHash } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { GatewayError } from '../../../packages/domain/src/index.ts';
import { readMessagesRequest } from '../../../packages/text-dialects/src/messages/read-request.ts';
import { aBody, translated, type Json } from './m2c-samples.ts';

const bodyOf = (...args: Parameters<typeof translated>): Json => translated(...args).body;
const tool = {
  name: 'get',
  description: 'Gets.',
  input_schema: { type: 'object', properties: { x: { type: 'string' } } },
};
const strictSchema = {
  type: 'object',
  properties: { a: { type: 'string' } },
  required: ['a'],
  additionalProperties: false,
};

describe('a messages request for a chat upstream', () => {
  it("keeps model, words, limits and the stream's usage", () => {
    const body = aBody({
      system: 'Be kind.',
      temperature: 0.5,
      top_p: 0.9,
      stop_sequences: ['END', ' ', 'END', ''],
      stream: true,
    });

    expect(translated(body, { vendor: 'generic', model: 'm' }).body).toEqual({
      model: 'm',
      messages: [
        { role: 'system', content: 'Be kind.' },
        { role: 'user', content: 'hi' },
      ],
      max_tokens: 1_000,
      stop: ['END'],
      temperature: 0.5,
      top_p: 0.9,
      stream: true,
      stream_options: { include_usage: true },
    });
  });

  it('never names the usage option for an upstream that refuses it, nor without a stream', () => {
    expect(bodyOf(aBody({ stream: true }), { vendor: 'mistral' })).not.toHaveProperty(
      'stream_options',
    );
    expect(bodyOf(aBody())).not.toHaveProperty('stream_options');
  });

  it.each<[string, string, number, number | undefined, Json]>([
    ['max_completion_tokens at OpenAI', 'openai', 100, undefined, { max_completion_tokens: 100 }],
    ['max_tokens elsewhere', 'deepseek', 100, undefined, { max_tokens: 100 }],
    ['no more than the model can put out', 'deepseek', 64_000, 8_192, { max_tokens: 8_192 }],
  ])('limits the output by %s', (_case, vendor, wished, maxOutputTokens, fields) => {
    const body = bodyOf(aBody({ max_tokens: wished }), {
      vendor,
      ...(maxOutputTokens !== undefined && { maxOutputTokens }),
    });

    expect(body).toMatchObject(fields);
    expect(Object.keys(body).filter((key) => key.startsWith('max_'))).toHaveLength(1);
  });

  it("raises one token to the upstream's minimum", () => {
    expect(bodyOf(aBody({ max_tokens: 1 }), { quirks: { minMaxTokens: 16 } })).toMatchObject({
      max_completion_tokens: 16,
    });
  });

  it('leaves out sampling and stop sequences for reasoning models and cuts the completion itself', () => {
    const { body, memory, dropped } = translated(
      aBody({ temperature: 1, top_k: 5, stop_sequences: ['a', 'b'] }),
      { model: 'gpt-5' },
    );

    expect(body).not.toHaveProperty('temperature');
    expect(body).not.toHaveProperty('stop');
    expect(memory).toMatchObject({ emulatedStops: ['a', 'b'], stops: ['a', 'b'] });
    expect(dropped).toEqual(['temperature', 'top_k']);
  });

  it('sends as many stop sequences as the upstream takes and keeps the others to itself', () => {
    const { body, memory } = translated(aBody({ stop_sequences: ['1', '2', '3', '4', '5'] }));

    expect([body['stop'], memory.emulatedStops]).toEqual([['1', '2', '3', '4'], ['5']]);
  });

  it('sends top_k to those that know it', () => {
    expect(bodyOf(aBody({ top_k: 5 }), { vendor: 'vllm' })).toMatchObject({ top_k: 5 });
  });

  it('leaves out the note on who pays, and calls the system developer for reasoning models', () => {
    const system = [
      { type: 'text', text: 'x-anthropic-billing-header: cc_version=1' },
      { type: 'text', text: 'A', cache_control: { type: 'ephemeral' } },
      { type: 'text', text: '' },
      { type: 'text', text: 'B' },
    ];

    expect((bodyOf(aBody({ system }), { model: 'o3' })['messages'] as Json[])[0]).toEqual({
      role: 'developer',
      content: 'A\n\nB',
    });
  });

  it('never leaks caching marks to a strict vendor, and keeps them for one that knows them', () => {
    const cache_control = { type: 'ephemeral', scope: 'global' };
    const messages = [{ role: 'user', content: [{ type: 'text', text: 'hi', cache_control }] }];
    const body = aBody({
      system: [{ type: 'text', text: 'A', cache_control }],
      messages,
      tools: [{ ...tool, cache_control }],
      cache_control,
    });

    expect(JSON.stringify(bodyOf(body))).not.toContain('cache_control');
    expect(bodyOf(body, { vendor: 'openrouter' })['messages']).toMatchObject(
      ['A', 'hi'].map((text) => ({
        content: [{ type: 'text', text, cache_control: { type: 'ephemeral' } }],
      })),
    );
    expect(JSON.stringify(bodyOf(body, { vendor: 'openrouter' }))).not.toContain('scope');
  });

  it("hashes the end user's id to 64 characters, for every length and pattern", () => {
    const user_id = 'user_1_account__session_2'.repeat(9);

    expect(bodyOf(aBody({ metadata: { user_id } }))['user']).toBe(
      createHash('sha256').update(user_id).digest('hex'),
    );
    expect(bodyOf(aBody({ metadata: { user_id } }), { vendor: 'mistral' })).not.toHaveProperty(
      'user',
    );
  });

  it.each<[string, Json, string, Json]>([
    [
      'standard_only as default',
      { service_tier: 'standard_only' },
      'openai',
      { service_tier: 'default' },
    ],
    ['fast as the configured tier', { speed: 'fast' }, 'openai', { service_tier: 'priority' }],
  ])('tells the service tier %s', (_case, fields, vendor, told) => {
    expect(bodyOf(aBody(fields), { vendor })).toMatchObject(told);
    expect(translated(aBody(fields), { vendor: 'generic' }).dropped).toEqual(Object.keys(fields));
  });

  it("drops and names what only the originator's API knows", () => {
    const fields = {
      context_management: { edits: [] },
      mcp_servers: [],
      fallbacks: [{ model: 'other' }],
      cache_control: { type: 'ephemeral' },
      betas: ['x'],
      inference_geo: null,
    };

    expect(readMessagesRequest(aBody(fields)).dropped).toEqual([
      'context_management',
      'mcp_servers',
      'fallbacks',
      'cache_control',
      'betas',
    ]);
    expect(Object.keys(bodyOf(aBody(fields)))).toEqual([
      'model',
      'messages',
      'max_completion_tokens',
      'stream',
    ]);
  });

  it('asks for a schema, strictly when the schema allows it', () => {
    const format = (schema: Json): Json =>
      aBody({ output_config: { format: { type: 'json_schema', schema } } });

    expect(bodyOf(format(strictSchema))['response_format']).toEqual({
      type: 'json_schema',
      json_schema: { name: 'output', schema: strictSchema, strict: true },
    });
    expect(bodyOf(format({ ...strictSchema, required: [] }))['response_format']).toMatchObject({
      json_schema: { strict: false },
    });
    expect(
      bodyOf(aBody({ output_format: { type: 'json_schema', schema: strictSchema } }))[
        'response_format'
      ],
    ).toMatchObject({ json_schema: { strict: true } });
  });

  it('asks in words where the upstream knows no schemas', () => {
    const body = bodyOf(
      aBody({
        system: 'A',
        output_config: { format: { type: 'json_schema', schema: strictSchema } },
      }),
      { vendor: 'deepseek' },
    );

    expect(body['response_format']).toEqual({ type: 'json_object' });
    expect((body['messages'] as { content: string }[])[0]!.content).toMatch(
      /^A\n\nAnswer with JSON .*"additionalProperties":false/,
    );
  });

  it('wraps a schema that is no object, and remembers to unwrap the completion', () => {
    const { body, memory } = translated(
      aBody({
        output_config: {
          format: { type: 'json_schema', schema: { type: 'array', items: { type: 'string' } } },
        },
      }),
    );

    expect(body['response_format']).toMatchObject({
      json_schema: { strict: true, schema: { type: 'object', required: ['value'] } },
    });
    expect(memory.unwrapValue).toBe(true);
  });

  it.each<[string, Json, string]>([
    [
      'a content that is a number',
      { messages: [{ role: 'user', content: 5 }] },
      'messages[0].content',
    ],
    [
      'a block without a type',
      { messages: [{ role: 'user', content: [{ text: 'a' }] }] },
      'messages[0].content[0].type',
    ],
    [
      'a text that is not one',
      { messages: [{ role: 'user', content: [{ type: 'text', text: 1 }] }] },
      'messages[0].content[0].text',
    ],
    [
      'an image without a source',
      { messages: [{ role: 'user', content: [{ type: 'image' }] }] },
      'messages[0].content[0].source',
    ],
    [
      'an uploaded image',
      {
        messages: [
          { role: 'user', content: [{ type: 'image', source: { type: 'file', file_id: 'f' } }] },
        ],
      },
      'messages[0].content[0].source',
    ],
    [
      'a tool call without an id',
      { messages: [{ role: 'assistant', content: [{ type: 'tool_use', name: 'f', input: {} }] }] },
      'messages[0].content[0].id',
    ],
    [
      'an input that is no object',
      {
        messages: [
          { role: 'assistant', content: [{ type: 'tool_use', id: 'a', name: 'f', input: [1] }] },
        ],
      },
      'messages[0].content[0].input',
    ],
    ['nothing but empty messages', { messages: [{ role: 'user', content: '' }] }, 'messages'],
    ['a system that is a number', { system: 4 }, 'system'],
    ['tools that are no list', { tools: {} }, 'tools'],
    ['a tool without a name', { tools: [{ input_schema: {} }] }, 'tools[0].name'],
    [
      'a schema that is a text',
      { tools: [{ name: 'f', input_schema: 'x' }] },
      'tools[0].input_schema',
    ],
    ['an unknown choice', { tools: [tool], tool_choice: { type: 'function' } }, 'tool_choice.type'],
    ['a stop sequence that is a number', { stop_sequences: [1] }, 'stop_sequences[0]'],
    ['a temperature in words', { temperature: 'hot' }, 'temperature'],
    ['an unknown thinking', { thinking: { type: 'constructor' } }, 'thinking.type'],
    [
      'a schema that is missing',
      { output_config: { format: { type: 'json_schema' } } },
      'output_config.format.schema',
    ],
  ])('is refused for %s, with the path', (_case, fields, param) => {
    const thrown = (() => {
      try {
        return readMessagesRequest(aBody(fields));
      } catch (error) {
        return error;
      }
    })();

    expect(
      GatewayError.is(thrown) && [
        thrown.param,
        /^(invalid|unsupported)_parameter$/.test(thrown.code),
      ],
    ).toEqual([param, true]);
  });
});
