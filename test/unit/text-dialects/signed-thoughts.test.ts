import { describe, expect, it } from '@jest/globals';
import {
  createStreamTranslator,
  translateCompletion,
  translateRequest,
} from '@gateway/text-dialects';
import { aMemory, anIdentity, type Json } from './m2c-samples.ts';

const claude = {
  dialect: 'messages',
  vendor: 'anthropic',
  model: 'claude-sonnet-4-5',
  overrides: {},
} as const;
const translation = {
  client: 'chat',
  upstream: 'messages',
  memory: aMemory(),
  identity: anIdentity(),
} as const;

const use = { type: 'tool_use', id: 'toolu_1', name: 'f', input: {} };
const content = [
  { type: 'thinking', thinking: 'First this', signature: 'sig-1' },
  { type: 'redacted_thinking', data: 'hidden' },
  { type: 'thinking', thinking: 'then that', signature: 'sig-2' },
  use,
];
const details = [
  {
    type: 'reasoning.text',
    text: 'First this',
    signature: 'sig-1',
    format: 'anthropic-claude-v1',
    index: 0,
  },
  { type: 'reasoning.encrypted', data: 'hidden', format: 'anthropic-claude-v1', index: 1 },
  {
    type: 'reasoning.text',
    text: 'then that',
    signature: 'sig-2',
    format: 'anthropic-claude-v1',
    index: 2,
  },
];
const blocks = content.slice(0, 3);

const aMessage = (of: readonly object[]) => ({
  id: 'msg_1',
  type: 'message',
  role: 'assistant',
  content: of,
  stop_reason: 'tool_use',
  usage: { input_tokens: 1, output_tokens: 1 },
});

const wholeMessage = (of: readonly object[]): Json => {
  const { body } = translateCompletion({
    ...translation,
    body: Buffer.from(JSON.stringify(aMessage(of))),
  });
  return (JSON.parse(body) as { choices: { message: Json }[] }).choices[0]!.message;
};

const event = (type: string, fields: object): string =>
  `event: ${type}\ndata: ${JSON.stringify({ type, ...fields })}\n\n`;
const started = event('message_start', { message: { ...aMessage([]), stop_reason: null } });
const ended =
  event('message_delta', { delta: { stop_reason: 'tool_use' }, usage: { output_tokens: 1 } }) +
  event('message_stop', {});

/** Thoughts in two pieces each. */
const stream = [
  started,
  ...content.flatMap((block, index) => {
    const { thinking, signature } = block as { thinking?: string; signature?: string };
    const delta = (fields: object): string =>
      event('content_block_delta', { index, delta: fields });
    const deltas =
      thinking === undefined || signature === undefined
        ? []
        : [
            delta({ type: 'thinking_delta', thinking: thinking.slice(0, 5) }),
            delta({ type: 'thinking_delta', thinking: thinking.slice(5) }),
            delta({ type: 'signature_delta', signature }),
          ];
    return [
      event('content_block_start', {
        index,
        content_block:
          thinking === undefined ? block : { type: 'thinking', thinking: '', signature: '' },
      }),
      ...deltas,
      event('content_block_stop', { index }),
    ];
  }),
  ended,
].join('');

function deltasOf(text: string): Json[] {
  const translator = createStreamTranslator(translation);
  const out = translator.push(Buffer.from(text)) + translator.end();
  return [...out.matchAll(/^data: (\{.*\})$/gm)].flatMap(([, json]) =>
    (JSON.parse(json ?? '') as { choices: { delta: Json }[] }).choices.map(({ delta }) => delta),
  );
}

/** As the official Python client puts the deltas of a stream together. */
function addedUp(one: unknown, other: unknown, key = ''): unknown {
  if (one === undefined || one === null || key === 'index' || key === 'type') return other;
  if (typeof one === 'string') return `${one}${String(other)}`;
  if (Array.isArray(one)) return addedLists(one, other as { index: number }[]);
  const sum: Record<string, unknown> = { ...(one as Json) };
  for (const [name, value] of Object.entries(other as Json)) {
    sum[name] = addedUp(sum[name], value, name);
  }
  return sum;
}

