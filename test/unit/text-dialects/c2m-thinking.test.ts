import { describe, expect, it } from '@jest/globals';
import { createAjv } from '@gateway/contracts';
import {
  messagesQuirksOf,
  messagesQuirksSchema,
  messagesVendorNames,
} from '@gateway/text-dialects';
import { aModel, hello, translate } from './c2m-support.ts';

const budgets = { model: 'claude-sonnet-4-5' };
const adaptive = { model: 'claude-opus-4-7' };
const both = { model: 'claude-opus-4-6' };
const thinkingOf = (fields: Record<string, unknown>, upstream = {}) => {
  const { body } = translate({ max_tokens: 1_000, ...fields }, upstream);
  return [body['thinking'], body['output_config'], body['max_tokens']];
};

describe('a wish for reasoning towards a messages upstream', () => {
  it.each([
    ['minimal', 1_024],
    ['low', 4_096],
    ['medium', 8_192],
    ['high', 16_384],
    ['xhigh', 32_000],
    ['max', 32_000],
  ])('is a budget beside the asked length: %s', (effort, budget) => {
    expect(thinkingOf({ reasoning_effort: effort }, budgets)).toEqual([
      { type: 'enabled', budget_tokens: budget },
      undefined,
      1_000 + budget,
    ]);
  });

  it.each([
    ['minimal', 'low'],
    ['low', 'low'],
    ['high', 'high'],
    ['xhigh', 'xhigh'],
    ['max', 'xhigh'],
  ])('is an effort that the model knows: %s as %s', (effort, known) => {
    expect(thinkingOf({ reasoning_effort: effort }, adaptive)).toEqual([
      { type: 'adaptive' },
      { effort: known },
      1_000,
    ]);
  });

  it.each([
    [{ reasoning_effort: 'low' }],
    [{ reasoning: { effort: 'low' } }],
    [{ reasoning: { max_tokens: 2_000 } }],
    [{ thinking: { type: 'enabled', budget_tokens: 2_000 } }],
    [{ enable_thinking: true, thinking_budget: 2_000 }],
    [{ thinking: { type: 'adaptive' }, output_config: { effort: 'low' } }],
  ])('is understood in each spelling: %j', (fields) => {
    expect(thinkingOf(fields, adaptive).slice(0, 2)).toEqual([
      { type: 'adaptive' },
      { effort: 'low' },
    ]);
  });

  it.each([
    [{ reasoning_effort: 'none' }],
    [{ reasoning: { enabled: false } }],
    [{ thinking: { type: 'disabled' } }],
    [{ enable_thinking: false }],
  ])('is switched off: %j', (fields) => {
    expect(thinkingOf(fields, budgets)).toEqual([{ type: 'disabled' }, undefined, 1_000]);
    const refused = translate(fields, adaptive);
    expect([refused.body['thinking'], refused.dropped]).toEqual([undefined, Object.keys(fields)]);
  });

  it('is nothing when nothing was said, and for models that do not think', () => {
    expect(thinkingOf({}, adaptive)).toEqual([undefined, undefined, 1_000]);
    expect(
      translate({ reasoning_effort: 'high' }, { model: 'claude-3-5-sonnet-20241022' }),
    ).toMatchObject({ dropped: ['reasoning_effort'] });
  });

  it('goes by the number on models that know both, and by the word otherwise', () => {
    expect(thinkingOf({ thinking: { type: 'enabled', budget_tokens: 3_000 } }, both)).toEqual([
      { type: 'enabled', budget_tokens: 3_000 },
      undefined,
      4_000,
    ]);
    expect(thinkingOf({ reasoning_effort: 'high' }, both)).toEqual([
      { type: 'adaptive' },
      { effort: 'high' },
      1_000,
    ]);
  });

  it("gives way to the model's limit, and ends where too little is left", () => {
    expect(
      thinkingOf({ reasoning_effort: 'high' }, { ...budgets, maxOutputTokens: 8_000 }),
    ).toEqual([{ type: 'enabled', budget_tokens: 7_000 }, undefined, 8_000]);
    expect(
      thinkingOf({ reasoning_effort: 'high' }, { ...budgets, maxOutputTokens: 1_200 }),
    ).toEqual([undefined, undefined, 1_000]);
    expect(thinkingOf({ reasoning_effort: 'high', max_tokens: 64_000 }, budgets)).toEqual([
      { type: 'enabled', budget_tokens: 16_384 },
      undefined,
      64_000,
    ]);
  });

  it('leaves both numbers alone when the client gave both and they fit', () => {
    expect(
      thinkingOf(
        { thinking: { type: 'enabled', budget_tokens: 2_000 }, max_tokens: 5_000 },
        budgets,
      ),
    ).toEqual([{ type: 'enabled', budget_tokens: 2_000 }, undefined, 5_000]);
  });

  it('takes the sampling along', () => {
    expect(
      translate({ reasoning_effort: 'low', temperature: 0.5, top_p: 0.5 }, budgets),
    ).toMatchObject({ dropped: ['temperature', 'top_p'] });
    expect(
      translate({ reasoning_effort: 'low', temperature: 0.5 }, budgets).body,
    ).not.toHaveProperty('temperature');
  });

  describe('while the completion of a tool is on its way back', () => {
    const calling = {
      role: 'assistant',
      content: null,
      tool_calls: [{ id: 'a', type: 'function', function: { name: 'f', arguments: '' } }],
    };
    const back = { role: 'tool', tool_call_id: 'a', content: '1' };

    it('is dropped without the signed thoughts that budget models insist on', () => {
      const { body, dropped } = translate(
        { messages: [hello, calling, back], reasoning_effort: 'low' },
        budgets,
      );
      expect([body['thinking'], dropped]).toEqual([undefined, ['reasoning_effort']]);
    });

    it('stays with them, on newer models, and for vendors without signatures', () => {
      const signed = {
        ...calling,
        thinking_blocks: [{ type: 'thinking', thinking: 'Hm', signature: 'sig' }],
      };
      expect(
        translate({ messages: [hello, signed, back], reasoning_effort: 'low' }, budgets).body[
          'thinking'
        ],
      ).toMatchObject({ type: 'enabled' });
      for (const upstream of [adaptive, both]) {
        expect(
          translate({ messages: [hello, calling, back], reasoning_effort: 'low' }, upstream).body[
            'thinking'
          ],
        ).toEqual({ type: 'adaptive' });
      }
      expect(
        translate(
          { messages: [hello, calling, back], reasoning_effort: 'low' },
          { vendor: 'deepseek', model: 'deepseek-chat' },
        ).body['thinking'],
      ).toMatchObject({ type: 'enabled' });
    });
  });
});

