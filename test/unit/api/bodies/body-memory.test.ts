import { describe, expect, it } from '@jest/globals';
import { inlineBounds } from '../../../../services/api/src/bodies/light-body.ts';
import { freeMemory, LargeMemory } from '../../../../services/api/src/bodies/memory.ts';
import { RequestBody } from '../../../../services/api/src/bodies/text-body.ts';

const lorem = 'lorem ipsum ';
const requestOf = (content: unknown): string =>
  JSON.stringify({ model: 'ours', max_tokens: 8, messages: [{ role: 'user', content }] });
const request = requestOf(lorem.repeat(20_000));
/** As long, of many texts. */
const requestOfMany = requestOf(
  Array.from({ length: 40 }, () => ({ type: 'text', text: lorem.repeat(500) })),
);

function inMemory(text: string): Buffer {
  const memory = new LargeMemory(text.length);
  memory.add(Buffer.from(text));
  return memory.whole();
}

interface RenderedBody {
  readonly body: RequestBody;
  readonly pieces: readonly Buffer[];
  /** Of the body, then of what was rendered. */
  readonly memory: readonly ArrayBufferLike[];
}

/** A large body for an upstream that has another name for its model. */
function renderedBody(upstream: 'messages' | 'chat', text = request): RenderedBody {
  const bytes = inMemory(text);
  const body = new RequestBody(bytes);
  const command = { dialect: 'messages', operation: 'create', media: false } as const;
  body.inspectLightly({ kind: 'inspect', ...command }, inlineBounds);
  const rendered = body.renderLightly({
    kind: 'render',
    dialect: 'messages',
    upstream: { dialect: upstream, vendor: 'generic', model: 'theirs', overrides: {} },
    addUsage: false,
    isExpanded: false,
    keepsResponses: false,
  });
  const pieces = rendered?.body ?? [];
  return { body, pieces, memory: [bytes, ...pieces].map(({ buffer }) => buffer) };
}

/** Whose memory the next two bodies of its size get. */
function nextMemory(): ArrayBufferLike[] {
  const bodies = [inMemory(request), inMemory(request)];
  bodies.forEach(freeMemory);
  return bodies.map(({ buffer }) => buffer);
}

describe('the memory of a large body and of what was rendered of it', () => {
  it('is that of the next bodies, and nothing of it can be read here any more', () => {
    const { body, memory } = renderedBody('chat', requestOfMany);

    body.free();

    expect(body.bytes).toHaveLength(0);
    expect(() => body.count()).toThrow();
    expect(nextMemory().filter((buffer) => memory.includes(buffer))).toHaveLength(2);
  });

  it('is nobody’s where a socket may still be writing it', () => {
    const { body, memory } = renderedBody('chat', requestOfMany);

    body.leave();

    expect(body.bytes).toHaveLength(0);
    expect(nextMemory().filter((buffer) => memory.includes(buffer))).toEqual([]);
  });

  it('is that of the body alone where a text is so long that it is not copied', () => {
    const { body, pieces, memory } = renderedBody('chat');

    expect(pieces.filter(({ length }) => length > 65_536)).toHaveLength(1);
    const long = pieces.filter(({ buffer }) => buffer === memory[0]);
    expect(long.map(({ length }) => length > 200_000)).toEqual([true]);
    const read = JSON.parse(Buffer.concat(pieces).toString()) as object;
    expect(read).toMatchObject({ messages: [{ content: lorem.repeat(20_000) }] });
    body.free();
  });

  it.each([
    ['before', request],
    ['behind', request.replace('"model":"ours",', '').replace(/\}$/, ',"model":"ours"}')],
  ])('is that of the body alone where only a name %s its texts changes', (_where, text) => {
    const { body, pieces, memory } = renderedBody('messages', text);

    expect(Buffer.concat(pieces).toString()).toBe(text.replace('"ours"', '"theirs"'));
    expect(pieces).toHaveLength(2);
    const long = pieces.filter(({ length }) => length > 65_536);
    expect(long.map(({ buffer }) => buffer)).toEqual([memory[0]]);
    // A socket may still have it when the others are written.
    const short = pieces.filter(({ length }) => length <= 65_536);
    expect(short.some(({ buffer }) => buffer === memory[0])).toBe(false);
    body.free();
  });

  it('is copied behind another name up to 128 KiB, and leaves in one piece', () => {
    const text = requestOf(lorem.repeat(8_000));
    const { body, pieces } = renderedBody('messages', text);

    expect(pieces.map(String)).toEqual([text.replace('"ours"', '"theirs"')]);
    body.free();
  });
});
