import type { GatewayClient, TextDialect, TextEnd } from '@gateway/client';
import type { Command, Given } from '../command.ts';
import { openClient } from '../credentials.ts';
import { CommandError, exitCodes, UsageError } from '../exit-codes.ts';
import { coloured, harmless, readAll, writeJson, type Terminal } from '../terminal.ts';

const usualMaxTokens = 2_048;

export const chat: Command = {
  name: 'chat',
  summary: 'asks a model for a text, and shows it as it is written',
  argument: {
    name: 'PROMPT',
    help: 'what to say; read from standard input where it is left out or is -',
    required: false,
  },
  options: {
    model: { value: 'NAME', short: 'm', help: 'see "gw models"; by default the first for text' },
    system: { value: 'TEXT', short: 's', help: 'how the model is to behave' },
    dialect: { value: 'NAME', help: 'format to ask in', words: ['chat', 'messages'] },
    'max-tokens': { value: 'NUMBER', help: `most tokens to write; ${usualMaxTokens} by default` },
  },
  examples: ['gw chat "Say hello."', 'git diff | gw chat --system "Review this change." -'],
  run,
};

async function run(given: Given, terminal: Terminal): Promise<number> {
  const content = await promptOf(given, terminal);
  const { client } = await openClient(terminal);
  const { signal, stdout } = terminal;
  const model = given.text('model') ?? (await firstTextModel(client, signal));
  const pieces = client.text.stream(
    {
      model,
      messages: [{ role: 'user', content }],
      system: given.text('system'),
      maxTokens: given.whole('max-tokens') ?? usualMaxTokens,
    },
    { dialect: given.text('dialect') as TextDialect | undefined, signal },
  );
  let text = '';
  let piece = await pieces.next();
  for (; piece.done !== true; piece = await pieces.next()) {
    text += piece.value;
    if (!given.json) stdout.write(stdout.isTTY === true ? harmless(piece.value) : piece.value);
  }
  showEnd(piece.value, { model, text, given, terminal });
  return exitCodes.done;
}

async function promptOf({ argument }: Given, { stdin }: Terminal): Promise<string> {
  if (argument !== undefined && argument !== '-') return argument;
  if (argument === undefined && stdin.isTTY === true) {
    throw new UsageError('Say something: gw chat "Say hello."');
  }
  const text = await readAll(stdin);
  if (text.trim() === '') throw new UsageError('Standard input is empty: there is nothing to say.');
  return text;
}

async function firstTextModel(client: GatewayClient, signal: AbortSignal): Promise<string> {
  for await (const model of client.models.list({ signal })) {
    if (model.kind === 'text') return model.id;
  }
  throw new CommandError('Your key may use no model that writes text: see "gw models".');
}

const cutOff: readonly (string | undefined)[] = ['length', 'max_tokens'];

function showEnd(
  { stopReason, inputTokens, outputTokens }: TextEnd,
  {
    model,
    text,
    given,
    terminal,
  }: {
    readonly model: string;
    readonly text: string;
    readonly given: Given;
    readonly terminal: Terminal;
  },
): void {
  if (given.json) {
    const usage = { input_tokens: inputTokens, output_tokens: outputTokens };
    writeJson(terminal, { model, text, stop_reason: stopReason, usage });
    return;
  }
  const { stdout, stderr, env } = terminal;
  if (!text.endsWith('\n')) stdout.write('\n');
  if (cutOff.includes(stopReason)) stderr.write('(cut off: allow more with --max-tokens)\n');
  if (stderr.isTTY === true && inputTokens !== undefined && outputTokens !== undefined) {
    const used = `${model}: ${inputTokens} tokens in, ${outputTokens} out\n`;
    stderr.write(coloured(used, 'dim', { output: stderr, env }));
  }
}
