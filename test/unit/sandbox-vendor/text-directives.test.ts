import { describe, expect, it } from '@jest/globals';
import {
  readInstructions,
  textDirectiveList,
} from '../../../services/sandbox-vendor/src/text/directives.ts';

describe('reading directives from the last user text', () => {
  it.each([
    ['Hello', {}, 'Hello'],
    ['[pace=0] Hello  [tokens=12] there', { pace: 0, tokens: 12 }, 'Hello there'],
    ['[slow-first-byte=1.5][stall]', { 'slow-first-byte': 1.5, stall: 1 }, ''],
    ['[see note] [toString] [fail]', {}, '[see note] [toString] [fail]'],
  ])('finds in %j', (text, directives, plainText) => {
    expect(readInstructions(text)).toEqual({ directives, calls: [], plainText });
  });

  it.each([
    ['[call=f]', [{ name: 'f' }], ''],
    [
      'a [call=f {"x":[1],"y":{"z":"}]"}}] b [call=mcp__g-1]',
      [{ name: 'f', argumentsText: '{"x":[1],"y":{"z":"}]"}}' }, { name: 'mcp__g-1' }],
      'a b',
    ],
    [
      '[call=f {"text":"[call=g] [stall]"}]',
      [{ name: 'f', argumentsText: '{"text":"[call=g] [stall]"}' }],
      '',
    ],
    ['[call=f {"open":1]', [], '[call=f {"open":1]'],
  ])('finds the calls in %j', (text, calls, plainText) => {
    expect(readInstructions(text)).toEqual({ directives: {}, calls, plainText });
  });

  it('says what is wrong with a directive', () => {
    expect(readInstructions('[tokens=0]').problem).toContain(
      'write [tokens=N] with count from 1 to 100000',
    );
  });

  it('lists every directive as it is written', () => {
    expect(textDirectiveList().map(({ directive }) => directive)).toEqual(
      expect.arrayContaining([
        '[early-end]',
        '[error-mid-stream]',
        '[rate-limited]',
        '[overloaded]',
        '[server-error]',
        '[slow-first-byte=SECONDS]',
        '[stall]',
        '[garbage]',
        '[html]',
        '[reset]',
        '[context]',
        '[tokens=N]',
        '[pace=N]',
        '[think]',
        '[refuse]',
        '[no-usage]',
        '[slow-pings]',
        '[call=NAME {"key":"value"}]',
      ]),
    );
  });
});
