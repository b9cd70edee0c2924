import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { cleanReason, logText } from '../../../packages/video-providers/src/vendor-text.ts';

describe('a vendor’s sentence for a customer', () => {
  it.each([
    [
      'The request failed because the input text may contain sensitive information. Request id: 021718067849899d92fcbe0865fdffdde',
      'The request failed because the input text may contain sensitive information.',
    ],
    ['Bad image (request_id=abcdef)', 'Bad image'],
    [
      'Invalid image, see https://docs.vendor.example/errors?x=1 for help',
      'Invalid image, see … for help',
    ],
    ['Cannot read data:image/png;base64,AAAA of the request', 'Cannot read … of the request'],
    [
      'The specified task cgt-20260101000000-abcde is not found',
      'The specified task … is not found',
    ],
    [
      'The model or endpoint ep-20250101-x7k2p does not exist',
      'The model or endpoint … does not exist',
    ],
    ['model `doubao-seedance-2-0-260128` does not support it', 'model … does not support it'],
    ['Account "Acme Films" may not use it', 'Account … may not use it'],
    ['Quota of account: acme-films reached', 'Quota of account … reached'],
    ['Quota of account 2100123456 reached', 'Quota of account … reached'],
    ['Ask ops@acme.example.com or call ark.cn-beijing.volces.com', 'Ask … or call …'],
    ['refused by trn:iam::2100123456:user/bob', 'refused by …'],
    ['node 10.0.13.7:8080 failed', 'node … failed'],
    ['trace 9f86d081884c7d65 ended', 'trace … ended'],
    ['550e8400-e29b-41d4-a716-446655440000 rejected', '… rejected'],
    ['line one\r\n\tline\u0000 two\u202e', 'line one line two'],
  ])('%j', (sentence, cleaned) => {
    expect(cleanReason(sentence)).toBe(cleaned);
  });

  it.each([
    'the width must be between 300 and 6000 px; got 1280x720',
    'content[0].image_url.url is not readable',
    'pixels per frame must be at most 8295044',
    'The video may not show a real person’s face (see the content rules).',
    '输入的文本可能包含敏感信息',
    'task id not found',
  ])('keeps %j as it is', (sentence) => {
    expect(cleanReason(sentence)).toBe(sentence);
  });

  it.each([
    [undefined],
    [''],
    ['  \n '],
    ['…'],
    ['https://vendor.example/x'],
    ['Request id: 0217180678'],
  ])('is absent when nothing is left of %p', (sentence) => {
    expect(cleanReason(sentence)).toBeUndefined();
  });

  it('is at most 300 characters and tears none apart', () => {
    const cleaned = cleanReason(`${'a'.repeat(298)}😀😀😀`)!;

    expect(Array.from(cleaned)).toHaveLength(300);
    expect(cleaned).toMatch(/a😀…$/u);
  });

  it('never holds a link or an identifier, wherever it stands', () => {
    const word = fc.constantFrom(
      'the',
      'image',
      'request',
      'id',
      'account',
      ':',
      '(',
      '"',
      '/',
      'user',
      '。',
    );
    const secret = fc.constantFrom(
      'https://files.example/a?sig=1',
      'cgt-20260101000000-abcde',
      '021718067849899d92fcbe',
      '2100123456',
    );
    fc.assert(
      fc.property(
        fc.array(word, { maxLength: 8 }),
        secret,
        fc.array(word, { maxLength: 8 }),
        (before, hidden, after) => {
          expect(cleanReason([...before, hidden, ...after].join(' ')) ?? '').not.toContain(hidden);
        },
      ),
    );
  });

  it('takes no time that grows with a hostile sentence', () => {
    const startedAt = performance.now();
    for (const piece of ['request ', 'a.', '1-', '((((', 'account ', 'a@', '… ']) {
      cleanReason(piece.repeat(200_000));
    }

    expect(performance.now() - startedAt).toBeLessThan(500);
  });
});

describe('a vendor’s text for the log', () => {
  it('is one bounded line, and links lose their query', () => {
    expect(logText('a\n b\u0007 https://files.example/v.mp4?X-Sig=abc end')).toBe(
      'a b https://files.example/v.mp4?… end',
    );
    expect(logText('x'.repeat(10_000))).toHaveLength(500);
  });
});
