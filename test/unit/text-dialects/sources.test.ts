import { describe, expect, it } from '@jest/globals';
import {
  createStreamTranslator,
  gatherCompletion,
  translateCompletion,
  withoutForeignThinking,
  type Dialect,
} from '@gateway/text-dialects';
import { aMemory, anIdentity, type Json } from './m2c-samples.ts';

const translation = (client: Dialect, upstream: Dialect) => ({
  client,
  upstream,
  memory: aMemory(),
  identity: anIdentity(),
});

const whole = (client: Dialect, upstream: Dialect, body: object): Json =>
  JSON.parse(
    translateCompletion({
      ...translation(client, upstream),
      body: Buffer.from(JSON.stringify(body)),
    }).body,
  ) as Json;

function streamed(client: Dialect, upstream: Dialect, text: string): Json[] {
  const translator = createStreamTranslator(translation(client, upstream));
  const out = translator.push(Buffer.from(text)) + translator.end();
  return [...out.matchAll(/^data: (\{.*\})$/gm)].map(([, json]) => JSON.parse(json ?? '') as Json);
}

const cited = (url: string, extra: object = {}) => ({
  type: 'web_search_result_location',
  url,
  title: 'T',
  cited_text: 'words',
  encrypted_index: 'Eo8=',
  ...extra,
});
const found = (...urls: string[]) => ({
  type: 'web_search_tool_result',
  tool_use_id: 'srvtoolu_1',
  content: urls.map((url) => ({ type: 'web_search_result', url, title: `of ${url}` })),
});
const citation = (url: string, from: number, to: number, title = 'T') => ({
  type: 'url_citation',
  url_citation: { start_index: from, end_index: to, url, title },
});

const aMessage = (content: readonly object[]) => ({
  id: 'msg_1',
  type: 'message',
  role: 'assistant',
  content,
  stop_reason: 'end_turn',
  usage: { input_tokens: 1, output_tokens: 1 },
});
const event = (type: string, fields: object): string =>
  `event: ${type}\ndata: ${JSON.stringify({ type, ...fields })}\n\n`;

/** The same message as a stream: citations come before or behind the text they belong to. */
function aMessageStream(content: readonly Json[]): string {
  const blocks = content.map(({ text, citations, ...block }, index) => {
    const start = event('content_block_start', {
      index,
      content_block: text === undefined ? block : { ...block, text: '' },
    });
    const deltas = ((citations ?? []) as unknown[]).map((each) =>
      event('content_block_delta', { index, delta: { type: 'citations_delta', citation: each } }),
    );
    const words =
      text === undefined
        ? ''
        : event('content_block_delta', { index, delta: { type: 'text_delta', text } });
    return `${start}${deltas.slice(0, 1).join('')}${words}${deltas.slice(1).join('')}${event('content_block_stop', { index })}`;
  });
  return [
    event('message_start', { message: { ...aMessage([]), stop_reason: null } }),
    ...blocks,
    event('message_delta', { delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 1 } }),
    event('message_stop', {}),
  ].join('');
}

describe('sources of a messages upstream', () => {
  const content = [
    found('https://a.example', 'https://c.example'),
    { type: 'text', text: 'So. ' },
    {
      type: 'text',
      text: 'It is.',
      citations: [
        cited('https://a.example'),
        cited('https://b.example'),
        { type: 'char_location', document_title: 'D', cited_text: 'x', document_index: 0 },
      ],
    },
  ];
  const expected = [
    citation('https://a.example', 4, 10),
    citation('https://b.example', 4, 10),
    citation('https://c.example', 10, 10, 'of https://c.example'),
  ];

  it('reach a chat client as annotations, with the part of the text they stand behind', () => {
    expect(whole('chat', 'messages', aMessage(content))['choices']).toMatchObject([
      { message: { content: 'So. It is.', annotations: expected } },
    ]);
  });

  it('reach it once in a stream, before its end', () => {
    const chunks = streamed('chat', 'messages', aMessageStream(content)).map(
      ({ choices }) => (choices as { delta: Json; finish_reason: unknown }[])[0],
    );
    const telling = chunks.filter((chunk) => chunk?.delta['annotations'] !== undefined);

    expect(telling.map((chunk) => chunk?.delta)).toEqual([{ annotations: expected }]);
    expect(chunks.indexOf(telling[0])).toBe(
      chunks.findIndex((chunk) => (chunk?.finish_reason ?? null) !== null) - 1,
    );
  });

  it('survive a stream that is gathered into a whole completion', () => {
    const gathered = gatherCompletion({
      ...translation('chat', 'messages'),
      body: Buffer.from(aMessageStream(content)),
    });

    expect(JSON.parse(gathered.body)).toMatchObject({
      choices: [{ message: { annotations: expected } }],
    });
  });
});

