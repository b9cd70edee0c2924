import { describe, expect, it } from '@jest/globals';
import { GatewayError } from '@gateway/domain';
import { readChatRequest } from '@gateway/text-dialects';
import { aModel, aRequest, hello, read, translate } from './c2m-support.ts';

const aTool = (name: string, more = {}) => ({
  type: 'function',
  function: { name, parameters: { type: 'object', properties: {} }, ...more },
});
const told = (name: string, more = {}) => ({
  name,
  input_schema: { type: 'object', properties: {} },
  ...more,
});
const refusal = (fields: Record<string, unknown>): unknown => {
  try {
    return read(fields);
  } catch (thrown) {
    return GatewayError.is(thrown) ? [thrown.code, thrown.param] : thrown;
  }
};
const old = { model: 'claude-sonnet-4-20250514' };

describe('a chat request for a messages upstream', () => {
  it('says no more than it must', () => {
    expect(translate({}).body).toEqual({
      model: 'claude-sonnet-4-5',
      max_tokens: 64_000,
      messages: [{ role: 'user', content: [{ type: 'text', text: 'Hello' }] }],
    });
  });

  it('takes null for absent everywhere', () => {
    const fields = [
      'stream',
      'stream_options',
      'max_tokens',
      'max_completion_tokens',
      'temperature',
      'top_p',
      'stop',
      'n',
      'tools',
      'tool_choice',
      'parallel_tool_calls',
      'functions',
      'function_call',
      'response_format',
      'user',
      'safety_identifier',
      'service_tier',
      'reasoning_effort',
      'reasoning',
      'thinking',
      'enable_thinking',
      'seed',
      'logprobs',
    ];
    const { body, dropped } = translate(Object.fromEntries(fields.map((field) => [field, null])));
    expect([body, dropped]).toEqual([translate({}).body, []]);
  });

  it('names what it cannot tell', () => {
    expect(translate({ seed: 1, logprobs: false, store: false, brand_new: {} }).dropped).toEqual([
      'seed',
      'logprobs',
      'store',
      'brand_new',
    ]);
    expect(
      JSON.stringify(
        translate({
          stream: true,
          stream_options: { include_usage: true },
          response_format: { type: 'text' },
        }).body,
      ),
    ).not.toMatch(/stream_options|response_format/);
  });

  it("has a completion length always: the client's, the configuration's, the model's", () => {
    expect(translate({ max_tokens: 5, max_completion_tokens: 6 }).body['max_tokens']).toBe(6);
    expect(translate({ max_tokens: 5 }).body['max_tokens']).toBe(5);
    expect(translate({}, { maxOutputTokens: 9_000 }).body['max_tokens']).toBe(9_000);
    expect(translate({ max_tokens: 10_000 }, { maxOutputTokens: 9_000 }).body['max_tokens']).toBe(
      9_000,
    );
    expect(translate({}, { vendor: 'generic', model: 'x' }).body['max_tokens']).toBe(4_096);
  });

  it('keeps stop sequences that say something, each once', () => {
    const { body, memory } = translate({ stop: ['a', '', '\n', 'a', 'b '] });
    expect([body['stop_sequences'], memory.stops, memory.emulatedStops]).toEqual([
      ['a', 'b '],
      ['a', 'b '],
      [],
    ]);
    expect(translate({ stop: 'x' }).body['stop_sequences']).toEqual(['x']);
    expect(translate({ stop: [' '] }).body).not.toHaveProperty('stop_sequences');
  });

  it('fits the temperature to the dialect and the sampling to the model', () => {
    const wish = { temperature: 1.7, top_p: 0.9, top_k: 5 };
    expect(translate(wish, old).body).toMatchObject({ temperature: 1, top_p: 0.9, top_k: 5 });
    expect(translate(wish)).toMatchObject({
      body: { temperature: 1, top_k: 5 },
      dropped: ['top_p'],
    });
    expect(translate(wish).body).not.toHaveProperty('top_p');
    const newest = translate(wish, { model: 'claude-opus-4-7' });
    expect(newest.dropped).toEqual(['temperature', 'top_p', 'top_k']);
    expect(newest.body).not.toHaveProperty('temperature');
  });

  it("hides who the user is where the id looks like a person's", () => {
    const idOf = (user: string) => translate({ user }).body.metadata!.user_id;
    expect(idOf('u-123')).toBe('u-123');
    for (const user of ['ann@example.com', '+49 170 1234567', 'x'.repeat(257)]) {
      expect(idOf(user)).toMatch(/^[0-9a-f]{64}$/);
    }
    expect(translate({ safety_identifier: 's' }).body['metadata']).toEqual({ user_id: 's' });
  });

  it('maps the service tiers that both sides know', () => {
    expect(translate({ service_tier: 'default' }).body['service_tier']).toBe('standard_only');
    expect(translate({ service_tier: 'flex' })).toMatchObject({ dropped: ['service_tier'] });
  });

  it('remembers whether the stream is to end with its usage', () => {
    const wish = { stream_options: { include_usage: true } };
    expect(translate({ ...wish, stream: true }).memory.completion.includeUsage).toBe(true);
    expect(translate(wish).memory.completion.includeUsage).toBe(false);
  });

  it.each([
    [{ n: 2 }, 'unsupported_parameter', 'n'],
    [{ n: 0 }, 'invalid_parameter', 'n'],
    [{ max_completion_tokens: 1.5 }, 'invalid_parameter', 'max_completion_tokens'],
    [{ max_tokens: 0 }, 'invalid_parameter', 'max_tokens'],
    [{ top_p: 'x' }, 'invalid_parameter', 'top_p'],
    [{ stop: [1] }, 'invalid_parameter', 'stop[0]'],
    [{ tools: {} }, 'invalid_parameter', 'tools'],
    [{ tools: [{ type: 'function' }] }, 'invalid_parameter', 'tools[0].function.name'],
    [
      { tools: [{ type: 'web_search_20250305', name: 'web_search' }] },
      'unsupported_parameter',
      'tools[0].type',
    ],
    [{ tools: [aTool('f')], tool_choice: 'sometimes' }, 'invalid_parameter', 'tool_choice'],
    [
      { tools: [aTool('f')], tool_choice: { type: 'function', function: { name: 'g' } } },
      'invalid_parameter',
      'tool_choice',
    ],
    [{ response_format: { type: 'xml' } }, 'invalid_parameter', 'response_format.type'],
    [{ reasoning_effort: 'huge' }, 'invalid_parameter', 'reasoning_effort'],
    [{ reasoning: { effort: 'huge' } }, 'invalid_parameter', 'reasoning.effort'],
  ])('refuses %j', (fields, code, param) => {
    expect(refusal(fields)).toEqual([code, param]);
  });
});

