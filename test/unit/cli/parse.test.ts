import { describe, expect, it } from '@jest/globals';
import type { Given } from '../../../packages/cli/src/command.ts';
import { commands } from '../../../packages/cli/src/commands/index.ts';
import { parse } from '../../../packages/cli/src/parse.ts';
import { videoOf } from '../../../packages/cli/src/video-request.ts';

const parsed = (...args: string[]) => parse(args, '1.2.3');
function givenOf(...args: string[]): Given {
  const found = parsed(...args);
  if (found.kind !== 'command') throw new Error(found.text);
  return found.given;
}
const textOf = (...args: string[]): string => {
  const found = parsed(...args);
  return found.kind === 'text' ? found.text : `a command: ${found.command.name}`;
};

describe('the command line of gw', () => {
  it('finds each command with its help, which has an example of it', () => {
    for (const { name, examples } of commands) {
      expect(textOf('help', ...name.split(' '))).toContain(`gw ${name}`);
      expect(examples.join()).toContain(`gw ${name}`);
    }
  });

  it('understands its own examples', () => {
    const lines = commands.flatMap(({ examples }) => examples);
    const words = lines.map((line) =>
      [...(/\bgw (.*?)(?:\)| >|$)/.exec(line)?.[1] ?? '').matchAll(/"([^"]*)"|(\S+)/g)].map(
        ([, quoted, word]) => quoted ?? word!,
      ),
    );

    for (const args of words) expect(parsed(...args).kind).toBe('command');
    expect(words.length).toBeGreaterThanOrEqual(commands.length);
  });

  it('lists everything where nothing is asked, and a group where only it is named', () => {
    for (const { name } of commands) expect(textOf()).toContain(`gw ${name}`);
    expect(textOf('--help')).toBe(textOf());
    expect(textOf('videos')).toContain('gw videos cancel');
    expect(textOf('videos')).not.toContain('gw callbacks');
    expect(textOf('--version')).toBe('1.2.3');
  });

  it.each([
    [['vidoe', 'a balloon'], 'Did you mean "gw video"?'],
    [['videos', 'lst'], 'Did you mean "gw videos list"?'],
    [['callback', 'listen'], 'Did you mean "gw callbacks"?'],
    [['frobnicate'], 'There is no "gw frobnicate". "gw help"'],
    [['video', 'x', '--durration', '5'], 'Did you mean --duration?'],
    [['video', 'x', '--zzzzzz'], 'There is no option --zzzzzz.'],
    [['video', 'a', 'red', 'balloon'], 'put them in quotes: "a red balloon"'],
    [['videos', 'get'], 'ID is missing'],
    [['balance', 'now'], 'takes no "now"'],
    [['video', 'x', '--duration'], '--duration needs a value: SECONDS.'],
    [['video', 'x', '-d', '--draft'], '--duration needs a value: SECONDS.'],
    [['video', 'x', '--draft=yes'], '--draft takes no value.'],
    [['video', 'x', '-1'], 'There is no option -1.'],
    [['chat', 'x', '--dialect', 'latin'], '--dialect takes chat or messages, not "latin"'],
  ])('refuses %j and says what would be right', (args, message) => {
    expect(() => parsed(...args)).toThrow(message);
    expect(() => parsed(...args)).toThrow(expect.objectContaining({ name: 'UsageError' }));
  });
});

describe('gw video', () => {
  it('asks for what the options say, and for nothing else', () => {
    expect(videoOf(givenOf('video', 'a balloon'))).toEqual({
      model: undefined,
      body: { prompt: 'a balloon' },
      references: [],
    });
    const id = `asset_${'0'.repeat(26)}`;
    expect(
      videoOf(
        givenOf(
          ...['video', 'a balloon', '-m', 'sandbox-video', '--duration=-1', '--ratio', '9:16'],
          ...['--no-sound', '--tier', 'flex', '--metadata', 'order=17', '--metadata', 'note=a=b'],
          ...['--first-frame', 'cat.png', '--image', 'https://example.com/a.png', '--video', id],
          ...['--task', 'extend', '--priority', '3', '--draft', '--return-last-frame'],
        ),
      ),
    ).toEqual({
      model: 'sandbox-video',
      body: {
        prompt: 'a balloon',
        duration: -1,
        ratio: '9:16',
        generate_audio: false,
        service_tier: 'flex',
        metadata: { order: '17', note: 'a=b' },
        task: 'extend',
        priority: 3,
        draft: true,
        return_last_frame: true,
      },
      references: [
        { type: 'image', role: 'first_frame', from: 'cat.png', isFile: true },
        { type: 'image', from: 'https://example.com/a.png', isFile: false },
        { type: 'video', from: id, isFile: false },
      ],
    });
  });

  it.each([['--duration', '-1'], ['-d', '-1'], ['--duration=-1']])(
    'takes a negative number from %s %s',
    (...args) => {
      expect(givenOf('video', 'x', ...args).whole('duration')).toBe(-1);
    },
  );

  it.each([
    [['video'], 'Say what the video shows'],
    [['video', ''], 'Say what the video shows'],
    [['video', 'x', '--duration', 'five'], '--duration takes a whole number, not "five"'],
    [['video', 'x', '--sound', '--no-sound'], 'exclude each other'],
    [['video', 'x', '--metadata', 'order'], '--metadata takes NAME=VALUE'],
  ])('refuses %j', (args, message) => {
    expect(() => videoOf(givenOf(...args))).toThrow(message);
  });
});
