import { describe, expect, it } from '@jest/globals';
import { readMessagesRequest } from '../../../packages/text-dialects/src/messages/read-request.ts';
import { aBody, messagesFor, translated, type Json } from './m2c-samples.ts';

const user = (...content: Json[]): Json => aBody({ messages: [{ role: 'user', content }] });
const text = (words: string): Json => ({ type: 'text', text: words });
const base64 = (media_type: string): Json => ({ type: 'base64', media_type, data: 'QUJD' });
const assistant = (...content: Json[]): Json =>
  aBody({
    messages: [
      { role: 'user', content: 'q' },
      { role: 'assistant', content },
      { role: 'user', content: 'and?' },
    ],
  });

describe('content of a messages request for a chat upstream', () => {
  it('is a plain text where it can be, parts where it must be, lines for vendors of texts only', () => {
    expect(messagesFor(user(text('a')))[0]).toEqual({ role: 'user', content: 'a' });
    expect(messagesFor(user(text('a'), text(''), text('b')))[0]).toEqual({
      role: 'user',
      content: [text('a'), text('b')],
    });
    expect(messagesFor(user(text('a'), text('b')), { vendor: 'deepseek' })[0]).toEqual({
      role: 'user',
      content: 'a\nb',
    });
  });

  it('shows pictures by data and by address', () => {
    expect(
      messagesFor(
        user(
          { type: 'image', source: base64('image/png') },
          { type: 'image', source: { type: 'url', url: 'https://a.example/b.png' } },
        ),
      )[0],
    ).toEqual({
      role: 'user',
      content: [
        { type: 'image_url', image_url: { url: 'data:image/png;base64,QUJD' } },
        { type: 'image_url', image_url: { url: 'https://a.example/b.png' } },
      ],
    });
  });

  it('shows PDFs where files are taken, and texts everywhere', () => {
    const pdf = { type: 'document', source: base64('application/pdf'), title: 'a.pdf' };
    const plain = {
      type: 'document',
      source: { type: 'text', media_type: 'text/plain', data: 'body' },
      title: 'T',
      context: 'C',
    };
    const blocks = {
      type: 'document',
      source: { type: 'content', content: [text('x'), text('y')] },
    };

    expect(messagesFor(user(pdf))[0]).toEqual({
      role: 'user',
      content: [
        {
          type: 'file',
          file: { filename: 'a.pdf', file_data: 'data:application/pdf;base64,QUJD' },
        },
      ],
    });
    expect(messagesFor(user(plain, blocks))[0]).toEqual({
      role: 'user',
      content: [text('T\nC\nbody'), text('x\ny')],
    });
  });

  it('shows search results as text', () => {
    expect(
      messagesFor(
        user({
          type: 'search_result',
          title: 'T',
          source: 'https://a.example',
          content: [text('x')],
        }),
      )[0],
    ).toMatchObject({ content: 'T\nhttps://a.example\nx' });
  });

  it("joins an assistant's texts without a gap and folds the originator's own tools into them", () => {
    const blocks = [
      text('a'),
      text('b'),
      { type: 'server_tool_use', id: 'srvtoolu_1', name: 'web_search', input: { query: 'q' } },
      {
        type: 'web_search_tool_result',
        tool_use_id: 'srvtoolu_1',
        content: [
          {
            type: 'web_search_result',
            title: 'T',
            url: 'https://a.example',
            encrypted_content: 'zzz',
          },
        ],
      },
    ];

    expect(messagesFor(assistant(...blocks))[1]).toEqual({
      role: 'assistant',
      content: 'ab[web_search] {"query":"q"}[web_search result]\nT https://a.example',
    });
  });

  it('leaves out turns without content and merges their neighbours', () => {
    const messages = [
      { role: 'user', content: 'a' },
      { role: 'assistant', content: [] },
      { role: 'user', content: 'b' },
      { role: 'assistant', content: 'c' },
    ];

    expect(messagesFor(aBody({ messages })).map(({ role }) => role)).toEqual(['user', 'assistant']);
  });

  it('keeps an instruction in the middle where it stands, marked for vendors that know none', () => {
    const body = aBody({
      messages: [
        { role: 'system', content: 'first' },
        { role: 'user', content: 'a' },
        { role: 'system', content: 'S' },
        { role: 'user', content: 'b' },
      ],
    });

    expect(messagesFor(body).map(({ role, content }) => [role, content])).toEqual([
      ['system', 'first'],
      ['user', 'a'],
      ['system', 'S'],
      ['user', 'b'],
    ]);
    expect(messagesFor(body, { vendor: 'mistral' })).toEqual([
      { role: 'system', content: 'first' },
      { role: 'user', content: 'a\n\n<system>\nS\n</system>\n\nb' },
    ]);
  });

  it('gives thoughts back to vendors that want them, without signatures, and to no other', () => {
    const body = assistant(
      { type: 'thinking', thinking: 'hm', signature: 'EqQB' },
      { type: 'redacted_thinking', data: 'zz' },
      text('a'),
    );

    expect(messagesFor(body, { vendor: 'deepseek' })[1]).toEqual({
      role: 'assistant',
      content: 'a',
      reasoning_content: 'hm',
    });
    expect(messagesFor(body)[1]).toEqual({ role: 'assistant', content: 'a' });
    expect(JSON.stringify(messagesFor(body, { vendor: 'openrouter' }))).not.toMatch(/EqQB|zz/);
  });

  it('gives a router its own signature back', () => {
    expect(
      messagesFor(
        assistant({ type: 'thinking', thinking: 'hm', signature: 'gw1s.SIG' }, text('a')),
        { vendor: 'openrouter' },
      )[1],
    ).toMatchObject({
      reasoning: 'hm',
      reasoning_details: [{ type: 'reasoning.text', text: 'hm', signature: 'SIG', index: 0 }],
    });
  });

  it.each<[string, Json, string]>([
    ['vllm', { continue_final_message: true, add_generation_prompt: false }, ''],
    ['openai', {}, '{"a":'],
  ])('continues a beginning of the completion as %s does', (vendor, fields, prefill) => {
    const { body, memory } = translated(
      aBody({
        messages: [
          { role: 'user', content: 'q' },
          { role: 'assistant', content: '{"a":' },
        ],
      }),
      { vendor },
    );

    expect(body).toMatchObject(fields);
    expect((body['messages'] as Json[]).at(-1)).toEqual({ role: 'assistant', content: '{"a":' });
    expect(memory.prefill).toBe(prefill);
  });

  it.each([
    ['deepseek', 'prefix'],
    ['mistral', 'prefix'],
    ['kimi', 'partial'],
  ])('marks a beginning of the completion for %s', (vendor, word) => {
    expect(
      messagesFor(
        aBody({
          messages: [
            { role: 'user', content: 'q' },
            { role: 'assistant', content: 'a' },
          ],
        }),
        { vendor },
      ).at(-1),
    ).toMatchObject({ [word]: true });
  });

  it('is not upset by blocks named like properties of every object', () => {
    expect(
      readMessagesRequest(user({ type: 'constructor' }, { type: 'toString' }, text('a'))).request
        .turns,
    ).toEqual([{ role: 'user', parts: [text('a')] }]);
  });
});

