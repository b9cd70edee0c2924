import { execFileSync } from 'node:child_process';
import { describe, expect, it } from '@jest/globals';
import { codeOf } from '../../../services/console/src/parts/code.ts';
import { agoText, lengthText } from '../../../services/console/src/parts/format.ts';
import { curlOf } from '../../../services/console/src/pages/text/prompt.ts';
import { seriesOf } from '../../../services/console/src/pages/usage/series.ts';

/** What a shell would pass on, one argument a line. */
const argumentsOf = (command: string): string[] =>
  execFileSync('sh', ['-c', command.replace(/^curl/, "printf '%s\\n'")], {
    encoding: 'utf8',
    env: { KEY: 'k' },
  })
    .trimEnd()
    .split('\n');

describe('the code that is shown', () => {
  const request = { model: 'one', prompt: `it's a "boat" for $5 \\ 'now'` };

  it('is a command that a shell passes on unchanged', () => {
    const body = argumentsOf(codeOf('curl', [request], 'http://gateway')).at(-1) ?? '';

    expect(JSON.parse(body)).toEqual(request);
  });

  it('is TypeScript with the same request', () => {
    const code = codeOf('TypeScript', [request], 'http://gateway');

    expect(code).toContain("baseUrl: 'http://gateway'");
    expect(code).toContain(`prompt: ${JSON.stringify(request.prompt)}`);
  });

  it.each([
    ['chat', { max_completion_tokens: 9 }],
    ['messages', { max_tokens: 9, system: "it's" }],
  ] as const)('asks for a text in the dialect %s', (dialect, expected) => {
    const prompt = { model: 'm', dialect, system: "it's", message: "what's up", maxTokens: 9 };

    const body: unknown = JSON.parse(argumentsOf(curlOf(prompt, 'http://gateway')).at(-1) ?? '');

    expect(body).toMatchObject({ model: 'm', stream: true, ...expected });
    expect(JSON.stringify(body)).toContain("what's up");
  });
});

describe('lengths and moments', () => {
  it.each([
    [0, '0 ms'],
    [850, '850 ms'],
    [4_249, '4.2 s'],
    [185_000, '3 min 05 s'],
    [7_500_000, '2 h 05 min'],
  ])('%p ms are %p', (ms, text) => {
    expect(lengthText(ms)).toBe(text);
  });

  it.each([
    ['2026-01-02T12:00:00Z', 'just now'],
    ['2026-01-02T11:58:30Z', '1 min. ago'],
    ['2026-01-02T09:00:00Z', '3 hr. ago'],
    ['2025-12-30T12:00:00Z', '3 days ago'],
  ])('%p is %p', (at, text) => {
    expect(agoText(at, Date.parse('2026-01-02T12:00:00Z'))).toBe(text);
  });
});

describe('the lines of a chart', () => {
  const row = {
    object: 'usage',
    key_id: 'key_1',
    kind: 'video',
    requests: 1,
    input_tokens: 0,
    cached_input_tokens: 0,
    cache_write_tokens: 0,
    cache_write_1h_tokens: 0,
    output_tokens: 0,
    server_tool_uses: 0,
    estimated_requests: 0,
    aborted_requests: 0,
    seconds: 5,
    quota: 0,
  } as const;

  it('are one a model, over all keys, with zero where there is nothing', () => {
    const rows = [
      { ...row, day: '2026-01-02', model: 'b', quota: 7 },
      { ...row, day: '2026-01-01', model: 'a', quota: 1 },
      { ...row, day: '2026-01-01', model: 'a', key_id: 'key_2', quota: 2 },
    ];

    const usage = { object: 'list', data: rows, from: '2026-01-01', to: '2026-01-03' } as const;

    expect(seriesOf(usage, 'quota', 'day')).toEqual({
      moments: ['01', '02', '03'].map((day) => Date.parse(`2026-01-${day}T00:00:00Z`) / 1_000),
      models: [
        { name: 'a', values: [3, 0, 0] },
        { name: 'b', values: [0, 7, 0] },
      ],
    });
  });
});
