import { describe, expect, it } from '@jest/globals';
import { createTextRequestReader } from '@gateway/contracts';
import { GatewayError } from '@gateway/domain';

const reader = createTextRequestReader();
type Route = keyof typeof reader;

function refusalOf(route: Route, body: unknown): GatewayError {
  try {
    reader[route](body);
  } catch (error) {
    if (GatewayError.is(error)) return error;
    throw error;
  }
  throw new Error('the body was not refused');
}

const messages = { model: 'm', max_tokens: 8, messages: [{ role: 'user', content: 'hi' }] };
const chat = { model: 'm', messages: [{ role: 'user', content: 'hi' }] };

describe('the body of POST /v1/messages', () => {
  it('tells the head of a plain request', () => {
    expect(reader.messages(messages)).toEqual({
      model: 'm',
      stream: false,
      maxTokens: 8,
      choices: 1,
      includeUsage: false,
    });
    expect(reader.messages({ ...messages, stream: true })).toMatchObject({ stream: true });
  });

  it('takes all that the interface document types, the roles of current clients, nulls and unknown fields', () => {
    const body = {
      ...messages,
      system: [{ type: 'text', text: 's' }],
      temperature: 1,
      top_p: 0.5,
      top_k: 5,
      stop_sequences: ['x'],
      tools: [{ name: 't' }],
      tool_choice: { type: 'auto' },
      messages: [
        { role: 'user', content: [] },
        { role: 'assistant', content: [{ type: 'brand_new' }] },
        { role: 'system', content: 's' },
      ],
      stream: null,
      context_management: { edits: [] },
      speed: 'fast',
    };

    expect(reader.messages(body)).toEqual({
      model: 'm',
      stream: false,
      maxTokens: 8,
      choices: 1,
      includeUsage: false,
    });
  });

  it.each<[string, object, string]>([
    ['no model', { ...messages, model: undefined }, 'model is required'],
    ['an empty model', { ...messages, model: '' }, 'model must be the id of a text model; got ""'],
    ['no max_tokens', { ...messages, max_tokens: undefined }, 'max_tokens is required'],
    [
      'max_tokens 0',
      { ...messages, max_tokens: 0 },
      'max_tokens must be an integer of at least 1; got 0',
    ],
    [
      'a fraction',
      { ...messages, max_tokens: 1.5 },
      'max_tokens must be an integer of at least 1; got 1.5',
    ],
    [
      'a number as text',
      { ...messages, max_tokens: '8' },
      'max_tokens must be an integer of at least 1; got "8"',
    ],
    ['no messages', { ...messages, messages: undefined }, 'messages is required'],
    [
      'empty messages',
      { ...messages, messages: [] },
      'messages must be an array of at least one message; got []',
    ],
    [
      'a message that is a text',
      { ...messages, messages: ['hi'] },
      'messages[0] must be an object with role and content; got "hi"',
    ],
    [
      'an unknown role',
      { ...messages, messages: [{ role: 'tool', content: 'x' }] },
      'messages[0].role must be one of user, assistant, system; got "tool"',
    ],
    [
      'no content',
      { ...messages, messages: [{ role: 'user' }] },
      'messages[0].content is required',
    ],
    [
      'content of another type',
      { ...messages, messages: [{ role: 'user', content: 5 }] },
      'messages[0].content must be a string or an array of content blocks; got 5',
    ],
    [
      'temperature',
      { ...messages, temperature: 2.5 },
      'temperature must be a number between 0 and 2; got 2.5',
    ],
    ['top_p', { ...messages, top_p: -1 }, 'top_p must be a number between 0 and 1; got -1'],
    ['top_k', { ...messages, top_k: 'x' }, 'top_k must be an integer; got "x"'],
    [
      'stop_sequences',
      { ...messages, stop_sequences: 'x' },
      'stop_sequences must be an array of strings; got "x"',
    ],
    ['stream', { ...messages, stream: 'yes' }, 'stream must be true or false; got "yes"'],
    ['tools', { ...messages, tools: {} }, 'tools must be an array of tool definitions; got {}'],
    [
      'tool_choice',
      { ...messages, tool_choice: 'auto' },
      'tool_choice must be an object such as {"type":"auto"}; got "auto"',
    ],
    [
      'system',
      { ...messages, system: {} },
      'system must be a string or an array of text blocks; got {}',
    ],
  ])('is refused: %s', (_name, body, message) => {
    const written = JSON.parse(JSON.stringify(body)) as unknown;

    expect(refusalOf('messages', written).message).toBe(message);
  });

  it('is refused with all violations together, the first in the message', () => {
    const { code, param, details } = refusalOf('messages', {
      messages: [{ role: 'x', content: 1 }],
      temperature: 9,
    });

    expect({ code, param, fields: details.map((detail) => detail.param) }).toEqual({
      code: 'missing_parameter',
      param: 'model',
      fields: ['model', 'max_tokens', 'messages[0].role', 'messages[0].content', 'temperature'],
    });
  });
});

