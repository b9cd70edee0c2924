import { describe, expect, it } from '@jest/globals';
import { videoVendors } from '@gateway/video-providers';
import { configurationIn, lineOf, problemsIn } from './configuration-text.ts';

const providers = `providers:
  one: { kind: ark, base_url: "https://one.example", api_key: "\${STUDIO_KEY}" }
  two: { kind: minimax, base_url: "https://two.example", api_key: "\${STUDIO_KEY}" }
  sora: { kind: openai-videos, base_url: "https://sora.example", api_key: "\${STUDIO_KEY}" }
  words: { kind: chat, base_url: "https://words.example", api_key: "\${STUDIO_KEY}" }
`;
const first = '      - { provider: one, upstream_model: up, weight: 3 }';
const second =
  '      - { provider: two, upstream_model: MiniMax-H3, fallback: true, cost: { currency: USD, output_second: "0.1" }, retires_at: 2027-01-31 }';

function routed(lines: readonly string[], ...more: readonly string[]): string {
  return `${providers}models:
  film-1:
    kind: video
    routes:
${lines.join('\n')}
    second_quota: 100
    duration: { min: 4, max: 20, default: 6 }
    ratio: { allowed: ["16:9", "2:1"], default: "16:9" }
    resolution: { allowed: [768p, 720p], default: 768p }
    references: { video: 3 }
${more.map((line) => `    ${line}\n`).join('')}`;
}

const modelIn = (text: string) => configurationIn(text).models.get('film-1')!;

describe('the routes of a video model', () => {
  it('are taken over, each with what its vendor can be asked for', () => {
    const model = modelIn(routed([first, second], 'busy_after_seconds: 5', 'retry_failed: true'));

    expect(model).toMatchObject({ busyAfterSeconds: 5, retryFailed: true, retiresAt: undefined });
    expect(model.routes).toStrictEqual([
      {
        name: 'one/up',
        provider: 'one',
        upstreamModel: 'up',
        weight: 3,
        fallback: false,
        bounds: videoVendors['ark'],
        retiresAt: undefined,
      },
      {
        name: 'two/MiniMax-H3',
        provider: 'two',
        upstreamModel: 'MiniMax-H3',
        weight: 1,
        fallback: true,
        cost: { currency: 'USD', outputSecond: '0.1' },
        bounds: expect.objectContaining({ resolutions: ['768p', '2k'] }),
        retiresAt: new Date('2027-01-31'),
      },
    ]);
  });

  it('may do less than the model promises, as long as one of them keeps each promise', () => {
    expect(problemsIn(routed([first, second]))).toEqual([]);
    expect(
      problemsIn(routed([second.replace('fallback: true', 'weight: 1')])).map(
        ({ message }) => message,
      ),
    ).toEqual(
      expect.arrayContaining([
        expect.stringContaining('models.film-1.duration.max must be at most 15'),
        expect.stringContaining('models.film-1.ratio.allowed names 2:1'),
      ]),
    );
  });

  it('are refused for a promise that none of them keeps', () => {
    const text = routed(
      [
        second.replace('fallback: true', 'weight: 1'),
        '      - { provider: sora, upstream_model: sora-2-pro }',
      ],
      'media_only: true',
    );

    expect(problemsIn(text).map(({ message }) => message)).toEqual(
      expect.arrayContaining([
        expect.stringMatching(/ratio\.allowed names 2:1.*; no other route can either/),
        expect.stringMatching(/media_only must be false.*; no other route can either/),
      ]),
    );
    // The first can do videos, the second 20 seconds and 720p.
    expect(problemsIn(text).map(({ message }) => message)).not.toEqual(
      expect.arrayContaining([expect.stringMatching(/references|duration\.max|720p/)]),
    );
  });

  it('leave out of the model what none of them can do, and nothing else', () => {
    const both = modelIn(routed([first, second], 'prompt_max_characters: 9000'));
    const alone = routed([second.replace('fallback: true', 'weight: 1')])
      .replace('max: 20', 'max: 15')
      .replace(', "2:1"', '')
      .replace(', 720p', '');

    expect(both).toMatchObject({ unsupported: [], promptMaxCharacters: 9_000 });
    expect(both.lastFrame).toBeUndefined();
    expect(modelIn(alone)).toMatchObject({
      unsupported: ['seed', 'generate_audio', 'return_last_frame'],
      promptMaxCharacters: 7_000,
      lastFrame: 'none',
    });
  });

  it('end the model with the last of them', () => {
    const ends = (one: string, two: string): Date | undefined =>
      modelIn(
        routed([first.replace(' }', `, retires_at: ${one} }`), second.replace('2027-01-31', two)]),
      ).retiresAt;

    expect(ends('2027-03-01', '2027-01-31')).toEqual(new Date('2027-03-01'));
    expect(ends('2027-03-01', '2027-04-01')).toEqual(new Date('2027-04-01'));
  });

  it.each<[string, string, string, string]>([
    [
      'a provider beside them',
      routed([first], 'provider: one'),
      '    provider: one',
      'models.film-1.provider stands beside routes; name it in each route',
    ],
    [
      'a cost beside them',
      routed([first], 'cost: { currency: USD, output_second: "0.1" }'),
      '    cost:',
      'models.film-1.cost stands beside routes',
    ],
    [
      'fallbacks alone',
      routed([first.replace('weight: 3', 'fallback: true')]),
      'fallback: true',
      'models.film-1.routes has only fallbacks',
    ],
    [
      'one that is there twice',
      routed([first, first.replace('weight: 3', 'weight: 4')]),
      'weight: 4',
      'models.film-1.routes[1].upstream_model is the model up of one, which another route already uses',
    ],
    [
      'a provider that is not there',
      routed([first, '      - { provider: nobody, upstream_model: up }']),
      'nobody',
      'models.film-1.routes[1].provider names the provider nobody, which is not under providers',
    ],
    [
      'a text provider',
      routed([first, '      - { provider: words, upstream_model: up }']),
      'provider: words',
      'models.film-1.routes[1].provider names the provider words, which is a text provider',
    ],
    [
      'no upstream model',
      routed([first, '      - { provider: two }']),
      'provider: two',
      'models.film-1.routes[1].upstream_model is required',
    ],
    [
      'a weight of nothing',
      routed([first.replace('weight: 3', 'weight: 0')]),
      'weight: 0',
      'models.film-1.routes[0].weight must be a number above 0; got 0',
    ],
    [
      'a cost without a figure for what the route can do',
      routed([first, second.replace('output_second: "0.1"', 'output_second: { 2k: "0.1" }')]),
      'provider: two',
      'models.film-1.routes[1].cost.output_second',
    ],
    [
      'an end that is in no calendar',
      routed([first, second.replace('2027-01-31', '2027-02-30')]),
      'provider: two, upstream_model',
      'models.film-1.routes[1].retires_at names 2027-02-30',
    ],
    [
      'no route at all',
      routed([first]).replace(`\n${first}`, ' []'),
      '    routes:',
      'models.film-1.routes must be',
    ],
  ])('are refused with %s, told with its line and path', (_what, text, passage, message) => {
    expect(problemsIn(text)).toContainEqual({
      line: lineOf(text, passage),
      message: expect.stringContaining(message) as unknown as string,
    });
  });

  it('say nothing else of a route whose provider is no name', () => {
    const text = routed([first, '      - { provider: 5, upstream_model: up, cost: cheap }']);

    expect(problemsIn(text).map(({ message }) => message)).toEqual([
      expect.stringContaining('models.film-1.routes[1].provider must be'),
      expect.stringContaining('models.film-1.routes[1].cost must be'),
    ]);
  });
});
