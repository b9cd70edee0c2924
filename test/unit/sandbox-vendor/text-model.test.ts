import { describe, expect, it } from '@jest/globals';
import { createPrefixCache } from '../../../services/sandbox-vendor/src/text/model/prefix-cache.ts';
import { minimalInstance } from '../../../services/sandbox-vendor/src/text/model/schema-instance.ts';
import { createThinkingSigner } from '../../../services/sandbox-vendor/src/text/model/signature.ts';
import {
  cutToTokens,
  piecesOf,
  tokensOfText,
} from '../../../services/sandbox-vendor/src/text/model/tokens.ts';
import {
  createRateLimits,
  durationText,
} from '../../../services/sandbox-vendor/src/text/rate-limits.ts';

describe('the tokens of a text', () => {
  it.each([
    ['', 0],
    ['a', 1],
    ['abcd', 1],
    ['abcde', 2],
  ])('of %j are %i', (text, tokens) => {
    expect(tokensOfText(text)).toBe(tokens);
  });

  it('are the sum of the tokens of its pieces, which together are the text', () => {
    const text = `Some words, a ${'long'.repeat(20)} one, and 🦊🦊🦊🦊🦊🦊🦊🦊🦊🦊🦊🦊🦊 foxes.\n\nEnd `;

    const pieces = [...piecesOf(text, 9)];

    expect(pieces.map((piece) => piece.text).join('')).toBe(text);
    expect(pieces.reduce((sum, { tokens }) => sum + tokens, 0)).toBe(tokensOfText(text));
    expect(pieces.every((piece) => Buffer.from(piece.text).toString() === piece.text)).toBe(true);
  });

  it('can be cut without parting a character', () => {
    expect([cutToTokens('abcdefgh', 1), cutToTokens('abc🦊', 1), cutToTokens('ab', 5)]).toEqual([
      'abcd',
      'abc',
      'ab',
    ]);
  });
});

describe('the minimal instance of a schema', () => {
  it.each<[object, unknown]>([
    [
      {
        type: 'object',
        required: ['a'],
        properties: { a: { type: 'boolean' }, b: { type: 'string' } },
      },
      { a: true },
    ],
    [{ type: ['null', 'integer'], exclusiveMinimum: 3 }, 4],
    [{ type: 'number', minimum: 0.3, multipleOf: 0.25 }, 0.5],
    [{ type: 'string', minLength: 6, maxLength: 8 }, 'text..'],
    [{ type: 'string', maxLength: 2 }, 'te'],
    [{ type: 'string', format: 'date' }, '2026-01-01'],
    [{ anyOf: [{ const: 7 }, { type: 'string' }] }, 7],
    [
      {
        allOf: [
          { type: 'object', required: ['a'], properties: { a: { enum: ['x', 'y'] } } },
          {
            required: ['b'],
            properties: { b: { type: 'array', minItems: 2, items: { type: 'null' } } },
          },
        ],
      },
      { a: 'x', b: [null, null] },
    ],
    [
      {
        type: 'object',
        required: ['child'],
        properties: { child: { $ref: '#/$defs/leaf' } },
        $defs: { leaf: { type: 'integer', maximum: -2 } },
      },
      { child: -2 },
    ],
  ])('%j is %j', (schema, instance) => {
    expect(minimalInstance(schema)).toEqual(instance);
  });

  it('of a schema without end is an end', () => {
    expect(JSON.stringify(minimalInstance({ $ref: '#' }))).toBe('null');
  });
});

describe('signed thinking', () => {
  it('is genuine only as it was signed, by the one who signed it', () => {
    const [signer, other] = [createThinkingSigner('a'), createThinkingSigner('b')];
    const signature = signer.sign('so be it');

    expect([
      signer.isGenuine('so be it', signature),
      signer.isGenuine('so be it.', signature),
      signer.isGenuine('so be it', other.sign('so be it')),
      signer.isGenuine('so be it', ''),
    ]).toEqual([true, false, false, false]);
  });
});

describe('the prompt cache', () => {
  const segment = (
    identity: string,
    cacheTtlMs?: number,
  ): { identity: string; characters: number; cacheTtlMs?: number } => ({
    identity,
    characters: 400,
    ...(cacheTtlMs !== undefined && { cacheTtlMs }),
  });

  it('knows a marked prefix for its time, and longer when it is used', () => {
    let nowMs = 0;
    const cache = createPrefixCache({ maxEntries: 10, now: () => nowMs });
    const use = (): number => cache.marked('m', [segment('a', 300_000), segment('b')]).read;

    const reads = [0, 200_000, 400_000, 700_001].map((at) => {
      nowMs = at;
      return use();
    });

    expect(reads).toEqual([0, 100, 100, 0]);
  });

  it('tells models apart, and forgets the oldest beyond its size', () => {
    const cache = createPrefixCache({ maxEntries: 1, now: () => 0 });
    const use = (model: string): number => cache.marked(model, [segment('a', 1_000)]).read;

    expect([use('m'), use('n'), use('n'), use('m')]).toEqual([0, 0, 100, 0]);
  });
});

describe('the rate-limit headers', () => {
  it.each([
    [12, '12ms'],
    [6_000, '6s'],
    [63_000, '1m3s'],
  ])('write %i ms as %s', (milliseconds, text) => {
    expect(durationText(milliseconds)).toBe(text);
  });

  it('count what is used in a minute, in the form of each dialect', () => {
    let nowMs = Date.parse('2026-01-01T00:00:00Z');
    const limits = createRateLimits({ now: () => nowMs });
    limits.use('requests', 3);
    nowMs += 15_000;

    expect(limits.headers('messages')).toMatchObject({
      'anthropic-ratelimit-requests-limit': '4000',
      'anthropic-ratelimit-requests-remaining': '3997',
      'anthropic-ratelimit-requests-reset': '2026-01-01T00:01:00Z',
    });
    expect(limits.headers('chat')).toMatchObject({
      'x-ratelimit-remaining-requests': '3997',
      'x-ratelimit-reset-requests': '45s',
    });
    nowMs += 45_000;
    expect(limits.headers('chat')).toMatchObject({ 'x-ratelimit-remaining-requests': '4000' });
  });
});
