import fc from 'fast-check';
import { describe, expect, it } from '@jest/globals';
import {
  createCompletionFilter,
  filterCompletion,
} from '../../../packages/text-dialects/src/filters.ts';
import type {
  Completion,
  CompletionMemory,
  TextEvent,
} from '../../../packages/text-dialects/src/neutral.ts';
import { aMemory } from './m2c-samples.ts';

const text = (words: string): TextEvent => ({ type: 'text', text: words });
const finish: TextEvent = { type: 'finish', finish: { reason: 'stop' } };
const usage = {
  inputTokens: 1,
  cachedInputTokens: 0,
  cacheWriteTokens: 0,
  outputTokens: 2,
  reasoningTokens: 0,
  estimated: false,
};

function filtered(
  memory: Partial<CompletionMemory>,
  events: readonly TextEvent[],
): { events: readonly TextEvent[]; words: string; cut: boolean } {
  const filter = createCompletionFilter(aMemory(memory));
  const told = events.flatMap((event) => filter.push(event));
  return {
    events: told,
    words: told.map((event) => (event.type === 'text' ? event.text : '')).join(''),
    cut: filter.isCut(),
  };
}

const aCompletion = (...parts: Completion['parts']): Completion => ({
  id: 'x',
  parts,
  finish: { reason: 'stop' },
  usage,
});

describe('stop sequences that the upstream does not take', () => {
  it('end the completion wherever the chunks fall', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: fc.constantFrom('a', 'b', 'c'), maxLength: 30 }),
        fc.array(fc.string({ unit: fc.constantFrom('a', 'b', 'c'), minLength: 1, maxLength: 4 }), {
          minLength: 1,
          maxLength: 3,
        }),
        fc.array(fc.nat(29)),
        (whole, stops, cuts) => {
          const places = [
            ...new Set([0, ...cuts.filter((cut) => cut < whole.length), whole.length]),
          ].sort((a, b) => a - b);
          const pieces = places.slice(1).map((end, index) => text(whole.slice(places[index], end)));
          const ends = stops.map((stop) => whole.indexOf(stop)).filter((at) => at >= 0);
          const { words, cut, events } = filtered({ emulatedStops: stops, stops }, [
            ...pieces,
            finish,
            { type: 'end' },
          ]);

          // A stop that is complete in an earlier chunk ends the completion before a longer one that
          // began before it.
          expect(cut).toBe(ends.length > 0);
          expect(words.length).toBeGreaterThanOrEqual(
            ends.length > 0 ? Math.min(...ends) : whole.length,
          );
          expect(whole.startsWith(words) && stops.every((stop) => !words.includes(stop))).toBe(
            true,
          );
          expect(events.at(-1)).toEqual({ type: 'end' });
        },
      ),
      { seed: 7, numRuns: 500 },
    );
  });

  it('are told as the reason, with figures of our own, and nothing follows', () => {
    const { events, cut } = filtered({ emulatedStops: ['END'] }, [
      text('one E'),
      text('ND two'),
      text('three'),
      finish,
      { type: 'end' },
    ]);

    expect(events).toEqual([
      text('one '),
      {
        type: 'usage',
        usage: {
          inputTokens: 11,
          cachedInputTokens: 0,
          cacheWriteTokens: 0,
          outputTokens: 2,
          reasoningTokens: 0,
          estimated: true,
        },
      },
      { type: 'finish', finish: { reason: 'stop_sequence', stopSequence: 'END' } },
      { type: 'end' },
    ]);
    expect(cut).toBe(true);
  });

  it('hold nothing back that could not be one', () => {
    expect(filtered({ emulatedStops: ['END'] }, [text('one two')]).events).toEqual([
      text('one two'),
    ]);
    expect(filtered({ emulatedStops: ['END'] }, [text('one EN')]).events).toEqual([text('one ')]);
  });

  it('let go of what was held before anything else is told', () => {
    const call: TextEvent = { type: 'tool_start', id: 'a', name: 'f' };

    expect(filtered({ emulatedStops: ['END'] }, [text('one EN'), call, finish]).events).toEqual([
      text('one '),
      text('EN'),
      call,
      finish,
    ]);
  });

  it('cut a whole completion as well', () => {
    const completion = aCompletion(
      { type: 'text', text: 'one END two' },
      { type: 'tool_call', id: 'a', name: 'f', argumentsText: '{}' },
    );

    expect(filterCompletion(completion, aMemory({ emulatedStops: ['two', 'END'] }))).toEqual({
      ...completion,
      parts: [{ type: 'text', text: 'one ' }],
      finish: { reason: 'stop_sequence', stopSequence: 'END' },
    });
  });
});

describe('a beginning of the completion that the client wrote', () => {
  it.each<[string, readonly string[], string]>([
    ['is taken off when repeated', ['{"a":', '1}'], '1}'],
    ['is taken off over chunks', ['{"', 'a":1', '}'], '1}'],
    ['is not missed when the completion goes on from it', ['1', '}'], '1}'],
    ['is kept when only half repeated', ['{"', 'b":1}'], '{"b":1}'],
    ['is kept when the completion ends within it', ['{"'], '{"'],
  ])('%s', (_case, pieces, words) => {
    const whole = filterCompletion(
      aCompletion({ type: 'text', text: pieces.join('') }),
      aMemory({ prefill: '{"a":' }),
    );

    expect(filtered({ prefill: '{"a":' }, [...pieces.map(text), finish]).words).toBe(words);
    expect(whole.parts).toEqual([{ type: 'text', text: words }]);
  });
});

describe('a completion of which one tool call is wanted', () => {
  it('has the first one only', () => {
    const calls = ['a', 'b'].flatMap((id): TextEvent[] => [
      { type: 'tool_start', id, name: 'f' },
      { type: 'tool_arguments', text: '{"x":1}' },
      { type: 'tool_end' },
    ]);
    const parts = ['a', 'b'].map((id) => ({
      type: 'tool_call' as const,
      id,
      name: 'f',
      argumentsText: '{}',
    }));

    expect(filtered({ singleToolCall: true }, [...calls, finish]).events).toEqual([
      ...calls.slice(0, 3),
      finish,
    ]);
    expect(
      filterCompletion(aCompletion(...parts), aMemory({ singleToolCall: true })).parts,
    ).toEqual(parts.slice(0, 1));
  });
});

describe('a completion whose schema was wrapped', () => {
  it.each([
    ['[1,2]', '{"value": [1,2]}'],
    ['"a"', '{"value":"a"}'],
    ['{"x":1}', '{"x":1}'],
    ['{"value":', '{"value":'],
  ])('is told as %s', (words, whole) => {
    expect(
      filtered({ unwrapValue: true }, [text(whole.slice(0, 4)), text(whole.slice(4)), finish])
        .words,
    ).toBe(words);
    expect(
      filterCompletion(aCompletion({ type: 'text', text: whole }), aMemory({ unwrapValue: true }))
        .parts,
    ).toEqual([{ type: 'text', text: words }]);
  });
});

describe('a completion that needs nothing', () => {
  it('is passed on as the very same', () => {
    const completion = aCompletion({ type: 'text', text: 'a' });
    const event = text('a');

    expect(filterCompletion(completion, aMemory())).toBe(completion);
    expect(createCompletionFilter(aMemory()).push(event)[0]).toBe(event);
  });
});
