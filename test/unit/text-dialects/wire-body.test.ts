import fc from 'fast-check';
import { describe, expect, it } from '@jest/globals';
import {
  applyEdits,
  readTopLevel,
  requestEdits,
  rewriteCompletionModel,
  type BodyChanges,
} from '@gateway/text-dialects';
import { seed } from './wire-samples.ts';

const rewritten = (body: Buffer, changes: BodyChanges): Buffer =>
  applyEdits(body, requestEdits(body, changes));
const rewrite = (text: string, changes: BodyChanges): string =>
  rewritten(Buffer.from(text), changes).toString();

describe('finding top-level values in a body', () => {
  it('finds the same values as JSON.parse, whatever the other fields hold', () => {
    const anObject = fc.dictionary(fc.string(), fc.jsonValue());
    fc.assert(
      fc.property(anObject, fc.jsonValue(), anObject, fc.nat(2), (before, model, after, indent) => {
        const text = JSON.stringify({ ...before, model, ...after }, null, indent);
        const { spans, complete } = readTopLevel(Buffer.from(text), ['model']);
        const found = spans.map(
          ({ start, end }) => JSON.parse(Buffer.from(text).toString('utf8', start, end)) as unknown,
        );

        expect({ found, complete }).toEqual({
          found: [(JSON.parse(text) as { model: unknown }).model],
          complete: true,
        });
      }),
      { seed, numRuns: 500 },
    );
  });

  it.each([0, 1, 2, 3])(
    'finds the end of a text full of quotes, %i backslashes before it',
    (count) => {
      const text = `${'"\\"x'.repeat(2_000)}${'\\'.repeat(count)}`;
      const body = Buffer.from(JSON.stringify({ a: text, model: 'm' }));

      expect(readTopLevel(body, ['model'])).toMatchObject({
        spans: [{ start: body.length - 4, end: body.length - 1 }],
        complete: true,
      });
      expect(readTopLevel(body.subarray(0, -20), ['model'])).toMatchObject({ complete: false });
    },
  );

  it('finds the end of a text however far its quotes are from each other', () => {
    const distance = fc.oneof(fc.nat(3), fc.integer({ min: 14, max: 17 }), fc.nat(80));
    const pieces = fc.array(fc.tuple(distance, fc.constantFrom('"', '\\', '\\"', '"\\')), {
      maxLength: 40,
    });
    fc.assert(
      fc.property(pieces, distance, (quoted, rest) => {
        const text = quoted.map(([far, mark]) => 'x'.repeat(far) + mark).join('');
        const body = Buffer.from(JSON.stringify({ a: text + 'x'.repeat(rest), model: 'm' }));

        expect(readTopLevel(body, ['model'])).toMatchObject({
          spans: [{ start: body.length - 4, end: body.length - 1 }],
          complete: true,
        });
      }),
      { seed, numRuns: 500 },
    );
  });

  it.each([
    '',
    '[]',
    '{',
    '{"model"',
    '{"model":',
    '{"model":"x',
    '{"model":{"a":[',
    '{"a":"\\',
    'null',
    '<html>{</html>',
  ])('takes %j for incomplete, without throwing', (text) => {
    expect(readTopLevel(Buffer.from(text), ['model'])).toMatchObject({ complete: false });
  });
});

