import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { createTextTemplate } from '../../../packages/text-dialects/src/text-template.ts';

const chunk = (content: string, extra: object = {}): string =>
  JSON.stringify({
    id: 'c',
    choices: [{ index: 0, delta: { content }, finish_reason: null }],
    ...extra,
  });

describe("a stream's text template", () => {
  it('reads the text of a chunk that differs in its text alone', () => {
    const template = createTextTemplate();
    template.learn(chunk('one'), 'one');

    expect(template.match(chunk('two three'))).toBe('two three');
    expect(template.match(chunk('é…🙂'))).toBe('é…🙂');
  });

  it.each([
    ['a quote', chunk('say "hi"')],
    ['a backslash', chunk('a\\b')],
    ['a line end', chunk('a\nb')],
    ['nothing', chunk('')],
    ['another field', chunk('two', { usage: { prompt_tokens: 1 } })],
    ['a finish', chunk('two').replace('null', '"stop"')],
  ])('leaves a chunk with %s to the parser', (_what, data) => {
    const template = createTextTemplate();
    template.learn(chunk('one'), 'one');

    expect(template.match(data)).toBeUndefined();
  });

  it('learns nothing from a text that stands in two places, or elsewhere than in a text', () => {
    const template = createTextTemplate();
    template.learn(chunk('c'), 'c');
    expect(template.match(chunk('d'))).toBeUndefined();

    template.learn('{"model":"a","choices":[{"delta":{"content":"\\u0061"}}]}', 'a');
    expect(
      template.match('{"model":"b","choices":[{"delta":{"content":"\\u0061"}}]}'),
    ).toBeUndefined();
  });

  it('forgets when something else was said', () => {
    const template = createTextTemplate();
    template.learn(chunk('one'), 'one');
    template.forget();

    expect(template.match(chunk('two'))).toBeUndefined();
  });

  it('never reads another text than the parser does', () => {
    fc.assert(
      fc.property(
        fc.array(fc.string({ unit: 'grapheme', maxLength: 12 }), { maxLength: 20 }),
        fc.array(fc.constantFrom({}, { x: 1 }, { content: 'y' })),
        (texts, extras) => {
          const template = createTextTemplate();
          texts.forEach((text, index) => {
            const data = chunk(text, extras[index % Math.max(1, extras.length)] ?? {});
            const known = template.match(data);
            if (known !== undefined) {
              expect(known).toBe(
                (JSON.parse(data) as { choices: { delta: { content: string } }[] }).choices[0]!
                  .delta.content,
              );
            } else template.learn(data, text);
          });
        },
      ),
      { seed: 7, numRuns: 500 },
    );
  });
});
