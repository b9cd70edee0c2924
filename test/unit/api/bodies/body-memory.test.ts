import { describe, expect, it } from '@jest/globals';
import { inlineBounds } from '../../../../services/api/src/bodies/light-body.ts';
import { freeMemory, LargeMemory } from '../../../../services/api/src/bodies/memory.ts';
import { RequestBody } from '../../../../services/api/src/bodies/text-body.ts';

const request = JSON.stringify({
  model: 'ours',
  max_tokens: 8,
  messages: [{ role: 'user', content: 'lorem ipsum '.repeat(20_000) }],
});

function inMemory(text: string): Buffer {
  const memory = new LargeMemory(text.length);
  memory.add(Buffer.from(text));
  return memory.whole();
}

/** A large body that was passed on under another name of its model. */
function renderedBody(): { readonly body: RequestBody; readonly memory: ArrayBufferLike[] } {
  const bytes = inMemory(request);
  const body = new RequestBody(bytes);
  const command = { dialect: 'messages', operation: 'create', media: false } as const;
  body.inspectLightly({ kind: 'inspect', ...command }, inlineBounds);
  const rendered = body.renderLightly({
    kind: 'render',
    dialect: 'messages',
    upstream: { dialect: 'messages', vendor: 'generic', model: 'theirs', overrides: {} },
    addUsage: false,
    isExpanded: false,
    keepsResponses: false,
  });
  return { body, memory: [bytes.buffer, rendered?.body.buffer ?? new ArrayBuffer(0)] };
}

/** Whose memory the next two bodies of its size get. */
function nextMemory(): ArrayBufferLike[] {
  const bodies = [inMemory(request), inMemory(request)];
  bodies.forEach(freeMemory);
  return bodies.map(({ buffer }) => buffer);
}

describe('the memory of a large body and of what was rendered of it', () => {
  it('is that of the next bodies, and nothing of it can be read here any more', () => {
    const { body, memory } = renderedBody();

    body.free();

    expect(body.bytes).toHaveLength(0);
    expect(() => body.count()).toThrow();
    expect(nextMemory().filter((buffer) => memory.includes(buffer))).toHaveLength(2);
  });

  it('is nobody’s where a socket may still be writing it', () => {
    const { body, memory } = renderedBody();

    body.leave();

    expect(body.bytes).toHaveLength(0);
    expect(nextMemory().filter((buffer) => memory.includes(buffer))).toEqual([]);
  });
});
