import fc from 'fast-check';
import { describe, expect, it } from '@jest/globals';
import {
  chunk,
  finishChunk,
  messageFrom,
  toolChunk,
  usageChunk,
  type Json,
} from './m2c-samples.ts';

interface Call {
  readonly name: string;
  readonly input: unknown;
}

const aCall = fc.record({
  name: fc.constantFrom('f', 'g', 'get_weather'),
  input: fc.dictionary(fc.string({ maxLength: 4 }), fc.jsonValue({ maxDepth: 2 }), {
    minKeys: 1,
    maxKeys: 3,
  }),
});

/** The fragments of one call: the first names it, the others only continue its arguments. */
function fragmentsOf(
  { name, input }: Call,
  index: number,
  cuts: readonly number[],
): readonly Json[] {
  const text = JSON.stringify(input);
  const places = [...new Set([0, ...cuts.map((cut) => cut % text.length), text.length])].sort(
    (a, b) => a - b,
  );
  const pieces = places.slice(1).map((end, at) => text.slice(places[at], end));
  return [
    { index, id: `call_${index}`, type: 'function', function: { name, arguments: '' } },
    ...pieces.map((piece) => ({ index, function: { arguments: piece } })),
  ];
}

/** All queues into one, each in its own order, by a list of choices. */
function interleave<Item>(
  queues: readonly (readonly Item[])[],
  choices: readonly number[],
): readonly Item[] {
  const rest = queues.map((queue) => [...queue]);
  const result: Item[] = [];
  for (let turn = 0; rest.some((queue) => queue.length > 0); turn++) {
    const open = rest.filter((queue) => queue.length > 0);
    result.push(open[(choices[turn] ?? 0) % open.length]!.shift()!);
  }
  return result;
}

/** Several fragments in one chunk, or each in its own. */
function grouped(fragments: readonly Json[], sizes: readonly number[]): readonly string[] {
  const chunks: string[] = [];
  for (let at = 0, turn = 0; at < fragments.length; turn++) {
    const size = 1 + (sizes[turn] ?? 0);
    chunks.push(toolChunk(...fragments.slice(at, at + size)));
    at += size;
  }
  return chunks;
}

describe('any chunking of tool fragments from a chat upstream', () => {
  const numbers = fc.array(fc.nat(40), { maxLength: 40 });

  it('gives a stream that keeps the grammar, with every call whole', () => {
    fc.assert(
      fc.property(
        fc.array(aCall, { minLength: 1, maxLength: 4 }),
        numbers,
        numbers,
        fc.array(fc.nat(3)),
        (calls, cuts, choices, sizes) => {
          const fragments = interleave(
            calls.map((call, index) => fragmentsOf(call, index, cuts)),
            choices,
          );
          const { blocks, delta } = messageFrom([
            chunk({ role: 'assistant', content: 'so' }),
            ...grouped(fragments, sizes),
            finishChunk('tool_calls'),
            usageChunk(),
            '[DONE]',
          ]);

          const read = blocks
            .filter(({ type }) => type === 'tool_use')
            .map(({ id, name, partial_json: json }) => ({
              id,
              name,
              input: JSON.parse(json as string) as unknown,
            }));
          expect(new Map(read.map(({ id, ...call }) => [id, call]))).toEqual(
            new Map(
              calls.map(({ name, input }, index) => [
                `call_${index}`,
                { name, input: JSON.parse(JSON.stringify(input)) as unknown },
              ]),
            ),
          );
          expect([blocks.length, delta]).toEqual([
            calls.length + 1,
            { stop_reason: 'tool_use', stop_sequence: null },
          ]);
        },
      ),
      { seed: 20_261_121, numRuns: 400 },
    );
  });

  it('gives a stream that keeps the grammar whatever an upstream sends', () => {
    const word = fc.option(fc.constantFrom('', 'a', '{', '{"x":', '1}', '}', 'null'), {
      nil: undefined,
    });
    const fragment = fc.record({
      index: fc.constantFrom(undefined, 0, 1, 2),
      id: fc.constantFrom(undefined, '', 'a', 'b', 'x.y:1'),
      function: fc.option(
        fc.record({ name: fc.constantFrom(undefined, '', 'f', 'g'), arguments: word }),
        { nil: undefined },
      ),
    });
    const line = fc.oneof(
      fc.array(fragment, { maxLength: 3 }).map((fragments) => toolChunk(...fragments)),
      fc.constantFrom(
        chunk({ content: 'text' }),
        chunk({ reasoning: 'hm' }),
        chunk(null),
        finishChunk('stop'),
        finishChunk('length'),
        usageChunk(),
        '[DONE]',
        '{"error":{"message":"no"}}',
        'oops',
        '',
      ),
      fc.constantFrom(
        chunk({ reasoning_details: [{ type: 'reasoning.text', signature: 'S' }] }),
        chunk({ reasoning_details: [{ type: 'reasoning.encrypted', data: 'E' }] }),
      ),
    );

    fc.assert(
      fc.property(
        fc.array(line, { maxLength: 15 }),
        fc.boolean(),
        fc.boolean(),
        (lines, single, hold) => {
          const message = messageFrom(lines, {
            memory: { singleToolCall: single, emulatedStops: ['xt'] },
            quirks: { bufferToolCalls: hold },
          });

          expect((message.error === undefined) !== (message.delta === undefined)).toBe(true);
        },
      ),
      { seed: 20_261_121, numRuns: 2_000 },
    );
  });
});