const lists = {
  annotations: {
    message: {
      annotations: [
        {
          type: 'url_citation',
          url_citation: { start_index: 0, end_index: 5, url: 'https://a.example', title: 'A' },
        },
        { type: 'file_citation' },
      ],
    },
    expected: [{ url: 'https://a.example', title: 'A', cited_text: '' }],
  },
  'an OpenRouter annotation': {
    message: {
      annotations: [
        { type: 'url_citation', url_citation: { url: 'https://a.example', content: 'words' } },
      ],
    },
    expected: [{ url: 'https://a.example', title: 'https://a.example', cited_text: 'words' }],
  },
  'a list of addresses': {
    body: { citations: ['https://a.example', 'https://b.example'] },
    expected: [
      { url: 'https://a.example', title: 'https://a.example', cited_text: '' },
      { url: 'https://b.example', title: 'https://b.example', cited_text: '' },
    ],
  },
  'search results before addresses': {
    body: {
      citations: ['https://a.example'],
      search_results: [{ url: 'https://a.example', title: 'A', snippet: 'words' }],
    },
    expected: [{ url: 'https://a.example', title: 'A', cited_text: 'words' }],
  },
  'nothing of use': { body: { citations: 7 }, message: { annotations: [] }, expected: [] },
};

describe.each(Object.entries(lists))('sources of a chat upstream: %s', (_name, list) => {
  const {
    message = {},
    body = {},
    expected,
  } = list as {
    message?: object;
    body?: object;
    expected: object[];
  };
  const citations = expected.map((each) => ({
    type: 'web_search_result_location',
    encrypted_index: 'gw1.source',
    ...each,
  }));

  it('reach a messages client as citations of the text', () => {
    const told = whole('messages', 'chat', {
      id: 'c',
      choices: [{ index: 0, message: { content: 'Hello', ...message }, finish_reason: 'stop' }],
      ...body,
    });

    expect(told['content']).toEqual([
      { type: 'text', text: 'Hello', ...(citations.length > 0 && { citations }) },
    ]);
  });

  it('reach it in a stream, each once, also before the first word', () => {
    const chunk = (delta: object): string =>
      `data: ${JSON.stringify({ id: 'c', choices: [{ index: 0, delta }], ...body })}\n\n`;
    const events = streamed(
      'messages',
      'chat',
      [
        chunk({ role: 'assistant', content: '', ...message }),
        chunk({ content: 'He' }),
        chunk({ content: 'llo', ...message }),
        'data: {"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}\n\n',
        'data: [DONE]\n\n',
      ].join(''),
    );

    const deltas = events.filter(({ type }) => type === 'content_block_delta');
    expect(
      deltas
        .map(({ delta }) => delta as Json)
        .filter(({ type }) => type === 'citations_delta')
        .map(({ citation: each }) => each),
    ).toEqual(citations);
    expect(deltas.every(({ index }) => index === 0)).toBe(true);
  });
});

describe('sources of a chat upstream that come back to a vendor that checks its own', () => {
  const text = (citations: object[]) => ({ type: 'text', text: 'x', citations });
  const foreign = cited('https://a.example', { encrypted_index: 'gw1.source' });
  const own = cited('https://b.example');
  const bodyWith = (content: object[]) =>
    Buffer.from(JSON.stringify({ messages: [{ role: 'assistant', content }] }));
  const kept = (body: Buffer) =>
    withoutForeignThinking(body, { vendor: 'anthropic', model: 'claude-sonnet-4-5' });

  it('are taken out, and nothing else', () => {
    expect(JSON.parse(kept(bodyWith([text([foreign]), text([own, foreign])])).toString())).toEqual({
      messages: [{ role: 'assistant', content: [{ type: 'text', text: 'x' }, text([own])] }],
    });
  });

  it('leave the body alone when there are none', () => {
    const body = bodyWith([text([own])]);

    expect(kept(body)).toBe(body);
  });
});