describe('tools of a chat request', () => {
  it('are understood in each spelling', () => {
    const schema = { type: 'object', properties: { x: { type: 'string' } }, required: ['x'] };
    const fields = { name: 'f', description: 'Does f.' };
    const spellings = [
      { type: 'function', function: { ...fields, parameters: schema } },
      { type: 'function', ...fields, parameters: schema },
      { ...fields, input_schema: schema },
      { type: 'custom', ...fields, input_schema: schema },
    ];
    for (const tool of spellings) {
      expect(translate({ tools: [tool] }).body['tools']).toEqual([
        { ...fields, input_schema: schema },
      ]);
    }
    expect(translate({ functions: [{ ...fields, parameters: schema }] }).body['tools']).toEqual([
      { ...fields, input_schema: schema },
    ]);
  });

  it('always have an object schema, and no empty description', () => {
    for (const parameters of [undefined, null, {}, { properties: {} }]) {
      expect(
        translate({ tools: [aTool('f', { parameters, description: '' })] }).body['tools'],
      ).toEqual([told('f')]);
    }
    const anyOf = [
      { properties: { a: { type: 'string' } }, required: ['a', 'b'] },
      { $ref: '#/$defs/B' },
    ];
    const parameters = {
      anyOf,
      $defs: { B: { properties: { b: {}, a: { type: 'number' } }, required: ['b'] } },
    };
    expect(translate({ tools: [aTool('f', { parameters })] }).body.tools![0]!.input_schema).toEqual(
      {
        type: 'object',
        properties: { a: { anyOf: [{ type: 'string' }, { type: 'number' }] }, b: {} },
        required: ['b'],
        $defs: parameters.$defs,
      },
    );
  });

  it('keep strict where the upstream knows it and the schema allows it', () => {
    const strict = aTool('f', {
      strict: true,
      parameters: { type: 'object', properties: { n: { type: 'number', minimum: 0 } } },
    });
    expect(translate({ tools: [strict] }).body.tools![0]).toMatchObject({
      strict: true,
      input_schema: { additionalProperties: false },
    });
    expect(translate({ tools: [strict] }, old).body.tools![0]).not.toHaveProperty('strict');
    expect(
      translate({
        tools: [
          aTool('f', { strict: true, parameters: { type: 'object', additionalProperties: true } }),
        ],
      }).body.tools![0],
    ).not.toHaveProperty('strict');
  });

  it("get a name of the dialect's alphabet, everywhere, and their own name back", () => {
    const messages = [
      hello,
      {
        role: 'assistant',
        tool_calls: [{ id: 'a', type: 'function', function: { name: 'mcp.f', arguments: '' } }],
      },
      { role: 'tool', tool_call_id: 'a', content: '' },
    ];
    const { body, memory } = translate({
      messages,
      tools: [aTool('mcp.f')],
      tool_choice: { type: 'function', function: { name: 'mcp.f' } },
    });
    const name = body.tools![0]!.name;
    expect(name).toMatch(/^mcp_f_[0-9a-f]{6}$/);
    expect([
      body.tool_choice!['name'],
      body.messages[1]!.content[0]!['name'],
      memory.toolNames,
    ]).toEqual([name, name, { [name]: 'mcp.f' }]);
  });

  it('are defined anew when the conversation has calls and the request has no tools, and are not to be called', () => {
    const messages = [
      hello,
      {
        role: 'assistant',
        tool_calls: [{ id: 'a', type: 'function', function: { name: 'f', arguments: '' } }],
      },
      { role: 'tool', tool_call_id: 'a', content: '' },
    ];
    expect(translate({ messages }).body).toMatchObject({
      tools: [told('f')],
      tool_choice: { type: 'none' },
    });
  });

  it('may be custom: one text, with its grammar described', () => {
    const { body, memory } = translate({
      tools: [
        {
          type: 'custom',
          custom: {
            name: 'sql',
            description: 'Runs SQL.',
            format: { type: 'grammar', grammar: { syntax: 'lark', definition: 'start: "x"' } },
          },
        },
      ],
    });
    expect(body['tools']).toEqual([
      {
        name: 'sql',
        description: expect.stringMatching(/^Runs SQL\.[^]*lark grammar:\nstart: "x"$/),
        input_schema: {
          type: 'object',
          properties: { input: { type: 'string' } },
          required: ['input'],
        },
      },
    ]);
    expect(memory.completion.customTools).toEqual(['sql']);
  });
});

