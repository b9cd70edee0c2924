import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { treeCpuSeconds } from '../../../bench/src/proc.ts';
import { boundOf, shown, verdictOf, type Target } from '../../../bench/src/report.ts';
import { startReporting } from '../../../bench/src/results/reporting.ts';
import { jsonOf, readResult, type Result } from '../../../bench/src/results/result.ts';

const machine = { node: '20.20.2', cores: 2, cpu: 'A CPU', commit: '0123abcd' };
const figures = [
  { measure: 'requests', unit: '1/s', value: 1_234.56, target: { atLeast: 2_000 } },
  { measure: 'delay', unit: 'ms', value: 0.123456 },
];

describe('what a bench publishes', () => {
  let folder: string;
  let lines: string[];
  beforeEach(() => {
    folder = mkdtempSync(path.join(tmpdir(), 'bench-results-'));
    lines = [];
    jest.spyOn(console, 'log').mockImplementation((line: unknown) => {
      lines.push(String(line));
    });
    jest.spyOn(console, 'error').mockReturnValue();
  });
  afterEach(() => {
    rmSync(folder, { recursive: true });
  });

  const start = (...args: string[]) => startReporting({ bench: 'text', args, machine });
  const printed = (): string => lines.join('\n');

  it('is printed as tables, and left at that', () => {
    const { publish, end, rest } = start('--only=A');
    publish({ title: 'Part A', figures, notes: ['A note.'] }, 'A');
    end();

    expect(rest).toEqual(['--only=A']);
    expect(printed()).toContain('Part A\n');
    expect(printed()).toContain('| requests (1/s) | 1,235 | ≥ 2,000 | not met |');
    expect(printed()).toContain('A note.');
    expect(readdirSync(folder)).toEqual([]);
  });

  it('is kept with what it was measured on, rounded as printed, missed targets too', () => {
    const { publish, end, rest } = start('--only=A', `--record=${folder}`);
    publish({ figures, notes: [] }, 'A');
    publish({ figures, notes: [] });
    end();

    expect(rest).toEqual(['--only=A']);
    expect(readdirSync(folder)).toEqual(['text-A.json', 'text.json']);
    expect(JSON.parse(readFileSync(path.join(folder, 'text-A.json'), 'utf8'))).toEqual({
      bench: 'text',
      part: 'A',
      run: {
        ...machine,
        date: expect.stringMatching(/^\d{4}-\d\d-\d\d$/),
        options: '--only=A',
        othersCores: expect.any(Number),
        isQuiet: expect.any(Boolean),
      },
      tables: [],
      comparisons: [],
      figures: [
        {
          measure: 'requests',
          unit: '1/s',
          value: 1_235,
          target: { atLeast: 2_000 },
          verdict: 'not met',
        },
        { measure: 'delay', unit: 'ms', value: 0.123 },
      ],
      notes: [],
    });
  });

  it('is JSON on standard output where programs read it', () => {
    const { publish, end, print } = start('--json');
    print('2 cores');
    publish({ figures, notes: [] }, 'A');
    end();

    expect(JSON.parse(printed())).toMatchObject([
      { bench: 'text', part: 'A', figures: [{ value: 1_235, verdict: 'not met' }, {}] },
    ]);
  });

  it('is not kept where nothing could be measured', () => {
    const { publish, end } = start(`--record=${folder}`);
    publish({ figures: [], notes: ['Not measured: no database'] }, 'A');
    end();

    expect(readdirSync(folder)).toEqual([]);
  });
});

describe('a result', () => {
  const result: Result = {
    bench: 'billing',
    run: { ...machine, date: '2026-11-27', options: '', othersCores: 0.04, isQuiet: true },
    tables: [
      {
        head: ['holds', '1/s'],
        rows: [
          ['hot', 3_007.4],
          ['cold', NaN],
        ],
      },
    ],
    comparisons: [
      { measure: 'a', unit: '', bare: NaN, compared: { value: Infinity, of: '×', atMost: 1 } },
    ],
    figures,
    notes: ['One.', 'Two.'],
  };

  it('is read as it was written', () => {
    const json = jsonOf(result);

    expect(jsonOf(readResult(json))).toBe(json);
    expect(readResult(json)).toMatchObject({
      run: { options: '', isQuiet: true },
      tables: [
        {
          rows: [
            ['hot', 3_007],
            ['cold', NaN],
          ],
        },
      ],
      comparisons: [{ bare: NaN, compared: { value: Infinity }, verdict: 'not met' }],
    });
  });

  it('has its keys in one order, whatever it was made of', () => {
    const entries = Object.entries(result) as [keyof Result, never][];
    const turned = Object.fromEntries(entries.reverse()) as unknown as Result;

    expect(jsonOf(turned)).toBe(jsonOf(result));
  });

  it('is refused where a figure was edited and its verdict was not', () => {
    expect(() => readResult(jsonOf(result).replace('1235', '2235'))).toThrow(
      'billing: "requests" is met, not not met',
    );
  });
});

describe('a figure', () => {
  it.each<[number, Target, string]>([
    [300, { atLeast: 300 }, 'met'],
    [299, { atLeast: 300 }, 'not met'],
    [1, { atMost: 1 }, 'met'],
    [1.01, { atMost: 1 }, 'not met'],
    [1, { below: 1 }, 'not met'],
    [NaN, { below: 1 }, 'not measured'],
    [Infinity, { below: 1 }, 'not met'],
    // As it is printed.
    [299.96, { atLeast: 300 }, 'met'],
  ])('of %d with the target %j is %s', (value, target, verdict) => {
    expect(verdictOf({ value, target })).toBe(verdict);
  });

  it.each([
    [0.012345, '0.0123'],
    [99.95, '100'],
    [1_234.5, '1,235'],
    [NaN, '–'],
    [Infinity, '∞'],
  ])('%d is printed as %s', (value, text) => {
    expect(shown(value)).toBe(text);
  });

  it('has a bound', () => {
    expect([{ atLeast: 3_000 }, { atMost: 1.3 }, { below: 250 }].map(boundOf)).toEqual([
      '≥ 3,000',
      '≤ 1.3',
      '< 250',
    ]);
  });
});

it('what a child used is still counted when it has ended', () => {
  const before = treeCpuSeconds(process.pid);
  const busy = 'const end = performance.now() + 300; while (performance.now() < end);';
  spawnSync(process.execPath, [
    '-e',
    `${busy} process.exit(process.cpuUsage().user > 1e5 ? 0 : 1)`,
  ]);

  expect(treeCpuSeconds(process.pid) - before).toBeGreaterThan(0.1);
});
