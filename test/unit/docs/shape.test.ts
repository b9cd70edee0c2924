import { describe, expect, it } from '@jest/globals';
import { blocksOf } from '../../documentation/markdown.ts';
import { differences, jsonIn, missingLines } from '../../documentation/shape.ts';

describe('a response beside the one that a page shows', () => {
  it.each([
    ['has more fields', { id: 'a' }, { id: 'b', more: 1 }, []],
    ['lacks a field', { id: 'a' }, {}, ['the response.id is shown and is not there']],
    [
      'has a field of another type',
      { at: '1' },
      { at: 1 },
      ['the response.at is shown as string and is number'],
    ],
    ['has null where anything is shown as null', { at: null }, { at: 'x' }, []],
    [
      'has null where a text is shown',
      { at: 'x' },
      { at: null },
      ['the response.at is shown as string and is null'],
    ],
    [
      'costs something else',
      { bill: { billed_quota: 400 } },
      { bill: { billed_quota: 500 } },
      ['the response.bill.billed_quota is shown as 400 and is 500'],
    ],
    [
      'is something else',
      { object: 'video' },
      { object: 'list' },
      ['the response.object is shown as "video" and is "list"'],
    ],
    ['fits the text around an ellipsis', { id: 'video_…' }, { id: 'video_1' }, []],
    [
      'does not fit it',
      { id: 'video_…' },
      { id: 'asset_1' },
      ['the response.id is shown as "video_…" and is "asset_1"'],
    ],
    [
      'has a shorter list',
      { data: [{ id: 'a' }] },
      { data: [] },
      ['the response.data is shown with 1 entries and has 0'],
    ],
    [
      'has another entry in its list',
      { data: [{ id: 'a' }] },
      { data: [{}, {}] },
      ['the response.data[0].id is shown and is not there'],
    ],
    ['has a list where an empty one is shown', { data: [] }, { data: [1] }, []],
  ])('%s', (_case, shown, responded, wrong) => {
    expect(differences(shown, responded)).toEqual(wrong);
  });
});

describe('lines beside those that a page shows', () => {
  it.each([
    ['in order, with others between', 'a …\nc', 'a 1\nb\nc', []],
    ['in another order', 'c\na', 'a\nc', ['a']],
    ['with another text', 'a (… s).', 'a (1.5 m).', ['a (… s).']],
  ])('%s', (_case, shown, printed, missing) => {
    expect(missingLines(shown, printed)).toEqual(missing);
  });
});

describe('the JSON in what was printed', () => {
  it.each([
    ['alone', '{"a":1}', [{ a: 1 }]],
    ['between other words', 'npm warn {x}\n{"a":"}"}{"b":[1]} done', [{ a: '}' }, { b: [1] }]],
    ['cut off', '{"a":', []],
  ])('%s', (_case, printed, values) => {
    expect(jsonIn(printed)).toEqual(values);
  });
});

describe('a block of a page', () => {
  it('has what the comments before it say, and the section it stands in', () => {
    const text =
      '# One\n<!-- given: ID=1 -->\n```sh\n# no heading\n```\n\n## Two\ntext\n<!-- not run: no docker -->\n\n```sh more\nb\nc\n```\n';

    expect(blocksOf({ name: 'x.md', text })).toEqual([
      {
        line: 3,
        language: 'sh',
        code: '# no heading',
        section: 1,
        isSame: false,
        given: 'ID=1',
        notRun: undefined,
      },
      {
        line: 11,
        language: 'sh',
        code: 'b\nc',
        section: 2,
        isSame: false,
        given: undefined,
        notRun: 'no docker',
      },
    ]);
  });

  it('that is folded up below a command takes for given what the command does', () => {
    const text =
      '<!-- given: ID=1 -->\n```sh\na\n```\n\n<details><summary>Python</summary>\n\n```python\nb\n```\n\n</details>\n\n```json\n{}\n```\n';

    expect(blocksOf({ name: 'x.md', text })).toMatchObject([
      { language: 'sh', isSame: false, given: 'ID=1' },
      { language: 'python', isSame: true, given: 'ID=1' },
      { language: 'json', isSame: false, given: undefined },
    ]);
  });

  it('that is not closed is told with its line', () => {
    expect(() => blocksOf({ name: 'x.md', text: 'a\n```sh\nb\n' })).toThrow(
      'x.md:2 opens a block that is not closed',
    );
  });
});
