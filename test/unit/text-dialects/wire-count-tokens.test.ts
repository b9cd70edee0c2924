import { describe, expect, it } from '@jest/globals';
import { countTokensLocally } from '@gateway/text-dialects';

const user = (content: unknown) => ({ model: 'm', messages: [{ role: 'user', content }] });
const prose = 'The quick brown fox jumps over the lazy dog and runs away. '.repeat(100);

describe('counting tokens without the upstream', () => {
  it('errs on the high side of four characters a token, by less than half', () => {
    const fair = prose.length / 4;

    expect(countTokensLocally(user(prose))).toBeGreaterThan(fair);
    expect(countTokensLocally(user(prose))).toBeLessThan(fair * 1.5);
  });

  it('counts system and tools', () => {
    const plain = countTokensLocally(user('hi'));

    expect(countTokensLocally({ ...user('hi'), system: prose })).toBeGreaterThan(plain + 1_000);
    expect(
      countTokensLocally({
        ...user('hi'),
        tools: [{ name: 't', description: prose, input_schema: { type: 'object' } }],
      }),
    ).toBeGreaterThan(plain + 1_000);
  });

  it('counts a prompt in full beside a field of the other operation', () => {
    const prompt = user(prose);

    for (const input of ['', [], 0]) {
      expect(countTokensLocally({ ...prompt, input })).toBeGreaterThanOrEqual(
        countTokensLocally(prompt),
      );
    }
    expect(countTokensLocally({ ...user('hi'), input: prose })).toBeGreaterThan(prose.length / 4);
  });

  it('counts the texts to embed, and each token that the client made itself', () => {
    expect(countTokensLocally({ model: 'm', input: [prose, prose] })).toBeGreaterThan(
      prose.length / 2,
    );
    expect(countTokensLocally({ model: 'm', input: [[1, 2, 3], [4]] })).toBe(4);
  });

  it.each([
    ['a text', { input: prose }],
    ['a message', { input: [{ role: 'user', content: prose }] }],
    ['instructions', { input: 'hi', instructions: prose }],
    ['a result', { input: [{ type: 'function_call_output', call_id: 'c', output: prose }] }],
    ['a call', { input: [{ type: 'function_call', call_id: 'c', name: 'f', arguments: prose }] }],
    ['thoughts', { input: [{ type: 'reasoning', summary: [{ text: prose }] }] }],
    ['a tool', { input: 'hi', tools: [{ type: 'function', name: 'f', description: prose }] }],
    [
      'a schema',
      { input: 'hi', text: { format: { type: 'json_schema', schema: { title: prose } } } },
    ],
    ['what nobody could be shown', { input: [{ type: 'web_search_call', action: prose }] }],
    ['what is beside the texts to embed', { input: ['hi'], instructions: prose }],
  ])('counts every part of a request of the responses format: %s', (_part, fields) => {
    const tokens = countTokensLocally({ model: 'm', ...fields });

    expect(tokens).toBeGreaterThan(prose.length / 4);
    expect(tokens).toBeLessThan(prose.length / 2);
  });

  it('counts a picture by what it costs, not by its bytes', () => {
    const picture = {
      type: 'image',
      source: { type: 'base64', media_type: 'image/png', data: 'A'.repeat(2_000_000) },
    };

    expect(countTokensLocally(user([picture]))).toBeGreaterThan(1_000);
    expect(countTokensLocally(user([picture]))).toBeLessThan(3_000);
  });

  it.each<[string, Record<string, unknown>]>([
    [
      'thoughts and server tools',
      {
        model: 'm',
        thinking: { type: 'adaptive' },
        tools: [{ type: 'web_search_20250305', name: 'web_search' }],
        messages: [
          { role: 'user', content: 'hi' },
          {
            role: 'assistant',
            content: [
              { type: 'thinking', thinking: 'hm', signature: 's' },
              { type: 'redacted_thinking', data: 'x' },
              { type: 'server_tool_use', id: 'srvtoolu_1', name: 'web_search', input: {} },
              { type: 'web_search_tool_result', tool_use_id: 'srvtoolu_1', content: [] },
            ],
          },
        ],
      },
    ],
    [
      'a block that no translation could carry',
      user([
        { type: 'image', source: { type: 'file', file_id: 'f' } },
        { type: 'brand_new', data: 'A'.repeat(2_000_000) },
      ]),
    ],
    ['no messages at all', { model: 'm' }],
  ])('responds to %s', (_name, body) => {
    expect(countTokensLocally(body)).toBeGreaterThan(0);
    expect(countTokensLocally(body)).toBeLessThan(3_000);
  });
});
