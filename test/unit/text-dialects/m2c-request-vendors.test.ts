import { describe, expect, it } from '@jest/globals';
import { aBody, messagesFor, quirksOf, translated, type Json } from './m2c-samples.ts';

describe('an instruction in the middle of the conversation', () => {
  const body = aBody({
    messages: [
      { role: 'user', content: 'q' },
      { role: 'system', content: 'Be quick.' },
      { role: 'assistant', content: 'a' },
      { role: 'user', content: [{ type: 'text', text: 'and?' }] },
    ],
  });
  const wrapped = { role: 'user', content: 'q\n\n<system>\nBe quick.\n</system>' };

  it.each(['generic', 'vllm', 'sglang', 'llamacpp', 'ollama', 'qwen', 'openrouter', 'mistral'])(
    'joins the user’s words where a template takes one at the beginning only: %s',
    (vendor) => {
      expect(messagesFor(body, { vendor }).slice(0, 3)).toEqual([
        wrapped,
        { role: 'assistant', content: 'a' },
        { role: 'user', content: 'and?' },
      ]);
    },
  );

  it.each(['openai', 'azure'])('stays where it is at %s', (vendor) => {
    expect(messagesFor(body, { vendor })[1]).toEqual({ role: 'system', content: 'Be quick.' });
  });

  it('leaves turns of the user apart that had none between them', () => {
    const twice = aBody({ messages: [{ role: 'user', content: 'a' }] });

    expect(messagesFor(twice, { vendor: 'vllm' })).toEqual([{ role: 'user', content: 'a' }]);
  });
});

describe('a document that the upstream cannot be shown', () => {
  const pdf: Json = {
    type: 'document',
    title: 'a.pdf',
    source: { type: 'base64', media_type: 'application/pdf', data: 'QUJD' },
  };
  const byUrl: Json = { type: 'document', source: { type: 'url', url: 'https://a.example/b.pdf' } };
  const shown = (...content: Json[]): Json => aBody({ messages: [{ role: 'user', content }] });
  const result = aBody({
    messages: [
      { role: 'user', content: 'read it' },
      { role: 'assistant', content: [{ type: 'tool_use', id: 't1', name: 'read', input: {} }] },
      {
        role: 'user',
        content: [{ type: 'tool_result', tool_use_id: 't1', content: [pdf] }],
      },
    ],
  });

  it.each(['kimi', 'deepseek', 'vllm', 'generic'])('is told in words, and named: %s', (vendor) => {
    const { body, dropped } = translated(shown(pdf), { vendor });

    expect(JSON.stringify(body['messages'])).toMatch(/document \(a\.pdf\) cannot be shown/);
    expect(JSON.stringify(body['messages'])).not.toContain('QUJD');
    expect(dropped).toEqual(['messages.document']);
  });

  it('is told in the result of a tool where it stood', () => {
    const { body, dropped } = translated(result, { vendor: 'deepseek' });

    expect((body['messages'] as Json[]).slice(2)).toEqual([
      { role: 'tool', tool_call_id: 't1', content: expect.stringMatching(/cannot be shown/) },
    ]);
    expect(dropped).toEqual(['messages.document']);
  });

  it.each<[string, Json, readonly string[]]>([
    ['openai', pdf, []],
    ['openai', byUrl, ['messages.document']],
    ['openrouter', byUrl, []],
  ])('depends on its source at %s', (vendor, document, lost) => {
    expect(translated(shown(document), { vendor }).dropped).toEqual(lost);
  });
});

describe('a history without thoughts for an upstream that insists on them', () => {
  const use = { type: 'tool_use', id: 't1', name: 'f', input: {} };
  const history = (assistant: readonly Json[], extra: Json = {}): Json =>
    aBody({
      messages: [
        { role: 'user', content: 'q' },
        { role: 'assistant', content: assistant },
        { role: 'user', content: [{ type: 'tool_result', tool_use_id: 't1', content: 'ok' }] },
      ],
      tools: [{ name: 'f', input_schema: { type: 'object' } }],
      ...extra,
    });
  const on = { thinking: { type: 'adaptive' } };
  const thoughtsOf = (body: Json, vendor: string, model = 'some-model') =>
    messagesFor(body, { vendor, model })[1]?.['reasoning_content'];

  it.each([
    ['kimi', 'kimi-k2.5', on],
    ['deepseek', 'deepseek-v4-pro', on],
    ['deepseek', 'deepseek-reasoner', {}],
    ['kimi', 'kimi-k2-thinking', {}],
  ])('has a placeholder while the model thinks: %s %s', (vendor, model, extra) => {
    expect(thoughtsOf(history([use], extra), vendor, model)).toBe('.');
  });

  it.each([
    ['kimi', 'kimi-k2.5', {}],
    ['deepseek', 'deepseek-v4-pro', { thinking: { type: 'disabled' } }],
    ['glm', 'glm-5', on],
    ['openai', 'gpt-5', on],
  ])('has none while it does not, and elsewhere: %s %s', (vendor, model, extra) => {
    expect(thoughtsOf(history([use], extra), vendor, model)).toBeUndefined();
  });

  it('keeps the thoughts that there are', () => {
    const thought = { type: 'thinking', thinking: 'Hm', signature: 'gw1.1234' };

    expect(thoughtsOf(history([thought, use], on), 'kimi')).toBe('Hm');
  });

  it('adds nothing to words that the model is to go on from', () => {
    const prefilled = aBody({
      messages: [
        { role: 'user', content: 'q' },
        { role: 'assistant', content: 'So' },
      ],
      ...on,
    });

    expect(thoughtsOf(prefilled, 'deepseek')).toBeUndefined();
  });
});

describe('a choice of tools', () => {
  const asked = (choice: Json): Json =>
    aBody({ tools: [{ name: 'f', input_schema: { type: 'object' } }], tool_choice: choice });

  it.each([
    ['deepseek', 'deepseek-reasoner'],
    ['qwen', 'qwen3-max-thinking'],
    ['qwen', 'qwq-32b'],
    ['kimi', 'kimi-k2-thinking'],
  ])('is not forced on a model that always thinks, and is named: %s %s', (vendor, model) => {
    for (const choice of [{ type: 'any' }, { type: 'tool', name: 'f' }]) {
      const { body, dropped } = translated(asked(choice), { vendor, model });

      expect([body['tool_choice'], dropped]).toEqual(['auto', ['tool_choice']]);
    }
  });

  it.each([
    ['deepseek', 'deepseek-chat'],
    ['kimi', 'kimi-k2-0905-preview'],
    ['vllm', 'qwen3-thinking'],
  ])('is forced on others: %s %s', (vendor, model) => {
    const { body, dropped } = translated(asked({ type: 'any' }), { vendor, model });

    expect([body['tool_choice'], dropped]).toEqual(['required', []]);
  });

  it.each(['ollama', 'glm'])('of none leaves them out where it cannot be told: %s', (vendor) => {
    const { body, dropped } = translated(asked({ type: 'none' }), { vendor });

    expect([body['tools'], body['tool_choice'], dropped]).toEqual([undefined, undefined, []]);
    expect(quirksOf(vendor).toolChoice).not.toBe('all');
  });
});
