import { describe, expect, it } from '@jest/globals';
import { render } from '../../../bench/src/results/render.ts';
import { jsonOf, readResult, type Result } from '../../../bench/src/results/result.ts';

const run: Result['run'] = {
  date: '2026-11-27',
  options: '--minutes=1',
  commit: '0123abcd',
  node: '20.20.2',
  cores: 2,
  cpu: 'A CPU',
  othersCores: 0.04,
  isQuiet: true,
};

const creates = (value: number): Result => ({
  bench: 'tasks',
  part: 'creation',
  run,
  tables: [{ head: ['callers', 'p50 (ms)', 'p99 (ms)'], rows: [[1, 13.14, NaN]] }],
  figures: [
    { measure: 'creates, 32 callers', unit: '1/s', value, target: { atLeast: 300 } },
    { measure: 'the same, p99', unit: 'ms', value: 141 },
  ],
  notes: ['A note.'],
});

const streams = (chat: number): Result => ({
  bench: 'text',
  part: 'B',
  run,
  comparisons: [
    {
      measure: 'chat: streams',
      unit: '1/s',
      bare: 2_000,
      gateway: 2_000 * chat,
      compared: { value: chat, of: '× bare', atLeast: 0.7 },
    },
    {
      measure: 'messages: streams',
      unit: '1/s',
      compared: { value: 0.9, of: '× bare', atLeast: 0.7 },
    },
    { measure: 'messages: its core busy', unit: 'share', gateway: 0.5 },
  ],
  notes: [],
});

const rendered = (text: string, ...results: Result[]): string =>
  render(
    { name: 'x.md', text },
    results.map((result) => readResult(jsonOf(result))),
  );
const block = (name: string): string => `<!-- bench:${name} -->\nold\n<!-- /bench -->\n`;

