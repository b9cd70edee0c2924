import { describe, expect, it } from '@jest/globals';
import type { VideoModel } from '@gateway/contracts';
import type { QuotaRules } from '@gateway/domain';
import { dice, rulesOf } from '../../contracts/price-histories.ts';
import { changed, configurationIn, minimal, problemsIn } from './configuration-text.ts';

/** The smallest file with these lines in place of its price. */
const withPrice = (...lines: string[]): string =>
  changed(
    '    second_quota: 100\n',
    lines.map((line) => `    ${line}\n`).join(''),
    `${minimal}    references: { image: 3, video: 2, audio: 1 }\n`,
  );
const modelIn = (...lines: string[]): VideoModel | undefined =>
  configurationIn(withPrice(...lines)).models.get('film-1');

describe('the price of a video model', () => {
  it('is the short form for seconds of output alone', () => {
    expect(modelIn('price: { output_second: { 480p: 60, 720p: 100 }, audio_second: 20 }')?.price)
      // As from second_quota and audio_second_quota.
      .toEqual({ secondQuota: { '480p': 60, '720p': 100 }, audioSecondQuota: 20 });
    expect(configurationIn(minimal).models.get('film-1')?.price).toEqual({
      secondQuota: 100,
      audioSecondQuota: 0,
    });
  });

  it('keeps every rule that is given', () => {
    expect(
      modelIn(
        'price:',
        '  output_second: 100',
        '  audio_second: 20',
        '  input_second: { video: 50, audio: 0 }',
        '  input_second_assumed: 30',
        '  reference: { image: 2, video: 10 }',
        '  minimum: 80',
        '  factor: { flex: 0.5, draft: 0.4 }',
      )?.price,
    ).toEqual({
      secondQuota: 100,
      audioSecondQuota: 20,
      rules: {
        outputSecond: 100,
        audioSecond: 20,
        inputSecond: { video: 50, audio: 0 },
        inputSecondAssumed: 30,
        reference: { image: 2, video: 10 },
        minimum: 80,
        factor: { flex: 0.5, draft: 0.4 },
      },
    });
    expect(modelIn('price: { clip: { 5: 300, 15: 900 } }')?.price).toEqual({
      secondQuota: 0,
      audioSecondQuota: 0,
      rules: { clip: { 5: 300, 15: 900 } },
    });
  });

  it.each([
    ['no price', 'retention_days: 3', 'second_quota is required, or price'],
    ['nothing that is charged for every video', 'price: { audio_second: 5 }', 'price has none of'],
    ['a negative figure', 'price: { output_second: -1 }', 'price.output_second'],
    ['a fraction of a unit', 'price: { output_second: 0.5 }', 'price.output_second'],
    [
      'an unknown resolution',
      'price: { output_second: { 480p: 6, 720p: 9, 4k: 20 } }',
      'price.output_second.4k',
    ],
    [
      'a resolution without a figure',
      'price: { output_second: { 480p: 6 } }',
      'has no figure for the resolution 720p',
    ],
    [
      'lengths beside seconds',
      'price: { output_second: 6, clip: { 15: 300 } }',
      'price.clip stands beside output_second',
    ],
    ['no length for the longest video', 'price: { clip: { 5: 300 } }', 'has no length for 15'],
    [
      'a longer clip that costs less',
      'price: { clip: { 5: 300, 15: 299 } }',
      'price.clip[15] is less than that of 5 seconds',
    ],
    ['a length that is none', 'price: { clip: { five: 300 } }', 'price.clip'],
    ['a video for nothing', 'price: { output_second: 0 }', 'price.output_second is 0'],
    [
      'one for nothing at one resolution',
      'price: { output_second: { 480p: 0, 720p: 9 } }',
      'price.output_second.480p is 0',
    ],
    ['a clip for nothing', 'price: { clip: { 5: 0, 15: 9 } }', 'price.clip[5] is 0'],
    ['a minimum of nothing alone', 'price: { minimum: 0 }', 'price.minimum is 0'],
    ['a factor of nothing', 'price: { output_second: 6, factor: { flex: 0 } }', 'factor.flex'],
    ['an unknown factor', 'price: { output_second: 6, factor: { night: 2 } }', 'night'],
    [
      'assumed seconds of nothing',
      'price: { output_second: 6, input_second_assumed: 5 }',
      'price.input_second_assumed has no input_second',
    ],
    ['a rule that does not exist', 'price: { output_second: 6, pixel: 1 }', 'pixel'],
  ])('is refused with %s, which is named', (_what, line, message) => {
    expect(problemsIn(withPrice(line)).map((problem) => problem.message)).toEqual([
      expect.stringContaining(message),
    ]);
  });

  it('is refused beside its short form', () => {
    const lines = ['price: { output_second: 6 }', 'second_quota: 6', 'audio_second_quota: 1'];

    expect(problemsIn(withPrice(...lines)).map((problem) => problem.message)).toEqual([
      expect.stringContaining('models.film-1.second_quota stands beside price'),
      expect.stringContaining('models.film-1.audio_second_quota stands beside price'),
    ]);
  });

  it('is refused with a figure for references that the model does not take', () => {
    const text = changed(
      'references: { image: 3, video: 2, audio: 1 }',
      'references: { image: 3 }',
      withPrice('price: { output_second: 6, input_second: { video: 5 }, reference: { audio: 1 } }'),
    );

    expect(problemsIn(text).map((problem) => problem.message)).toEqual([
      expect.stringContaining('price.input_second.video has a figure for video references'),
      expect.stringContaining('price.reference.audio has a figure for audio references'),
    ]);
  });
});