describe('the choice among tools', () => {
  const choiceOf = (fields: Record<string, unknown>, upstream = {}) =>
    translate({ tools: [aTool('f'), aTool('g')], ...fields }, upstream).body.tool_choice;

  it.each([
    ['none', { type: 'none' }],
    ['auto', { type: 'auto' }],
    ['required', { type: 'any' }],
    [
      { type: 'function', function: { name: 'g' } },
      { type: 'tool', name: 'g' },
    ],
    [
      { type: 'function', name: 'g' },
      { type: 'tool', name: 'g' },
    ],
    [
      { type: 'tool', name: 'g' },
      { type: 'tool', name: 'g' },
    ],
    [{ type: 'any' }, { type: 'any' }],
  ])('is translated: %j', (choice, expected) => {
    expect(choiceOf({ tool_choice: choice })).toEqual(expected);
  });

  it('is auto when only parallel calls are switched off, and says so only where it can', () => {
    expect(choiceOf({})).toBeUndefined();
    expect(choiceOf({ parallel_tool_calls: false })).toEqual({
      type: 'auto',
      disable_parallel_tool_use: true,
    });
    expect(choiceOf({ parallel_tool_calls: false, tool_choice: 'required' })).toEqual({
      type: 'any',
      disable_parallel_tool_use: true,
    });
    expect(choiceOf({ parallel_tool_calls: false, tool_choice: 'none' })).toEqual({ type: 'none' });
    expect(translate({ parallel_tool_calls: false, tool_choice: 'auto' }).body).not.toHaveProperty(
      'tool_choice',
    );
  });

  it('keeps the first call itself where the upstream cannot be told', () => {
    const { body, memory } = translate(
      { tools: [aTool('f')], parallel_tool_calls: false },
      { overrides: { parallel_switch: false } },
    );
    expect([body['tool_choice'], memory.singleToolCall]).toEqual([undefined, true]);
  });

  it('leaves only the allowed tools', () => {
    const allowed = (mode: string) => ({
      tool_choice: {
        type: 'allowed_tools',
        allowed_tools: { mode, tools: [{ type: 'function', function: { name: 'g' } }] },
      },
    });
    expect(
      translate({ tools: [aTool('f'), aTool('g')], ...allowed('required') }).body,
    ).toMatchObject({ tools: [told('g')], tool_choice: { type: 'any' } });
    expect(choiceOf(allowed('auto'))).toEqual({ type: 'auto' });
  });

  it('weakens to auto while the model thinks, and for models that cannot be forced', () => {
    const thinking = translate({
      tools: [aTool('f')],
      tool_choice: 'required',
      reasoning_effort: 'low',
    });
    expect([thinking.body['tool_choice'], thinking.dropped]).toEqual([
      { type: 'auto' },
      ['tool_choice'],
    ]);
    expect(choiceOf({ tool_choice: 'required' }, { model: 'claude-sonnet-5-5' })).toEqual({
      type: 'auto',
    });
  });

  it('has one call in the legacy spelling', () => {
    const { body, memory } = translate({
      functions: [{ name: 'f' }],
      function_call: { name: 'f' },
    });
    expect(body['tool_choice']).toEqual({
      type: 'tool',
      name: 'f',
      disable_parallel_tool_use: true,
    });
    expect(memory.completion.legacyFunctions).toBe(true);
  });
});

