import { completionScript, shells } from '../completion-script.ts';
import type { Command } from '../command.ts';
import { exitCodes, UsageError } from '../exit-codes.ts';
import { writeJson } from '../terminal.ts';

export const completion: Command = {
  name: 'completion',
  summary: 'prints what makes your shell complete gw',
  argument: { name: 'SHELL', help: shells.join(', '), required: true, words: shells },
  options: {},
  examples: [
    'source <(gw completion bash)',
    'source <(gw completion zsh)',
    'gw completion fish > ~/.config/fish/completions/gw.fish',
  ],
  run(given, terminal, commands) {
    const shell = shells.find((each) => each === given.argument);
    if (shell === undefined) throw new UsageError(`SHELL is one of ${shells.join(', ')}.`);
    const script = completionScript(shell, commands);
    if (given.json) writeJson(terminal, { shell, script });
    else terminal.stdout.write(script);
    return Promise.resolve(exitCodes.done);
  },
};