/** As a file spells them. */
const spelled = ({ outputSecond, audioSecond, inputSecond, ...rest }: QuotaRules): string =>
  JSON.stringify({
    output_second: outputSecond,
    audio_second: audioSecond,
    input_second: inputSecond,
    ...rest,
  });

describe('the prices that the properties are tested with', () => {
  it('are what the schema allows, but for those that would cost nothing', () => {
    const roll = dice(11);
    const refusals = Array.from({ length: 120 }, () => rulesOf(roll)).map((rules) => {
      const text = changed(
        'resolution: { allowed: [480p, 720p]',
        'resolution: { allowed: [480p, 720p, 1080p]',
        withPrice(`price: ${spelled(rules)}`),
      );
      const problems = problemsIn(text).map(({ message }) => message);
      if (problems.length > 0) return problems;
      const { price } = configurationIn(text).models.get('film-1') ?? {};
      if (price?.rules !== undefined) expect(price.rules).toEqual(rules);
      return [];
    });

    expect(refusals.filter((problems) => problems.length === 0).length).toBeGreaterThan(80);
    expect(refusals.flat().filter((message) => !message.includes(' is 0'))).toEqual([]);
  });
});

const withCost = (line: string, price = 'second_quota: 100'): string => withPrice(price, line);

describe('the cost of a video model', () => {
  it('keeps amounts as they are written, and rates are by currency', () => {
    const text = withCost(
      'cost: { currency: USD, output_second: { 480p: "0.05", 720p: "0.10" }, million_tokens: "4.3" }',
    );
    const configuration = configurationIn(`${text}quota_per_currency: { USD: 1000, CNY: 140.5 }\n`);

    expect(configuration.models.get('film-1')?.routes[0]?.cost).toEqual({
      currency: 'USD',
      outputSecond: { '480p': '0.05', '720p': '0.10' },
      millionTokens: '4.3',
    });
    expect([...configuration.quotaPerCurrency]).toEqual([
      ['USD', 1_000],
      ['CNY', 140.5],
    ]);
    expect([...configurationIn(minimal).quotaPerCurrency]).toEqual([]);
  });

  it.each([
    ['a number in place of a decimal', 'cost: { currency: USD, output_second: 0.05 }', 'in quotes'],
    ['no currency', 'cost: { output_second: "0.05" }', 'cost.currency is required'],
    ['a currency that is none', 'cost: { currency: dollars, minimum: "1" }', 'cost.currency'],
    ['seven places', 'cost: { currency: USD, minimum: "0.0000001" }', 'cost.minimum'],
    ['nothing that costs', 'cost: { currency: USD, audio_second: "1" }', 'cost has none of'],
    [
      'seconds of references that nobody measures',
      'cost: { currency: USD, output_second: "1", input_second: { video: "1" } }',
      'cost.input_second.video needs the length',
    ],
  ])('is refused with %s', (_what, line, message) => {
    expect(problemsIn(withCost(line)).map((problem) => problem.message)).toEqual([
      expect.stringContaining(message),
    ]);
  });

  it.each([
    ['assumes them', 'input_second_assumed: 10, ', 'second_quota: 100'],
    ['charges for them', '', 'price: { output_second: 6, input_second: { video: 5 } }'],
  ])('may count the seconds of references where the file %s', (_how, assumed, price) => {
    const line = `cost: { currency: USD, output_second: "1", ${assumed}input_second: { video: "1" } }`;

    expect(problemsIn(withCost(line, price))).toEqual([]);
  });

  it('is refused with a rate of nothing', () => {
    expect(
      problemsIn(`${minimal}quota_per_currency: { USD: 0, dollars: 5 }\n`).map(
        (problem) => problem.message,
      ),
    ).toEqual([
      expect.stringContaining('quota_per_currency'),
      expect.stringContaining('quota_per_currency'),
    ]);
  });
});