describe('hostile requests', () => {
  it('never fail with anything but a refusal', () => {
    const odd = [
      null,
      0,
      '',
      'x',
      true,
      [],
      [null],
      {},
      { type: 'x' },
      [{ type: 'function', function: { name: 'constructor' } }],
    ];
    const fields = [
      'tools',
      'functions',
      'tool_choice',
      'function_call',
      'response_format',
      'reasoning',
      'thinking',
      'stop',
      'user',
      'stream_options',
      'n',
      'top_p',
      'parallel_tool_calls',
      'service_tier',
    ];
    for (const field of fields) {
      for (const value of odd) {
        const thrown = refusalOf(() =>
          translate(aRequest({ tools: [aTool('f')], [field]: value })),
        );
        expect(thrown === undefined || GatewayError.is(thrown)).toBe(true);
      }
    }
    for (const value of odd) {
      expect(GatewayError.is(refusalOf(() => readChatRequest({ messages: value })))).toBe(true);
    }
  });
});

function refusalOf(work: () => unknown): unknown {
  try {
    work();
    return undefined;
  } catch (thrown) {
    return thrown;
  }
}

describe('model families', () => {
  it.each([
    ['claude-sonnet-4-5-20250929', 'budget', 'one', 64_000],
    ['us.anthropic.claude-opus-4-1-20250805-v1:0', 'budget', 'one', 32_000],
    ['anthropic/claude-sonnet-4.5', 'budget', 'one', 64_000],
    ['claude-opus-4-20250514', 'budget', 'all', 32_000],
    ['claude-sonnet-4@20250514', 'budget', 'all', 64_000],
    ['claude-opus-4-6', 'both', 'one', 128_000],
    ['claude-opus-4-8', 'adaptive', 'none', 0],
    ['claude-3-haiku-20240307', 'none', 'all', 4_096],
    ['claude-opus-5-20260101', 'adaptive', 'none', 0],
    ['claude-brand-new-9', 'adaptive', 'none', 0],
    ['claude-opus-4-10', 'adaptive', 'none', 0],
  ])('%s', (model, thinking, sampling, maxOutputTokens) => {
    expect(aModel(model)).toMatchObject({ thinking, sampling, maxOutputTokens });
  });

  it('yield to the operator, and vendors that lack structured output lack it for every model', () => {
    expect(aModel('claude-opus-4-8', { sampling: 'all', default_max_tokens: 9 })).toMatchObject({
      sampling: 'all',
      defaultMaxTokens: 9,
    });
    expect(
      translate({}, { vendor: 'openrouter', model: 'anthropic/claude-opus-4.8' }).body[
        'max_tokens'
      ],
    ).toBe(32_000);
  });
});