describe('thinking of a messages request for a chat upstream', () => {
  it.each<[string, string, string, Json, Json]>([
    ['absent is left alone at OpenAI', 'openai', 'gpt-5', {}, {}],
    [
      'absent means off where the vendor thinks by default',
      'glm',
      'glm-5',
      {},
      { thinking: { type: 'disabled' } },
    ],
    ['absent means off for Qwen', 'qwen', 'qwen3-32b', {}, { enable_thinking: false }],
    [
      'adaptive is never told to a model that cannot think',
      'openai',
      'gpt-4o',
      { thinking: { type: 'adaptive' } },
      {},
    ],
    [
      'adaptive without a word leaves the effort to the model',
      'openai',
      'gpt-5',
      { thinking: { type: 'adaptive' } },
      {},
    ],
    [
      'an effort is told in its word',
      'openai',
      'gpt-5.2',
      { thinking: { type: 'adaptive' }, output_config: { effort: 'xhigh' } },
      { reasoning_effort: 'xhigh' },
    ],
    [
      'an effort too high becomes the highest',
      'openai',
      'gpt-5',
      { thinking: { type: 'adaptive' }, output_config: { effort: 'max' } },
      { reasoning_effort: 'high' },
    ],
    [
      'an effort without thinking is told as well',
      'openai',
      'gpt-5',
      { output_config: { effort: 'low' } },
      { reasoning_effort: 'low' },
    ],
    [
      'a small budget is low',
      'openai',
      'o3',
      { thinking: { type: 'enabled', budget_tokens: 1_024 } },
      { reasoning_effort: 'low' },
    ],
    [
      'a middling budget is medium',
      'openai',
      'o3',
      { thinking: { type: 'enabled', budget_tokens: 8_000 } },
      { reasoning_effort: 'medium' },
    ],
    [
      'a large budget is high',
      'openai',
      'o3',
      { thinking: { type: 'enabled', budget_tokens: 32_000 } },
      { reasoning_effort: 'high' },
    ],
    [
      'disabled is none from 5.1 on',
      'openai',
      'gpt-5.1',
      { thinking: { type: 'disabled' } },
      { reasoning_effort: 'none' },
    ],
    [
      'disabled is minimal for gpt-5',
      'openai',
      'gpt-5-mini',
      { thinking: { type: 'disabled' } },
      { reasoning_effort: 'minimal' },
    ],
    [
      'a switch is turned on',
      'deepseek',
      'deepseek-v4',
      { thinking: { type: 'enabled', budget_tokens: 2_000 } },
      { thinking: { type: 'enabled' } },
    ],
    [
      'a budget is told to Qwen, in a stream',
      'qwen',
      'qwen3-32b',
      { stream: true, thinking: { type: 'enabled', budget_tokens: 2_000 } },
      { enable_thinking: true, thinking_budget: 2_000 },
    ],
    [
      'Qwen does not think without a stream',
      'qwen',
      'qwen3-32b',
      { thinking: { type: 'enabled', budget_tokens: 2_000 } },
      { enable_thinking: false },
    ],
    [
      'OpenRouter gets the budget',
      'openrouter',
      'x/y',
      { thinking: { type: 'enabled', budget_tokens: 2_000 } },
      { reasoning: { max_tokens: 2_000 } },
    ],
    [
      'OpenRouter gets the effort',
      'openrouter',
      'x/y',
      { thinking: { type: 'adaptive' }, output_config: { effort: 'max' } },
      { reasoning: { effort: 'high' } },
    ],
    [
      'vLLM gets a switch of its template',
      'vllm',
      'x',
      { thinking: { type: 'disabled' } },
      { chat_template_kwargs: { enable_thinking: false } },
    ],
    [
      'tools come before thoughts where both are refused',
      'openai',
      'gpt-5.6',
      {
        thinking: { type: 'adaptive' },
        output_config: { effort: 'high' },
        tools: [{ name: 'f', input_schema: {} }],
      },
      { reasoning_effort: 'none' },
    ],
  ])('%s', (_case, vendor, model, fields, told) => {
    const { body } = translated(aBody(fields), { vendor, model });
    const words = [
      'reasoning_effort',
      'thinking',
      'enable_thinking',
      'thinking_budget',
      'reasoning',
      'chat_template_kwargs',
    ];

    expect(Object.fromEntries(Object.entries(body).filter(([key]) => words.includes(key)))).toEqual(
      told,
    );
  });
});