function addedLists(one: readonly unknown[], other: readonly { index: number }[]): unknown {
  const sum = [...one];
  for (const entry of other) {
    if (typeof entry.index !== 'number') throw new Error('an entry without an index');
    sum[entry.index] = addedUp(sum[entry.index], entry);
  }
  return sum;
}

describe('signed thoughts for a chat client', () => {
  it('stand beside a whole completion in both forms that clients keep', () => {
    expect(wholeMessage(content)).toMatchObject({
      reasoning_content: 'First thisthen that',
      reasoning_details: details,
      thinking_blocks: blocks,
    });
  });

  it('are left out where nothing is signed', () => {
    const message = wholeMessage([{ type: 'thinking', thinking: 'x' }, use]);

    expect(message).not.toHaveProperty('reasoning_details');
    expect(message).not.toHaveProperty('thinking_blocks');
  });

  it('come in a stream so that a client which adds up fragments has them whole', () => {
    const sum = deltasOf(stream).reduce<unknown>((one, delta) => addedUp(one, delta), {});

    expect(sum).toMatchObject({
      reasoning_content: 'First thisthen that',
      reasoning_details: details,
      thinking_blocks: blocks,
    });
  });

  it('come so that a client which keeps the last of a field has them whole', () => {
    expect(Object.assign({}, ...deltasOf(stream))).toMatchObject({ thinking_blocks: blocks });
  });

  it('come with the text beside the text, for clients that show one of them', () => {
    const texts = deltasOf(stream).filter((delta) => 'reasoning_content' in delta);

    expect(texts).toHaveLength(4);
    for (const { reasoning_content: text, reasoning_details: told } of texts) {
      expect(told).toMatchObject([{ text }]);
    }
  });
});

describe('signed thoughts that come back', () => {
  const call = { id: 'toolu_1', type: 'function', function: { name: 'f', arguments: '{}' } };
  const asked = (fields: object) =>
    translateRequest(
      'chat',
      {
        model: 'm',
        reasoning_effort: 'medium',
        tools: [{ type: 'function', function: { name: 'f' } }],
        messages: [
          { role: 'user', content: 'hi' },
          { role: 'assistant', content: null, tool_calls: [call], ...fields },
          { role: 'tool', tool_call_id: 'toolu_1', content: 'ok' },
        ],
      },
      claude,
    );
  const pieces = deltasOf(stream).flatMap(
    ({ reasoning_details: told }) => (told ?? []) as object[],
  );

  it.each([
    ['as details', { reasoning_details: details }],
    ['as blocks', { thinking_blocks: blocks }],
    ['as both, once', { reasoning_details: details, thinking_blocks: blocks }],
    ['beside the plain text', { reasoning_content: 'x', reasoning_details: details }],
    ['as the fragments of a stream', { reasoning_details: pieces }],
    [
      'as a last fragment and blocks',
      { reasoning_details: pieces.slice(-1), thinking_blocks: blocks },
    ],
  ])('reach the vendor as they were, and keep it thinking: %s', (_name, fields) => {
    const { body, dropped } = asked(fields);

    expect((body['messages'] as { content: unknown }[])[1]?.content).toEqual(content);
    expect(body['thinking']).toMatchObject({ type: 'enabled' });
    expect(dropped).toEqual([]);
  });

  it.each([
    ['another vendor’s', [{ ...details[0], format: 'google-gemini-v1' }]],
    ['none at all', [{ type: 'reasoning.text', text: 'x' }]],
  ])('stay here where the signature is %s', (_name, told) => {
    const { body, dropped } = asked({ reasoning_details: told });

    expect((body['messages'] as { content: unknown }[])[1]?.content).toEqual([use]);
    expect([body['thinking'], dropped]).toEqual([undefined, ['reasoning_effort']]);
  });
});
