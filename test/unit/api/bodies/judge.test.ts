import { describe, expect, it } from '@jest/globals';
import { GatewayError } from '@gateway/domain';
import { judgeJson } from '../../../../services/api/src/bodies/judge.ts';

const bounds = { maxDepth: 4, maxValues: 30 };
const judge = (text: string | Buffer) => judgeJson(Buffer.from(text), bounds);

function refusalOf(text: string | Buffer): string {
  try {
    judge(text);
  } catch (error) {
    if (GatewayError.is(error)) return `${error.code}: ${error.message}`;
    throw error;
  }
  return 'none';
}

/** As many names as are not kept in a list any more. */
const many = Array.from({ length: 13 }, (_, index) => `"k${index}":0`).join();

describe('a JSON text judged by its bytes', () => {
  it.each([
    ['{"a":1,"a":2}', 'invalid_json: "a" stands twice in one object of the body; send it once'],
    ['{"a":{"b":1,"c":[],"b":2}}', 'invalid_json: "b" stands twice'],
    ['[{"a":1},{"b":1,"b":1}]', 'invalid_json: "b" stands twice'],
    [String.raw`{"ab":1,"a\u0062":2}`, 'invalid_json: "ab" stands twice'],
    ['{"é":1,"é":2}', 'invalid_json: "é" stands twice'],
    [`{${many},"k3":1}`, 'invalid_json: "k3" stands twice'],
    [`{"a":{${many}},"a":2}`, 'invalid_json: "a" stands twice'],
    [String.raw`{${many},"k\u0033":1}`, 'invalid_json: "k3" stands twice'],
    [String.raw`{"\u00e9":1,"é":2}`, 'invalid_json: "é" stands twice'],
    ['[[[[[]]]]]', 'invalid_parameter: the body must not be nested deeper than 4 levels'],
    [`[${'0,'.repeat(30)}0]`, 'invalid_parameter: the body must not have more than 30 values'],
    [`[${'"",'.repeat(30)}0]`, 'invalid_parameter: the body must not have more than 30 values'],
    [`[${'{},'.repeat(30)}0]`, 'invalid_parameter: the body must not have more than 30 values'],
    ['\uFEFF{}', 'invalid_json: the body begins with a byte order mark; leave it out'],
  ])('is refused: %s', (text, expected) => {
    expect(refusalOf(text)).toContain(expected);
  });

  it.each([
    Buffer.from([0x22, 0xff, 0x22]),
    Buffer.from('{"a":"b"}', 'utf16le').swap16().subarray(0, 3),
    Buffer.from([0x22, 0xe2, 0x22]),
  ])('is refused as no UTF-8: %s', (bytes) => {
    expect(refusalOf(bytes)).toBe(
      bytes[0] === 0 ? 'none' : 'invalid_json: the body is not valid UTF-8',
    );
  });

  it.each([
    '{"a":{"a":{"a":1}},"b":"a"}',
    '[{"a":1},{"a":1}]',
    '{"a":"a","b":["a","a"],"c":{"a":"x"}}',
    String.raw`{"a":"\"a\":1,\"a\":2","b\\":1,"b":"\\"}`,
    '{"a":[1,{"b":2}],"b":3}',
    ' { "a" : 1 , "b" : [ ] } ',
    '[[[[]]]]',
    '{}',
    'null',
    '',
    '{"a":1,"',
    ']}',
  ])('has nothing wrong: %s', (text) => {
    expect(refusalOf(text)).toBe('none');
  });

  it('counts names and values, as the contract of videos does', () => {
    expect(judge('{"a":1,"b":["x",null,{"c":{}}]}').values).toBe(10);
  });

  it.each([0, 1, 2, 3, 4, 5])(
    'tells where long strings stand, %i backslashes before their end',
    (backslashes) => {
      const text = `"${'x'.repeat(70_000)}${String.raw`\\`.repeat(backslashes)}"`;
      const body = `{"a":"short","b":${text},"c":[${text}]}`;
      const { longTexts } = judge(body);
      expect(longTexts.map(({ start, end }) => body.slice(start, end))).toEqual([text, text]);
    },
  );
});

describe('a reader of the texts of what is judged', () => {
  const shown = (text: string, lastPlace: number): string[] => {
    const bytes = Buffer.from(text);
    const texts: string[] = [];
    const show =
      (kind: string) =>
      (start: number, end: number): void => {
        texts.push(`${kind} ${bytes.toString('utf8', start, end)}`);
      };
    judgeJson(bytes, bounds, { lastPlace, name: show('name'), text: show('text') });
    return texts;
  };

  it('is shown names and other texts', () => {
    expect(shown('{"a":"b","c":["d",{"e":1}],"f":"}', Infinity)).toEqual([
      'name "a"',
      'text "b"',
      'name "c"',
      'text "d"',
      'name "e"',
      'name "f"',
    ]);
  });

  it('has nothing judged behind the place up to which it reads', () => {
    expect(shown('{"a":"b","a":"c"}', 9)).toEqual(['name "a"', 'text "b"']);
    expect(() => shown('{"a":"b","a":"c"}', 10)).toThrow('stands twice');
  });
});
