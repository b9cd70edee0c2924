import { describe, expect, it } from '@jest/globals';
import type { Dialect } from '@gateway/text-dialects';
import { inlineBounds, threadBounds } from '../../../../services/api/src/bodies/light-body.ts';
import { RequestBody } from '../../../../services/api/src/bodies/text-body.ts';
import type {
  InspectCommand,
  Inspection,
  RenderCommand,
  Rendered,
} from '../../../../services/api/src/bodies/text-commands.ts';

const dialects = ['messages', 'chat'] as const;
type Client = (typeof dialects)[number];

/** Every kind of escape, signs of two and four bytes, and quotes. */
const words = 'const a = "b\\n"; // \u2013 \u{1f600}\n\tif (a === 1) return /x/;\n'.repeat(60);
const escapes = '\u0001\u0002one\u0003two-three'.repeat(400);
const picture = `iVBORw0KGgo${'A'.repeat(40_000)}`;

const inspecting = (dialect: Dialect, media = false): InspectCommand => ({
  kind: 'inspect',
  dialect,
  operation: 'create',
  media,
});
const rendering = (dialect: Dialect, to: Client, addUsage = false): RenderCommand => ({
  kind: 'render',
  dialect,
  upstream: { dialect: to, vendor: 'generic', model: 'theirs', overrides: {} },
  addUsage,
  isExpanded: false,
  keepsResponses: false,
});

/** Padded, so that it is large enough to be read by its outline. */
const bytesOf = (fields: object): Buffer =>
  Buffer.from(
    JSON.stringify({
      model: 'ours',
      max_tokens: 8,
      ...fields,
      metadata: { user_id: 'u'.repeat(20_000) },
    }),
  );
const withMessages = (...messages: object[]): Buffer => bytesOf({ messages });
const user = (content: unknown): object => ({ role: 'user', content });

const textOf = (rendered: Rendered | undefined): string =>
  Buffer.concat(rendered?.body ?? []).toString();

const inspect = (bytes: Buffer, dialect: Client, media = false): Inspection | undefined =>
  new RequestBody(bytes).inspectLightly(inspecting(dialect, media), inlineBounds);

/** What a body comes to by its outline; undefined where it is left to the whole. */
function lightly(bytes: Buffer, dialect: Client, to: Client): unknown {
  const body = new RequestBody(bytes);
  if (body.inspectLightly(inspecting(dialect), inlineBounds) === undefined) return undefined;
  const rendered = body.renderLightly(rendering(dialect, to));
  return rendered && { ...rendered, body: JSON.parse(textOf(rendered)) };
}

function wholly(bytes: Buffer, dialect: Client, to: Client): unknown {
  const body = new RequestBody(bytes);
  body.inspect(inspecting(dialect));
  const rendered = body.render(rendering(dialect, to));
  return { ...rendered, body: JSON.parse(textOf(rendered)) };
}

const withoutEstimate = (rendered: unknown): unknown =>
  JSON.parse(
    JSON.stringify(rendered, (key, value: unknown) => (key === 'inputEstimate' ? 0 : value)),
  );