describe('a block of a page', () => {
  it('has the tables of its result, and where they come from', () => {
    expect(rendered(`before\n${block('tasks/creation')}after`, creates(459))).toBe(
      [
        'before',
        '<!-- bench:tasks/creation -->',
        '| callers | p50 (ms) |',
        '| --- | --- |',
        '| 1 | 13.1 |',
        '',
        '| measure | measured | target |  |',
        '| --- | --- | --- | --- |',
        '| creates, 32 callers (1/s) | 459 | ≥ 300 | met |',
        '| the same, p99 (ms) | 141 |  |  |',
        '',
        'Measured, 2026-11-27, commit 0123abcd, `--minutes=1`, Node 20.20.2, 2 cores (A CPU); other programs',
        'used 0.04 cores meanwhile.',
        '',
        '<!-- /bench -->',
        'after',
      ].join('\n'),
    );
  });

  it('changes with its result, and not by a second time', () => {
    const before = rendered(block('tasks/creation'), creates(459));
    const after = rendered(before, creates(12_345.6));

    expect(after).toBe(before.replace('| 459 |', '| 12,346 |'));
    expect(rendered(after, creates(12_345.6))).toBe(after);
  });

  it('that was edited by hand gets its figures back', () => {
    const before = rendered(block('tasks/creation'), creates(459));

    expect(rendered(before.replace('459', '954'), creates(459))).toBe(before);
  });

  it.each([
    ['tables', '13.1', 'measured'],
    ['targets', 'creates', 'the same'],
    ['side by side', '459 (≥ 300)', 'the same'],
  ])('with the view "%s" has %s and not %s', (view, shown, hidden) => {
    const text = rendered(block(`tasks/creation; ${view}`), creates(459));

    expect(text).toContain(shown);
    expect(text).not.toContain(hidden);
  });

  it('side by side has a row for each case, and in bold what is missed', () => {
    expect(rendered(block('text/B; side by side'), streams(0.6))).toContain(
      [
        '|  | streams, × bare |',
        '| --- | --- |',
        '| chat | **0.6 (≥ 0.7)** |',
        '| messages | 0.9 (≥ 0.7) |',
      ].join('\n'),
    );
  });

  it('of a bench has the parts of it in one table', () => {
    const other = { ...creates(200), part: 'polls' };

    expect(rendered(block('tasks; targets'), creates(459), other, streams(1))).toContain(
      '| creates, 32 callers (1/s) | 459 | ≥ 300 | met |\n| creates, 32 callers (1/s) | 200 | ≥ 300 | not met |\n',
    );
  });

  it('of all results has the notes of each below a heading', () => {
    const text = rendered(block('all'), creates(459), streams(0.9));

    expect(text.match(/^## .*$/gm)).toEqual(['## tasks/creation', '## text/B']);
    expect(text).toContain('\nA note.\n');
  });

  it('says that a run was not quiet', () => {
    const result = { ...creates(459), run: { ...run, isQuiet: false, othersCores: 1.3 } };

    expect(rendered(block('tasks/creation'), result).replaceAll('\n', ' ')).toContain(
      '1.3 cores meanwhile, **not a quiet machine',
    );
  });
});

describe('the block of targets', () => {
  it('counts those that are met, and names the others', () => {
    expect(rendered(block('targets'), creates(200), streams(0.6))).toContain(
      [
        '1 of 3 targets are met. These are not:',
        '',
        '| bench | missed |',
        '| --- | --- |',
        '| tasks/creation | creates, 32 callers |',
        '| text/B | streams (1 of 2) |',
      ].join('\n'),
    );
  });

  it('takes what was not measured for missed', () => {
    expect(rendered(block('targets'), creates(NaN))).toContain('0 of 1 targets');
  });

  it('has no table where all are met', () => {
    expect(rendered(block('targets'), creates(300))).toBe(
      '<!-- bench:targets -->\n1 of 1 targets are met.\n\n<!-- /bench -->\n',
    );
  });
});

describe('a figure in a sentence', () => {
  it.each([
    ['tasks/creation; creates', '459'],
    ['tasks/creation; creates; target', '≥ 300'],
    ['tasks/creation; 1; p50', '13.1'],
    ['text/B; chat: streams', '1,600'],
    ['text/B; chat; compared', '0.8 × bare'],
  ])('%s is %s', (address, shown) => {
    expect(rendered(`is <!-- bench:${address} -->x<!-- / -->.`, creates(459), streams(0.8))).toBe(
      `is <!-- bench:${address} -->${shown}<!-- / -->.`,
    );
  });

  it('may stand beside another one, in a table too', () => {
    const marked = (text: string): string =>
      `<!-- bench:tasks/creation; creates -->${text}<!-- / -->`;

    expect(rendered(`| ${marked('')} | ${marked('1')} |`, creates(459))).toBe(
      `| ${marked('459')} | ${marked('459')} |`,
    );
  });

  it('is only told of between backticks', () => {
    const text = '`<!-- bench:tasks -->`, `<!-- bench:nothing; at all -->` and `<!-- / -->`';

    expect(rendered(text, creates(459))).toBe(text);
  });
});

describe('a page is refused', () => {
  it.each([
    ['<!-- bench:nothing -->\n<!-- /bench -->', 'there is no such result'],
    ['<!-- bench:tasks; upside down -->\n<!-- /bench -->', 'there is no view "upside down"'],
    ['<!-- bench:tasks -->\nand no end', 'has no end'],
    ['a <!-- bench:tasks; creates -->459', 'has no end'],
    ['a <!-- bench:tasks; videos -->1<!-- / -->', 'nothing begins with "videos"'],
    ['a <!-- bench:text/B; messages -->1<!-- / -->', 'more than one begins with "messages"'],
    ['a <!-- bench:tasks; 1; p99 -->1<!-- / -->', 'was not measured'],
    ['a\n<!-- bench:tasks; creates -->1<!-- / -->', 'begin no line with'],
  ])('where it says %j', (text, problem) => {
    expect(() => rendered(text, creates(459), streams(0.8))).toThrow(problem);
  });
});
