import { describe, expect, it } from '@jest/globals';
import { takeNodeOption } from '../../../scripts/setup/other-node.mjs';

describe('--node', () => {
  it.each([
    [['text'], undefined, ['text']],
    [['text', '--node=24', '--only=A'], '24', ['text', '--only=A']],
    [['--node=24.11.1'], '24.11.1', []],
    [['--node=image', '--nodes'], 'image', ['--nodes']],
  ])('is taken out of %j', (args, version, rest) => {
    expect(takeNodeOption(args)).toEqual({ version, rest });
  });

  it.each(['--node', '--node=', '--node=24.1', '--node=../x', '--node=lts'])(
    'is refused as %s, with the remedy',
    (option) => {
      expect(() => takeNodeOption([option])).toThrow(/^--node takes a version, as in --node=24 /);
    },
  );
});