const source = { type: 'base64', media_type: 'image/png', data: picture };
const call = { id: 'toolu_1', name: 'write_file' };
const conversations: Readonly<Record<string, Readonly<Record<Client, object[]>>>> = {
  'a long text': { messages: [user(words)], chat: [user(words)] },
  'the same text twice': {
    messages: [user([{ type: 'text', text: words }]), user([{ type: 'text', text: words }])],
    chat: [{ role: 'system', content: words }, user(words)],
  },
  'what a tool found': {
    messages: [
      user('go'),
      { role: 'assistant', content: [{ type: 'tool_use', ...call, input: { path: 'a' } }] },
      user([{ type: 'tool_result', tool_use_id: call.id, content: words }]),
    ],
    chat: [
      user('go'),
      {
        role: 'assistant',
        content: null,
        tool_calls: [{ id: call.id, type: 'function', function: { name: 'f', arguments: '{}' } }],
      },
      { role: 'tool', tool_call_id: call.id, content: words },
    ],
  },
  'a picture': {
    messages: [user([{ type: 'image', source }])],
    chat: [user([{ type: 'image_url', image_url: { url: `data:image/png;base64,${picture}` } }])],
  },
  'what a tool was called with': {
    messages: [
      user(words),
      {
        role: 'assistant',
        content: [{ type: 'tool_use', ...call, input: { path: 'a', content: words } }],
      },
      user([{ type: 'tool_result', tool_use_id: call.id, content: 'done' }]),
    ],
    chat: [
      user(words),
      {
        role: 'assistant',
        content: null,
        tool_calls: [
          {
            id: call.id,
            type: 'function',
            function: { name: 'f', arguments: JSON.stringify({ content: words }) },
          },
        ],
      },
      { role: 'tool', tool_call_id: call.id, content: 'done' },
    ],
  },
  'a text of escapes': { messages: [user(escapes)], chat: [user(escapes)] },
  'a text that ends in white space': {
    messages: [user(words), { role: 'assistant', content: `${words}${' '.repeat(300)}` }],
    chat: [user(words), { role: 'assistant', content: `${words}${'\n'.repeat(30)}` }],
  },
};

