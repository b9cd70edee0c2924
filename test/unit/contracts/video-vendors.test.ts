import { describe, expect, it } from '@jest/globals';
import { configurationIn, lineOf, problemsIn } from './configuration-text.ts';

const hailuo = `providers:
  hailuo: { kind: minimax, base_url: "https://vendor.example", api_key: "\${STUDIO_KEY}" }
models:
  h3:
    kind: video
    provider: hailuo
    upstream_model: MiniMax-H3
    second_quota: 100
    duration: { min: 4, max: 15, default: 6 }
    ratio: { allowed: [adaptive, "16:9"], default: "16:9" }
    resolution: { allowed: [768p, 2k], default: 768p }
    references: { image: 9, video: 3, audio: 3 }
    frames: [first_frame, last_frame]
`;
const withLine = (line: string): string => `${hailuo}    ${line}\n`;
const changed = (from: string, to: string): string => {
  if (!hailuo.includes(from)) throw new Error(`not in the text: ${from}`);
  return hailuo.replace(from, to);
};

describe('a model of a vendor that cannot do everything', () => {
  it('is taken as far as the vendor goes', () => {
    expect(problemsIn(hailuo)).toEqual([]);
  });

  it.each<[string, string, string, string]>([
    [
      'a shorter video',
      changed('min: 4', 'min: 3'),
      'duration:',
      'models.h3.duration.min must be at least 4 for MiniMax-H3 at a provider of kind minimax',
    ],
    [
      'a longer video',
      changed('max: 15', 'max: 16'),
      'duration:',
      'models.h3.duration.max must be at most 15',
    ],
    [
      'a length that the vendor chooses',
      changed('default: 6 }', 'default: 6, auto: true }'),
      'duration:',
      'models.h3.duration.auto must be false',
    ],
    [
      'a ratio that it does not know',
      changed('[adaptive, ', '["2:1", '),
      ' ratio:',
      'models.h3.ratio.allowed names 2:1',
    ],
    [
      'a resolution that it does not know',
      changed('[768p, 2k]', '[768p, 1080p]'),
      'resolution:',
      'models.h3.resolution.allowed names 1080p',
    ],
    [
      'a resolution in the vendor’s spelling',
      changed('[768p, 2k], default: 768p', '[768P], default: 768P'),
      'resolution:',
      'there are 768p, 2k',
    ],
    [
      'a resolution of another of its models',
      changed('[768p, 2k]', '[768p, 480p]'),
      'resolution:',
      'models.h3.resolution.allowed names 480p',
    ],
    [
      'more references',
      changed('image: 9', 'image: 10'),
      'references:',
      'models.h3.references.image must be at most 9',
    ],
    [
      'videos without a text',
      withLine('media_only: true'),
      'media_only',
      'models.h3.media_only must be false',
    ],
    [
      'a last frame of the vendor',
      withLine('last_frame: vendor'),
      'last_frame: vendor',
      'models.h3.last_frame must be extract or none',
    ],
  ])('is refused when it promises %s', (_name, text, passage, message) => {
    expect(problemsIn(text)).toEqual([
      { line: lineOf(text, passage), message: expect.stringContaining(message) as unknown },
    ]);
  });

  it('is held against the bounds of its own upstream model', () => {
    const text = changed('MiniMax-H3', 'MiniMax-H3-Max');

    expect(problemsIn(text).map(({ message }) => message)).toEqual([
      expect.stringContaining('duration.min must be at least 5'),
      expect.stringContaining('names 2k'),
    ]);
    expect(
      problemsIn(
        changed('upstream_model: MiniMax-H3', 'upstream_model: h3-by-another-name').replace(
          '2k]',
          '2k, 480p]',
        ),
      ),
    ).toEqual([]);
  });

  it.each([
    ['min: 4', 'min: four'],
    ['max: 15', 'max: never'],
    ['default: 6', 'default: six'],
    ['image: 9', 'image: many'],
    ['allowed: [768p, 2k]', 'allowed: [7]'],
    ['default: 768p', 'default: 7'],
  ])('tells a field that is wrong itself only once: %s as %s', (from, to) => {
    expect(problemsIn(changed(from, to))).toHaveLength(1);
  });

  it('does not support what the format has no place for, whatever the file says', () => {
    const model = (text: string) => configurationIn(text).models.get('h3');

    expect(model(hailuo)).toMatchObject({
      unsupported: ['seed', 'generate_audio', 'return_last_frame'],
      lastFrame: 'none',
      promptMaxCharacters: 7_000,
    });
    expect(model(withLine('unsupported: [seed, watermark]'))).toMatchObject({
      unsupported: ['seed', 'watermark', 'generate_audio', 'return_last_frame'],
    });
    expect(model(withLine('last_frame: extract'))).toMatchObject({
      unsupported: ['seed', 'generate_audio'],
      lastFrame: 'extract',
    });
    expect(model(withLine('prompt_max_characters: 500'))).toMatchObject({
      promptMaxCharacters: 500,
    });
  });
});