describe('the body of POST /v1/messages/count_tokens', () => {
  it('needs no max_tokens', () => {
    expect(reader.countTokens(chat)).toEqual({
      model: 'm',
      stream: false,
      maxTokens: undefined,
      choices: 1,
      includeUsage: false,
    });
    expect(refusalOf('countTokens', { model: 'm' }).message).toBe('messages is required');
  });
});

describe('the body of POST /v1/chat/completions', () => {
  it.each<[string, object, object]>([
    ['a plain request', {}, {}],
    ['max_tokens', { max_tokens: 5 }, { maxTokens: 5 }],
    ['n', { n: 3 }, { choices: 3 }],
    [
      'max_completion_tokens before max_tokens',
      { max_tokens: 5, max_completion_tokens: 7 },
      { maxTokens: 7 },
    ],
    [
      'a stream with usage',
      { stream: true, stream_options: { include_usage: true } },
      { stream: true, includeUsage: true },
    ],
    ['a stream without usage', { stream: true, stream_options: null }, { stream: true }],
    [
      'nulls for what is not set',
      {
        max_tokens: null,
        temperature: null,
        top_p: null,
        stop: null,
        n: null,
        tools: null,
        tool_choice: null,
        stream: null,
        max_completion_tokens: null,
      },
      {},
    ],
    ['unknown fields', { thinking: { type: 'enabled' }, foo: 1 }, {}],
    [
      'stop as a text, a tool choice as an object',
      { stop: 'x', tool_choice: { type: 'function' }, tools: [{}], temperature: 2 },
      {},
    ],
  ])('tells the head of %s', (_name, fields, expected) => {
    expect(reader.chat({ ...chat, ...fields })).toEqual({
      model: 'm',
      stream: false,
      maxTokens: undefined,
      choices: 1,
      includeUsage: false,
      ...expected,
    });
  });

  it('takes the roles and contents of current clients', () => {
    const turns = ['system', 'developer', 'user', 'assistant', 'tool', 'function'].flatMap(
      (role) => [{ role, content: 'x' }, { role, content: null }, { role, content: [] }, { role }],
    );

    expect(reader.chat({ model: 'm', messages: turns })).toMatchObject({ model: 'm' });
  });

  it.each<[string, object, string]>([
    [
      'temperature',
      { ...chat, temperature: 2.1 },
      'temperature must be a number between 0 and 2; got 2.1',
    ],
    ['top_p', { ...chat, top_p: 2 }, 'top_p must be a number between 0 and 1; got 2'],
    [
      'max_tokens',
      { ...chat, max_tokens: 0 },
      'max_tokens must be an integer of at least 1; got 0',
    ],
    ['n', { ...chat, n: 0.5 }, 'n must be an integer of at least 1; got 0.5'],
    ['stop', { ...chat, stop: [1] }, 'stop[0] must be a string; got 1'],
    [
      'a role',
      { ...chat, messages: [{ role: 'robot', content: 'x' }] },
      'messages[0].role must be one of system, developer, user, assistant, tool, function; got "robot"',
    ],
    [
      'tool_choice',
      { ...chat, tool_choice: 1 },
      'tool_choice must be a string such as "auto", or an object that names a tool; got 1',
    ],
    [
      'stream_options',
      { ...chat, stream_options: 'x' },
      'stream_options must be an object such as {"include_usage":true}; got "x"',
    ],
  ])('is refused: %s', (_name, body, message) => {
    expect(refusalOf('chat', body).message).toBe(message);
  });

  it('names the format when a client speaks the responses format', () => {
    const { code, param, message } = refusalOf('chat', { model: 'm', input: 'hi' });

    expect({ code, param }).toEqual({ code: 'unknown_parameter', param: 'input' });
    expect(message).toContain('responses format');
  });
});

describe('a text body that no request could have', () => {
  it.each<[string, unknown]>([
    ['null', null],
    ['an array', []],
    ['a text', 'x'],
  ])('%s: is no JSON object', (_name, body) => {
    expect(refusalOf('messages', body)).toMatchObject({ code: 'invalid_parameter', param: null });
    expect(refusalOf('chat', body).message).toContain('the body must be a JSON object');
  });

  it('passes a hundred thousand messages, and refuses more with one sentence', () => {
    const turns = Array.from({ length: 100_000 }, (_unused, index) => ({
      role: index % 2 === 0 ? 'user' : 'assistant',
      content: [{ type: 'text', text: 'x' }],
    }));

    expect(reader.chat({ model: 'm', messages: turns })).toMatchObject({ model: 'm' });
    expect(refusalOf('chat', { model: 'm', messages: [...turns, ...turns] }).message).toBe(
      'messages must not have more than 100000 items',
    );
  });

  it('names at most fifty of a hundred thousand violations', () => {
    expect(
      refusalOf('messages', { ...messages, messages: Array.from({ length: 100_000 }, () => 1) })
        .details,
    ).toHaveLength(50);
  });
});