describe('a large body that is read by its outline', () => {
  for (const [name, bodies] of Object.entries(conversations)) {
    for (const client of dialects) {
      it.each(dialects)(`comes to what the whole does: ${name}, from ${client} to %s`, (to) => {
        const bytes = withMessages(...bodies[client]);

        const read = lightly(bytes, client, to);

        expect(read).toBeDefined();
        expect(withoutEstimate(read)).toEqual(withoutEstimate(wholly(bytes, client, to)));
      });
    }
  }

  const text = withMessages(user(words)).toString();
  const behind = text.replace('"model":"ours",', '').replace(/\}$/, ',"model":"ours"}');
  it.each([
    ['before its texts', text],
    ['behind them', behind],
  ])('keeps every byte but the name of the model, %s', (_where, json) => {
    const bytes = Buffer.from(json.replace('"b', '"\\u0062\\/'));
    const body = new RequestBody(bytes);
    body.inspectLightly(inspecting('messages'), inlineBounds);

    const passed = body.renderLightly(rendering('messages', 'messages'));

    expect(textOf(passed)).toBe(bytes.toString().replace('"ours"', '"theirs"'));
  });

  it.each([
    ['before its texts', text],
    ['behind them', behind.replace('"model"', '"stream_options":{"x":[1]},"model"')],
    [
      'behind a long text of its own field',
      text.replace(
        '{',
        `{"stream_options":{"text":${JSON.stringify(words)}, "include_usage": false},`,
      ),
    ],
  ])('asks for usage in it, %s', (_where, json) => {
    const read = (addUsage: boolean, isWhole: boolean): unknown => {
      const body = new RequestBody(Buffer.from(json));
      const light = body.inspectLightly(inspecting('chat'), inlineBounds);
      if (isWhole || light === undefined) body.inspect(inspecting('chat'));
      const command = rendering('chat', 'chat', addUsage);
      return JSON.parse(textOf(isWhole ? body.render(command) : body.renderLightly(command)));
    };

    expect(read(true, false)).toEqual(read(true, true));
    expect(read(true, false)).toMatchObject({
      model: 'theirs',
      stream_options: { include_usage: true },
      messages: [{ content: words }],
    });
    expect(read(false, false)).toEqual({ ...(JSON.parse(json) as object), model: 'theirs' });
  });

  it('is passed on without thoughts of upstreams of other dialects', () => {
    const thought = { type: 'thinking', thinking: 'hm', signature: 'gw1.0badcafe' };
    const said = { role: 'assistant', content: [thought, { type: 'text', text: 'so' }] };
    const bytes = withMessages(user(words), said, user(words));

    const body = new RequestBody(bytes);
    body.inspectLightly(inspecting('messages'), inlineBounds);
    const command = rendering('messages', 'messages');
    const upstream = { ...command.upstream, vendor: 'anthropic' };

    const passed = body.renderLightly({ ...command, upstream });

    expect(JSON.parse(textOf(passed))).toMatchObject({
      model: 'theirs',
      messages: [user(words), { content: [{ type: 'text', text: 'so' }] }, user(words)],
    });
  });

  it.each(dialects)('has about as many tokens as the whole, in %s', (client) => {
    const texts = [words, words].map((text) => ({ type: 'text', text }));
    const bytes = withMessages(user([...texts, { type: 'image', source }]));
    const light = new RequestBody(bytes);
    light.inspectLightly(inspecting(client), inlineBounds);
    const whole = new RequestBody(bytes);
    whole.inspect(inspecting(client));

    // of the padding, which is none of the prompt
    const paddingTokens = 20_000 / 3.2;
    expect(light.tokensToReserve()).toBeGreaterThan(light.estimate());
    expect(light.tokensToReserve()).toBeLessThan(whole.estimate() * 1.1 + paddingTokens);
    expect(light.estimate()).toBeGreaterThanOrEqual(whole.estimate());
    expect(light.estimate()).toBeLessThan(whole.estimate() * 1.1);
  });

  it.each([
    ['messages', 'chat'],
    ['chat', 'messages'],
  ] as const)('tells the tokens of its prompt when it goes from %s to %s', (client, to) => {
    const body = new RequestBody(withMessages(user(words)));
    body.inspectLightly(inspecting(client), inlineBounds);

    const estimate = body.renderLightly(rendering(client, to))?.memory?.inputEstimate;

    expect(estimate).toBeGreaterThanOrEqual(Buffer.byteLength(words) / 3.2);
    expect(estimate).toBe(body.count());
  });

  it('reserves for what only looks like a picture', () => {
    const text = 'A'.repeat(320_000);
    const bytes = withMessages(
      user([{ type: 'image', source }]),
      { role: 'assistant', content: [{ type: 'tool_use', ...call, input: { data: text } }] },
      user([{ type: 'tool_result', tool_use_id: call.id, content: words }]),
    );
    const body = new RequestBody(bytes);

    expect(body.inspectLightly(inspecting('messages'), inlineBounds)).toBeDefined();

    expect(body.tokensToReserve()).toBeGreaterThan(100_000);
    expect(body.tokensToReserve()).toBeLessThan(110_000);
  });

  it.each([
    ['a document', { type: 'document', source: { ...source, media_type: 'application/pdf' } }],
    ['a block of no known kind', { type: 'container', content: [{ type: 'image', source }] }],
  ])('reserves what is counted for %s', (_name, block) => {
    const body = new RequestBody(withMessages(user([{ type: 'image', source }, block])));
    body.inspectLightly(inspecting('messages'), inlineBounds);

    expect(body.tokensToReserve()).toBe(body.estimate());
  });

  it('reserves for no more than its bytes where a block of no known kind has no media', () => {
    const bytes = withMessages(user([{ type: 'container', content: words }]));
    const body = new RequestBody(bytes);
    body.inspectLightly(inspecting('messages'), inlineBounds);

    expect(body.tokensToReserve()).toBe(Math.ceil(bytes.length / 3.2));
    expect(body.tokensToReserve()).toBeGreaterThan(body.count());
  });

  it('names the addresses of its media', () => {
    const address = { type: 'image_url', image_url: { url: 'http://10.0.0.1/a.png' } };

    expect(inspect(withMessages(user(words), user([address])), 'chat', true)?.media).toEqual([
      { param: 'messages[1].content[0].image_url.url', address: address.image_url.url },
    ]);
  });
});