describe('the form of the completion towards a messages upstream', () => {
  const schema = {
    type: 'object',
    required: ['n', 'kind'],
    $schema: 'x',
    properties: {
      n: { type: 'integer', minimum: 0, description: 'How many.' },
      kind: { oneOf: [{ type: 'string', format: 'color' }, { type: 'null' }] },
      list: {
        type: 'array',
        minItems: 2,
        items: { type: 'object', properties: { a: { type: 'string', pattern: '^a' } } },
      },
    },
  };
  const format = (wanted: unknown) => ({
    response_format: {
      type: 'json_schema',
      json_schema: { name: 'thing', schema: wanted, strict: true },
    },
  });
  const native = { model: 'claude-sonnet-4-5' };
  const byTool = { model: 'claude-opus-4-1' };

  it("is the vendor's own where the model has it, with a schema it takes", () => {
    const { body, memory } = translate(format(schema), native);
    expect(body['output_config']).toEqual({
      format: {
        type: 'json_schema',
        schema: {
          type: 'object',
          required: ['n', 'kind'],
          additionalProperties: false,
          properties: {
            n: { type: 'integer', description: 'How many. minimum: 0.' },
            kind: {
              anyOf: [{ type: 'string', description: 'format: "color".' }, { type: 'null' }],
            },
            list: {
              type: 'array',
              description: 'minItems: 2.',
              items: {
                type: 'object',
                properties: { a: { type: 'string', pattern: '^a' } },
                additionalProperties: false,
              },
            },
          },
        },
      },
    });
    expect(memory).toMatchObject({ structuredTool: null, unwrapValue: false });
    expect(body).not.toHaveProperty('tools');
  });

  it('is a forced tool elsewhere, under a name that is free', () => {
    const { body, memory } = translate(format(schema), byTool);
    expect(body).toMatchObject({
      tools: [{ name: 'json', input_schema: { type: 'object', required: ['n', 'kind'] } }],
      tool_choice: { type: 'tool', name: 'json', disable_parallel_tool_use: true },
    });
    expect(memory.structuredTool).toBe('json');
    const withTools = translate(
      { ...format(schema), tools: [{ type: 'function', function: { name: 'json' } }] },
      byTool,
    );
    expect(withTools.body).toMatchObject({
      tools: [{ name: 'json' }, { name: 'json_answer' }],
      tool_choice: { type: 'any' },
    });
  });

  it('waits for a turn in which no tool has to be called', () => {
    const { body, memory } = translate(
      {
        ...format(schema),
        tools: [{ type: 'function', function: { name: 'f' } }],
        tool_choice: 'required',
      },
      byTool,
    );
    expect([body.tools!.length, body['tool_choice'], memory.structuredTool]).toEqual([
      1,
      { type: 'any' },
      null,
    ]);
  });

  it('is asked for in words where a tool cannot be forced', () => {
    for (const upstream of [{ vendor: 'glm', model: 'glm-4.6' }, byTool]) {
      const { body, memory } = translate({ ...format(schema), reasoning_effort: 'low' }, upstream);
      expect(body.system!.at(-1)!.text).toContain(JSON.stringify(schema));
      expect(memory).toMatchObject({ structuredTool: null, jsonText: true });
    }
  });

  it('is asked for in words when any JSON object will do', () => {
    const { body, memory } = translate(
      {
        response_format: { type: 'json_object' },
        messages: [{ role: 'system', content: 'A' }, hello],
      },
      native,
    );
    expect(body['system']).toEqual([
      { type: 'text', text: 'A' },
      { type: 'text', text: expect.stringContaining('one JSON object') },
    ]);
    expect(memory.jsonText).toBe(true);
  });

  it('is wrapped when it is no object, with its definitions and references', () => {
    const list = { type: 'array', items: { $ref: '#/$defs/A' }, $defs: { A: { type: 'string' } } };
    const { body, memory } = translate(format(list), native);
    expect(body.output_config!.format!.schema).toEqual({
      type: 'object',
      required: ['value'],
      additionalProperties: false,
      properties: { value: { type: 'array', items: { $ref: '#/$defs/A' } } },
      $defs: { A: { type: 'string' } },
    });
    expect(memory.unwrapValue).toBe(true);
    expect(
      translate(
        format({ anyOf: [{ type: 'null' }, { type: 'array', items: { $ref: '#' } }] }),
        byTool,
      ).body.tools![0]!.input_schema,
    ).toHaveProperty('properties.value.anyOf.1.items', { $ref: '#/properties/value' });
  });

  it('is a tool when closing its objects would change it: recursion, and objects with any names', () => {
    const tree = {
      type: 'object',
      properties: { children: { type: 'array', items: { $ref: '#' } } },
    };
    const map = {
      type: 'object',
      properties: { scores: { type: 'object', additionalProperties: { type: 'number' } } },
    };
    for (const wanted of [tree, map]) {
      expect(translate(format(wanted), native).memory.structuredTool).toBe('json');
    }
  });
});

describe("overrides of a messages upstream's quirks", () => {
  const validate = createAjv().compile(messagesQuirksSchema);
  const snake = (name: string) => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

  it('have a schema that takes each quirk of each preset, and nothing else', () => {
    for (const vendor of messagesVendorNames) {
      const preset = messagesQuirksOf({ vendor, model: 'x' });
      const overrides = Object.fromEntries(
        Object.entries(preset).map(([name, value]) => [snake(name), value]),
      );
      expect([vendor, validate(overrides)]).toEqual([vendor, true]);
      expect(
        messagesQuirksOf({ vendor: 'anthropic', model: 'claude-opus-4-7', overrides }),
      ).toEqual(preset);
    }
    expect([validate({}), validate({ thinking: 'much' }), validate({ imageUrls: true })]).toEqual([
      true,
      false,
      false,
    ]);
  });

  it('start from generic for a vendor that is not known', () => {
    expect(messagesQuirksOf({ vendor: 'constructor', model: 'x' })).toEqual(
      messagesQuirksOf({ vendor: 'generic', model: 'x' }),
    );
    expect(aModel('claude-opus-4-7').forcedToolChoice).toBe('without_thinking');
  });
});
