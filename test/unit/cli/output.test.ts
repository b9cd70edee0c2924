import { execFileSync } from 'node:child_process';
import { describe, expect, it } from '@jest/globals';
import { ApiError, ConnectionError } from '@gateway/client';
import { closestTo } from '../../../packages/cli/src/closest.ts';
import { commands } from '../../../packages/cli/src/commands/index.ts';
import { completionScript, shells } from '../../../packages/cli/src/completion-script.ts';
import { CommandError, exitCodeOf, UsageError } from '../../../packages/cli/src/exit-codes.ts';
import { barOf, StatusLine } from '../../../packages/cli/src/status-line.ts';
import { coloured, harmless, table } from '../../../packages/cli/src/terminal.ts';

describe('the exit code of gw', () => {
  const refusal = (status: number): ApiError =>
    new ApiError('no', {
      ...{ status, code: undefined, type: undefined, param: undefined, details: [] },
      ...{ requestId: undefined, retryAfterMs: undefined },
    });

  it.each([
    [new UsageError('x'), 2],
    [refusal(401), 3],
    [refusal(403), 3],
    [refusal(402), 4],
    [refusal(400), 1],
    [refusal(503), 1],
    [new ConnectionError('x'), 5],
    [new CommandError('x', 4), 4],
    [new Error('x'), 1],
  ])('of %s is %d', (error, code) => {
    expect(exitCodeOf(error)).toBe(code);
  });
});

describe('a word that somebody mistyped', () => {
  const words = ['video', 'videos list', 'models', 'usage', 'chat'];

  it.each([
    ['vidoe', 'video'],
    ['mdels', 'models'],
    ['usagge', 'usage'],
    ['caht', 'chat'],
    ['videos lits', 'videos list'],
    ['balloon', undefined],
    ['xy', undefined],
    ['', undefined],
  ])('%j was meant as %j', (typed, meant) => {
    expect(closestTo(typed, words)).toBe(meant);
  });
});

describe('what gw shows', () => {
  const outputOf = (isTTY: boolean) => {
    const written: string[] = [];
    return { written, isTTY, columns: 40, write: (text: string) => written.push(text) };
  };

  it.each([
    [0, `[${'.'.repeat(24)}]`],
    [0.5, `[${'#'.repeat(12)}${'.'.repeat(12)}]`],
    [1, `[${'#'.repeat(24)}]`],
    [7, `[${'#'.repeat(24)}]`],
  ])('as a bar of %d', (share, bar) => {
    expect(barOf(share, 0)).toBe(bar);
  });

  it('as a bar of an unknown length moves and keeps its width', () => {
    const bars = Array.from({ length: 60 }, (_, tick) => barOf(undefined, tick));

    expect(new Set(bars.map((bar) => bar.length))).toEqual(new Set([26]));
    expect(bars.every((bar) => bar.includes('###'))).toBe(true);
    expect(new Set(bars).size).toBe(22);
  });

  it('is one line that is drawn again on a terminal, and leaves it empty', () => {
    const output = outputOf(true);
    const line = new StatusLine(output, () => 0);
    line.show('queued, at position 3 of a queue that is very long');
    line.show('working');
    line.clear();
    line.clear();

    expect(output.written.every((text) => text.startsWith('\r\u001B[K'))).toBe(true);
    expect(output.written[0]!.length).toBeLessThanOrEqual(39 + 4);
    expect(output.written[1]).toContain('working, 0 s');
    expect(output.written.at(-1)).toBe('\r\u001B[K');
    expect(output.written).toHaveLength(3);
  });

  it('is a line for each news elsewhere, without a bar', () => {
    const output = outputOf(false);
    const line = new StatusLine(output);
    for (const text of ['queued', 'queued', 'rendering']) line.show(text, 0.5);
    line.clear();

    expect(output.written).toEqual(['queued\n', 'rendering\n']);
  });

  it('has colours on a terminal only, and not where somebody wants none', () => {
    const shown = (isTTY: boolean, env = {}): string =>
      coloured('x', 'red', { output: outputOf(isTTY), env });

    expect(shown(true)).toBe('\u001B[31mx\u001B[0m');
    expect(shown(false)).toBe('x');
    expect(shown(true, { NO_COLOR: '1' })).toBe('x');
    expect(shown(true, { TERM: 'dumb' })).toBe('x');
  });

  it('cannot command the terminal', () => {
    expect(harmless('a\u001B]0;owned\u0007\r\nb\tc')).toBe('a\uFFFD]0;owned\uFFFD\uFFFD\nb\tc');
  });

  it('as a table has columns', () => {
    expect(
      table([
        ['ID', 'N'],
        ['abc', '1'],
      ]),
    ).toBe('ID   N\nabc  1\n');
  });
});

describe('the completion of gw', () => {
  const offered = (...words: string[]): string[] => {
    const script = `${completionScript('bash', commands)}
COMP_WORDS=(gw ${words.map((word) => `'${word}'`).join(' ')}); COMP_CWORD=${words.length}; _gw
printf '%s\\n' "\${COMPREPLY[@]}"`;
    return execFileSync('bash', ['-c', script], { encoding: 'utf8' }).split('\n').filter(Boolean);
  };

  it.each([
    [['vid'], ['video', 'videos']],
    [['videos', 'c'], ['cancel']],
    [
      ['callbacks', ''],
      ['listen', 'log', 'redeliver', 'test'],
    ],
    [['video', 'x', '--dur'], ['--duration']],
    [
      ['video', 'x', '--tier', ''],
      ['standard', 'flex'],
    ],
    [['videos', 'list', '--status', 'c'], ['cancelled']],
    [['videos', 'list', '--li'], ['--limit']],
    [
      ['completion', ''],
      ['bash', 'zsh', 'fish'],
    ],
    [['completion', '--j'], ['--json']],
    [['balance', '--j'], ['--json']],
    [['verify', '--k'], ['--keys']],
    [
      ['help', 'vid'],
      ['video', 'videos'],
    ],
    [['video', '--model', ''], []],
  ])('of %j in bash is %j', (words, expected) => {
    expect(offered(...words)).toEqual(expected);
  });

  it('of files in bash are files', () => {
    expect(offered('video', 'x', '--output', 'package.js')).toEqual(['package.json']);
    expect(offered('verify', 'package.js')).toEqual(['package.json']);
    expect(offered('verify', 'video.mp4', 'package.js')).toEqual(['package.json']);
  });

  it.each(shells)('knows every command and option in %s', (shell) => {
    const script = completionScript(shell, commands);

    for (const { name, options } of commands) {
      for (const word of name.split(' ')) expect(script).toContain(word);
      for (const option of Object.keys(options)) {
        expect(script).toContain(shell === 'fish' ? `-l ${option}` : `--${option}`);
      }
    }
  });
});
