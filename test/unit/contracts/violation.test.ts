import { describe, expect, it } from '@jest/globals';
import { createAjv, requestError, violationsOf, type Violation } from '@gateway/contracts';

const violationsIn = (schema: object, value: unknown): Violation[] =>
  violationsOf(createAjv().compile(schema), value);
const messageOf = (schema: object, value: unknown): string | undefined =>
  violationsIn({ type: 'object', properties: { a: schema } }, { a: value })[0]?.message;

describe('the path of a violation', () => {
  const item = {
    type: 'object',
    required: ['url'],
    additionalProperties: false,
    properties: { url: { type: 'string' }, tags: { type: 'array', items: { type: 'string' } } },
  };
  const schema = {
    type: 'object',
    required: ['model'],
    additionalProperties: false,
    properties: {
      model: { type: 'string' },
      references: { type: 'array', items: item },
      metadata: { type: 'object', additionalProperties: { type: 'string' } },
    },
  };

  it.each<[string, unknown, string | null, Violation['code']]>([
    ['the whole body', [], null, 'invalid_parameter'],
    ['a field', { model: 1 }, 'model', 'invalid_parameter'],
    ['a missing field', {}, 'model', 'missing_parameter'],
    ['an unknown field', { model: 'm', modle: 1 }, 'modle', 'unknown_parameter'],
    [
      'an item',
      { model: 'm', references: [{ url: 'u' }, 7] },
      'references[1]',
      'invalid_parameter',
    ],
    [
      'a field of an item',
      { model: 'm', references: [{ url: 'u' }, { url: 7 }] },
      'references[1].url',
      'invalid_parameter',
    ],
    [
      'a missing field of an item',
      { model: 'm', references: [{ url: 'u' }, {}] },
      'references[1].url',
      'missing_parameter',
    ],
    [
      'an unknown field of an item',
      { model: 'm', references: [{ url: 'u', ulr: 1 }] },
      'references[0].ulr',
      'unknown_parameter',
    ],
    [
      'an item of an item',
      { model: 'm', references: [{ url: 'u', tags: ['a', 'b', 3] }] },
      'references[0].tags[2]',
      'invalid_parameter',
    ],
    [
      'a name with a slash and a tilde',
      { model: 'm', metadata: { 'a/b~c': 1 } },
      'metadata.a/b~c',
      'invalid_parameter',
    ],
  ])('names %s', (...[, value, param, code]) => {
    expect(violationsIn(schema, value)).toEqual([
      { code, param, message: expect.stringContaining(param ?? 'the body') as unknown as string },
    ]);
  });

  it('is there once for each field, and for every field', () => {
    const found = violationsIn(schema, {
      references: [{ url: 1 }, 2],
      metadata: { a: 1, b: 2 },
      extra: 1,
    });

    expect(found.map(({ param }) => param).sort()).toEqual([
      'extra',
      'metadata.a',
      'metadata.b',
      'model',
      'references[0].url',
      'references[1]',
    ]);
    expect(
      violationsIn(
        { type: 'object', properties: { a: { type: 'integer', enum: [1], minimum: 1 } } },
        { a: 'x' },
      ),
    ).toHaveLength(1);
  });

  it('is not there for a value that is right', () => {
    expect(violationsIn(schema, { model: 'm', references: [{ url: 'u', tags: ['a'] }] })).toEqual(
      [],
    );
  });
});

describe('the sentence of a violation', () => {
  it.each<[object, unknown, string]>([
    [{ type: 'string' }, 5, 'a must be a string; got 5'],
    [{ type: 'integer' }, '5', 'a must be an integer; got "5"'],
    [{ type: 'number' }, null, 'a must be a number; got null'],
    [{ type: 'boolean' }, 'yes', 'a must be true or false; got "yes"'],
    [{ type: 'array' }, {}, 'a must be an array; got {}'],
    [{ type: 'object' }, [], 'a must be an object; got []'],
    [{ type: 'null' }, 1, 'a must be null; got 1'],
    [{ type: 'integer', minimum: 3 }, 2, 'a must be >= 3; got 2'],
    [
      { type: 'integer', 'x-must-be': 'a whole number above two' },
      'x',
      'a must be a whole number above two; got "x"',
    ],
    [
      { type: 'integer', minimum: 3, 'x-must-be': 'a whole number above two' },
      2,
      'a must be a whole number above two; got 2',
    ],
  ])('for %j and %j says what is right and what was sent', (schema, value, message) => {
    expect(messageOf(schema, value)).toBe(message);
  });

  it('says what a kind of object may be', () => {
    const one = (kind: string): object => ({
      type: 'object',
      properties: { kind: { const: kind } },
    });
    const schema = {
      type: 'object',
      required: ['kind'],
      discriminator: { propertyName: 'kind' },
      oneOf: [one('cat'), one('dog')],
    };

    expect(messageOf(schema, { kind: 'cow' })).toBe(
      'a must be an object whose kind is one of the known kinds; got {"kind":"cow"}',
    );
  });

  it('shows at most 80 characters of what was sent', () => {
    expect(messageOf({ type: 'integer' }, 'x'.repeat(78))).toBe(
      `a must be an integer; got "${'x'.repeat(78)}"`,
    );
    expect(messageOf({ type: 'integer' }, 'x'.repeat(79))).toBe(
      `a must be an integer; got "${'x'.repeat(76)}...`,
    );
  });

  it('says that nothing was sent', () => {
    expect(violationsIn({ type: 'object' }, undefined)).toEqual([
      {
        code: 'invalid_parameter',
        param: null,
        message: 'the body must be an object; got nothing',
      },
    ]);
  });
});

describe('all violations as one failure', () => {
  it('has the first one’s code, field and sentence, and every one in its details', () => {
    const error = requestError([
      { code: 'unknown_parameter', param: 'modle', message: 'modle is not a known field' },
      { code: 'missing_parameter', param: 'model', message: 'model is required' },
    ]);

    expect({
      code: error.code,
      param: error.param,
      message: error.message,
      details: error.details,
    }).toEqual({
      code: 'unknown_parameter',
      param: 'modle',
      message: 'modle is not a known field',
      details: [
        { param: 'modle', message: 'modle is not a known field' },
        { param: 'model', message: 'model is required' },
      ],
    });
  });
});

/** Compiled, never run. */
export const promises = (): unknown[] => [
  // @ts-expect-error a failure has at least one violation
  requestError([]),
];
