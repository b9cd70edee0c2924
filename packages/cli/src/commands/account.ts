import type { Model } from '@gateway/client';
import { collect } from '../collect.ts';
import type { Command } from '../command.ts';
import { openClient } from '../credentials.ts';
import { exitCodes } from '../exit-codes.ts';
import { harmless, numberText, table, tell } from '../terminal.ts';

const models: Command = {
  name: 'models',
  summary: 'lists the models that your key may use, and what they cost',
  options: { kind: { value: 'KIND', help: 'only these', words: ['video', 'text'] } },
  examples: ['gw models --kind video'],
  async run(given, terminal) {
    const { client } = await openClient(terminal);
    const kind = given.text('kind');
    const all = await collect(client.models.list(terminal));
    const found = all.filter((model) => kind === undefined || model.kind === kind);
    const header = ['MODEL', 'KIND', 'QUOTA', 'SECONDS', 'RESOLUTIONS', 'RATIOS'];
    tell(terminal, given, { found, words: () => harmless(table([header, ...found.map(rowOf)])) });
    return exitCodes.done;
  },
};

function rowOf(model: Model): string[] {
  if (model.kind === 'text') {
    const { price } = model;
    const tokens =
      price === null
        ? 'free'
        : `${price.input} in, ${price.output} out, for ${numberText(price.per)} tokens`;
    return [model.id, model.kind, tokens, '', '', ''];
  }
  const { duration, resolution, ratio } = model.parameters;
  return [
    model.id,
    model.kind,
    videoPrice(model.price),
    `${duration.min}–${duration.max}`,
    resolution.allowed.join(' '),
    ratio.allowed.join(' '),
  ];
}

type VideoPrice = Extract<Model, { kind: 'video' }>['price'];

function videoPrice({ second_quota: second, clip }: VideoPrice): string {
  const byName = (prices: Readonly<Record<string, number>>, unit: string): string =>
    Object.entries(prices)
      .map(([name, quota]) => `${quota} (${name}${unit})`)
      .join(', ');
  if (clip !== undefined) return `${byName(clip, ' s')} each`;
  return typeof second === 'number' ? `${second} a second` : `${byName(second, '')} a second`;
}

const usage: Command = {
  name: 'usage',
  summary: 'shows what was used by day and model',
  options: {
    from: { value: 'DATE', help: 'first day, such as 2026-11-01; thirty days ago by default' },
    to: { value: 'DATE', help: 'last day; today by default' },
    model: { value: 'NAME', short: 'm', help: 'only of this model' },
  },
  examples: ['gw usage --from 2026-11-01 --model sandbox-video'],
  async run(given, terminal) {
    const { client } = await openClient(terminal);
    const found = await client.usage(given.only('from', 'to', 'model'), terminal);
    const rows = found.data.map((day) => [
      day.day,
      day.model,
      ...[day.requests, day.seconds, day.input_tokens, day.output_tokens, day.quota].map(
        numberText,
      ),
    ]);
    const header = ['DAY', 'MODEL', 'REQUESTS', 'SECONDS', 'TOKENS IN', 'TOKENS OUT', 'QUOTA'];
    tell(terminal, given, { found, words: () => harmless(table([header, ...rows])) });
    return exitCodes.done;
  },
};

const balance: Command = {
  name: 'balance',
  summary: 'shows the quota of your account',
  options: {},
  examples: ['gw balance --json'],
  async run(given, terminal) {
    const { client } = await openClient(terminal);
    const found = await client.balance(terminal);
    const { available_quota: available, held_quota: held, debt_quota: debt } = found;
    const owed = debt > 0 ? `, ${numberText(debt)} owed` : '';
    const words = `${numberText(available)} available, ${numberText(held)} held${owed}\n`;
    tell(terminal, given, { found, words: () => words });
    return exitCodes.done;
  },
};

export const accountCommands: readonly Command[] = [models, usage, balance];