describe('the body for an upstream of the same dialect', () => {
  it.each<[string, string, BodyChanges, string]>([
    [
      'replaces the name of the model, every other byte stays',
      '{ "a" : 1.0,\n"model" : "x" , "z":"\\u00e9\\/"}',
      { model: 'up/stream' },
      '{ "a" : 1.0,\n"model" : "up/stream" , "z":"\\u00e9\\/"}',
    ],
    [
      'replaces a key that is written with an escape',
      '{"mod\\u0065l":"x"}',
      { model: 'y' },
      '{"mod\\u0065l":"y"}',
    ],
    [
      'replaces all of several',
      '{"model":"a","model":"b"}',
      { model: 'y' },
      '{"model":"y","model":"y"}',
    ],
    [
      'replaces the first of two also where the last is right already',
      '{"model":"a","model":"y"}',
      { model: 'y' },
      '{"model":"y","model":"y"}',
    ],
    [
      'lets the last of two different names win without a new one',
      '{"model":"a","model":"b"}',
      {},
      '{"model":"b","model":"b"}',
    ],
    [
      'leaves a model inside other values alone',
      '{"x":{"model":"a"},"model":"b","y":["model",{"model":"c"}]}',
      { model: 'z' },
      '{"x":{"model":"a"},"model":"z","y":["model",{"model":"c"}]}',
    ],
    [
      'is not led astray by quotes and braces in texts',
      '{"t":"\\"}{\\\\","u":"\\\\\\"model\\":","model":"b"}',
      { model: 'z' },
      '{"t":"\\"}{\\\\","u":"\\\\\\"model\\":","model":"z"}',
    ],
    [
      'finds the end of long texts that end in backslashes and quotes',
      `{"t":"${'x'.repeat(50)}\\"","u":"${'x'.repeat(50)}\\\\","model":"b"}`,
      { model: 'z' },
      `{"t":"${'x'.repeat(50)}\\"","u":"${'x'.repeat(50)}\\\\","model":"z"}`,
    ],
    [
      'asks for usage where nothing is said',
      '{"model":"a"}',
      { includeUsage: true },
      '{"stream_options":{"include_usage":true},"model":"a"}',
    ],
    [
      'asks for usage in place of null',
      '{"stream_options":null,"model":"a"}',
      { includeUsage: true },
      '{"stream_options":{"include_usage":true},"model":"a"}',
    ],
    [
      'asks for usage in an empty object',
      '{"stream_options":{ },"model":"a"}',
      { includeUsage: true },
      '{"stream_options":{"include_usage":true },"model":"a"}',
    ],
    [
      'asks for usage beside other options',
      '{"stream_options":{"include_obfuscation":false},"model":"a"}',
      { includeUsage: true },
      '{"stream_options":{"include_usage":true,"include_obfuscation":false},"model":"a"}',
    ],
    [
      'turns a no into a yes',
      '{"stream_options":{"include_usage": false},"model":"a"}',
      { includeUsage: true },
      '{"stream_options":{"include_usage": true},"model":"a"}',
    ],
    [
      'does both at once',
      '{"model":"a","stream_options":null}',
      { model: 'b', includeUsage: true },
      '{"model":"b","stream_options":{"include_usage":true}}',
    ],
  ])('%s', (_name, text, changes, expected) => {
    expect(rewrite(text, changes)).toBe(expected);
  });

  it.each<[string, string, BodyChanges]>([
    ['no change is asked', '{"model":"a"}', {}],
    ['the name is the same', '{"model":"a"}', { model: 'a' }],
    [
      'usage is asked for already',
      '{"model":"a","stream_options":{"include_usage":true}}',
      { includeUsage: true },
    ],
  ])('is the same Buffer when %s', (_name, text, changes) => {
    const body = Buffer.from(text);

    expect(rewritten(body, changes)).toBe(body);
  });

  it('changes what JSON.parse reads in the asked places only, for any body', () => {
    fc.assert(
      fc.property(
        fc.dictionary(fc.string(), fc.jsonValue()),
        fc.string(),
        fc.string(),
        (fields, model, next) => {
          const body = { ...fields, model, stream_options: { include_obfuscation: true } };
          const expected = JSON.parse(
            JSON.stringify({
              ...body,
              model: next,
              stream_options: { include_obfuscation: true, include_usage: true },
            }),
          ) as unknown;

          expect(
            JSON.parse(rewrite(JSON.stringify(body), { model: next, includeUsage: true })),
          ).toEqual(expected);
        },
      ),
      { seed, numRuns: 300 },
    );
  });

  it('reads no further than it has to where no field stands twice', () => {
    const text = '{"model":"a","messages":[],"model":"a"}';

    expect(rewrite(text, { model: 'b' })).toBe('{"model":"b","messages":[],"model":"b"}');
    expect(rewrite(text, { model: 'b', isJudged: true })).toBe(
      '{"model":"b","messages":[],"model":"a"}',
    );
  });

  it('goes through 24 MiB within two seconds', () => {
    const body = Buffer.from(
      JSON.stringify({
        messages: [{ role: 'user', content: 'x "quoted" \\ text '.repeat(1_200_000) }],
        model: 'a',
      }),
    );
    const start = performance.now();

    const changed = rewritten(body, { model: 'b' });

    expect(changed.toString('latin1', changed.length - 12)).toBe('"model":"b"}');
    expect(performance.now() - start).toBeLessThan(2_000);
  });
});

describe("the client's name of the model in a whole completion", () => {
  it.each([
    [
      '{"id":"1","model":"gpt-up","choices":[{"model":"x"}]}',
      '{"id":"1","model":"mine","choices":[{"model":"x"}]}',
    ],
    ['{"choices":[]}', '{"choices":[]}'],
    ['{"model":null}', '{"model":null}'],
    ['<html>no completion</html>', '<html>no completion</html>'],
  ])('%s', (text, expected) => {
    expect(rewriteCompletionModel(Buffer.from(text), 'mine').toString()).toBe(expected);
  });
});
