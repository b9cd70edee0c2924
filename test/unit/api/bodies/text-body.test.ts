import { describe, expect, it } from '@jest/globals';
import { inlineBounds } from '../../../../services/api/src/bodies/light-body.ts';
import { RequestBody } from '../../../../services/api/src/bodies/text-body.ts';

function tokensOf(input: unknown): number {
  const body = new RequestBody(Buffer.from(JSON.stringify({ model: 'm', input })));
  body.inspect({ kind: 'inspect', dialect: 'chat', operation: 'embed', media: false });
  return body.tokensToReserve();
}

describe('the tokens to reserve for a request to embed', () => {
  it('are those that the client made itself, not what their digits would weigh', () => {
    const tokens = Array.from({ length: 1_000 }, () => 7);

    expect(tokensOf(tokens)).toBeGreaterThanOrEqual(1_000);
    expect(tokensOf([tokens, tokens])).toBeGreaterThanOrEqual(2_000);
  });

  it('are no fewer than the tokens of a text', () => {
    expect(tokensOf('word '.repeat(1_000))).toBeGreaterThanOrEqual(1_000);
  });
});

describe('the tokens to reserve for a request with a picture', () => {
  it.each([100_000, 200_000])('are those of the picture, not of its %i bytes', (size) => {
    const source = { type: 'base64', media_type: 'image/png', data: 'A'.repeat(size) };
    const messages = [{ role: 'user', content: [{ type: 'image', source }] }];
    const request = { model: 'm', max_tokens: 1, messages };
    const body = new RequestBody(Buffer.from(JSON.stringify(request)));
    body.inspect({ kind: 'inspect', dialect: 'messages', operation: 'create', media: false });

    expect(body.tokensToReserve()).toBeLessThan(10_000);
  });
});

describe('the tokens to reserve for a request of the responses format', () => {
  const reserved = (fields: object): number => {
    const body = new RequestBody(Buffer.from(JSON.stringify({ model: 'm', ...fields })));
    body.inspect({ kind: 'inspect', dialect: 'responses', operation: 'create', media: false });
    return body.tokensToReserve();
  };
  const words = 'word '.repeat(4_000);

  it.each([
    ['a text', { input: words }],
    ['a message', { input: [{ role: 'user', content: words }] }],
    ['instructions', { input: 'hi', instructions: words }],
    ['a tool', { input: 'hi', tools: [{ type: 'function', name: 'f', description: words }] }],
  ])('are not fewer than it has: %s', (_what, fields) => {
    expect(reserved(fields)).toBeGreaterThanOrEqual(4_000);
  });

  it('are those of a picture, and not its bytes', () => {
    const image_url = `data:image/png;base64,iVBORw0KGgo${'A'.repeat(400_000)}`;
    const input = [{ role: 'user', content: [{ type: 'input_image', image_url }] }];

    expect(reserved({ input })).toBeGreaterThan(1_000);
    expect(reserved({ input })).toBeLessThan(3_000);
    // Also where nobody could be shown the request.
    expect(reserved({ input: [...input, { type: 'web_search_call' }] })).toBeLessThan(3_000);
  });
});

describe('a text body', () => {
  const command = {
    kind: 'inspect',
    dialect: 'chat',
    operation: 'create',
    media: false,
  } as const;
  const nested = (levels: number): unknown => (levels === 0 ? 1 : { a: nested(levels - 1) });
  const bodyOf = (levels: number, words: number): RequestBody => {
    const messages = [{ role: 'user', content: 'word '.repeat(words) }];
    return new RequestBody(
      Buffer.from(JSON.stringify({ model: 'm', messages, extra: nested(levels - 1) })),
    );
  };

  it('may be nested sixty-four levels deep and no deeper', () => {
    expect(bodyOf(64, 1).inspect(command).head.model).toBe('m');
    expect(() => bodyOf(65, 1).inspect(command)).toThrow(
      'the body must not be nested deeper than 64 levels',
    );
  });

  it('may be no deeper where it is read by its outline', () => {
    expect(bodyOf(64, 4_000).inspectLightly(command, inlineBounds)?.head.model).toBe('m');
    expect(bodyOf(65, 4_000).inspectLightly(command, inlineBounds)).toBeUndefined();
  });
});