describe('a large body of which an outline says too little', () => {
  const image = (url: string): object[] => [user([{ type: 'image_url', image_url: { url } }])];
  const textFile = user([
    {
      type: 'file',
      file: { file_data: `data:text/plain;base64,${Buffer.from(words).toString('base64')}` },
    },
  ]);
  const long = 'a'.repeat(2_000);

  it.each([
    ['behind white space', `${' '.repeat(1_500)}http://10.0.0.1/`],
    ['of a long scheme', `${'h'.repeat(1_500)}://10.0.0.1/`],
    ['with a long path', `http://10.0.0.1/${long}`],
  ])('shows the whole address of a picture: %s', (_what, url) => {
    const bytes = withMessages(user(words), ...image(url));
    const [found] = inspect(bytes, 'chat', true)?.media ?? [];

    expect(found?.address ?? url).toBe(url);
    const body = new RequestBody(bytes);
    expect(body.inspect(inspecting('chat', true)).media?.[0]?.address).toBe(url);
    expect(found).toBeDefined();
  });

  it.each([
    ['a data URL with white space', image(`data:image/png;base64,${picture} ${picture}`)],
    ['a data URL of many lines', image(`data:image/png;base64,${picture}\n${picture}`)],
    ['a text as a file', [textFile]],
  ])('is translated as a whole, or to the same: %s', (_what, messages) => {
    const bytes = withMessages(...messages);
    const read = lightly(bytes, 'chat', 'messages') ?? wholly(bytes, 'chat', 'messages');

    expect(withoutEstimate(read)).toEqual(withoutEstimate(wholly(bytes, 'chat', 'messages')));
  });

  const text = withMessages(user(words)).toString();
  it.each([
    ['a field that stands twice', text.replace('"max_tokens"', '"model":"m","max_tokens"')],
    ['a field that stands twice, once with escapes', text.replace('{', '{"m\\u006fdel":"m",')],
    [
      'a field that stands twice, behind a text that is longer than an outline may be',
      withMessages(user('a'.repeat(200_000)))
        .toString()
        .replace(/\}$/, ',"max_tokens":8}'),
    ],
    ['a name that is long', text.replace('{', `{"${long}":1,"${long}":2,`)],
    ['a type of tool that is long', text.replace('{', `{"tools":[{"type":{"text":"${long}"}}],`)],
    ['too many levels', text.replace('{', `{"x":${'['.repeat(65)}${']'.repeat(65)},`)],
    ['a wrong role', text.replace('"user"', '"nobody"')],
    ['no JSON', text.replace('"max_tokens":8', '"max_tokens":eight')],
    ['an end in the middle', text.slice(0, -30_000)],
    ['a byte order mark', `\ufeff${text}`],
    ['a second input, which is paid for as well', text.replace('{', '{"input":"x",')],
    ['more numbers than it may have bytes', text.replace('{', `{"x":[${'1,'.repeat(70_000)}1],`)],
  ])('is left to the whole: %s', (_what, body) => {
    expect(inspect(Buffer.from(body), 'messages')).toBeUndefined();
  });

  it('is left to the whole where its bytes are not UTF-8, however deep inside a text', () => {
    const bytes = Buffer.from(text);
    const middle = bytes.indexOf('return', 2_000);
    bytes[middle] = 0xff;

    expect(inspect(Buffer.from(text), 'messages')).toBeDefined();
    expect(inspect(bytes, 'messages')).toBeUndefined();
  });

  it('takes no field of the prototype for one of its own', () => {
    const bytes = Buffer.from(text.replace('{', '{"__proto__":{"stream":true},'));

    expect(inspect(bytes, 'messages')?.head.stream).toBe(false);
  });

  it('is left to a thread where it has more values than may hold streams up', () => {
    const many = Array.from({ length: 2_000 }, () => user('hi'));
    const bytes = withMessages(...many, user(words));
    const inspectBy = (bounds: typeof inlineBounds): unknown =>
      new RequestBody(bytes).inspectLightly(inspecting('messages'), bounds);

    expect(inspectBy({ ...inlineBounds, outlineValues: 5_000 })).toBeUndefined();
    expect(inspectBy({ ...threadBounds, outlineBytes: 65_536 })).toBeUndefined();
    expect(inspectBy(threadBounds)).toBeDefined();
  });

  it('is not rendered by its outline once a thread had its bytes', () => {
    const body = new RequestBody(withMessages(textFile, user(words)));
    body.inspectLightly(inspecting('chat'), inlineBounds);

    expect(body.renderLightly(rendering('chat', 'messages'))).toBeUndefined();
    expect(body.renderLightly(rendering('chat', 'chat'))).toBeUndefined();
  });
});
