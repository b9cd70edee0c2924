import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { configurationSchema, readConfiguration } from '@gateway/contracts';
import { videoVendors } from '@gateway/video-providers';
import { problemsIn } from './configuration-text.ts';

const fileText = (path: string): string =>
  readFileSync(new URL(`../../../${path}`, import.meta.url), 'utf8');

const rewrite = `npx tsc -b packages/video-providers && node -e "Promise.all([import('@gateway/contracts'), import('@gateway/video-providers')]).then(([{ configurationSchema }, { videoVendors }]) => require('node:fs').writeFileSync('config/gateway.schema.json', JSON.stringify(configurationSchema(Object.keys(videoVendors)), null, 2) + '\\n'))"`;

describe('config/gateway.schema.json', () => {
  it('is the schema that the configuration is checked with', () => {
    const differs =
      fileText('config/gateway.schema.json') !==
      `${JSON.stringify(configurationSchema(Object.keys(videoVendors)), null, 2)}\n`;

    expect(differs ? `out of date; write it anew: ${rewrite}` : 'up to date').toBe('up to date');
  });
});

describe('config/gateway.yaml', () => {
  const text = fileText('config/gateway.yaml');
  const environment = {
    SANDBOX_URL: 'http://127.0.0.1:9',
    SANDBOX_API_KEY: 'k',
    ARK_API_KEY: 'k',
    DASHSCOPE_API_KEY: 'k',
    FAL_KEY: 'k',
    GEMINI_API_KEY: 'k',
    LUMA_API_KEY: 'k',
    VIDU_API_KEY: 'k',
    RUNWAYML_API_SECRET: 'k',
    XAI_API_KEY: 'k',
    MINIMAX_API_KEY: 'k',
    KLING_API_KEY: 'k',
    ANTHROPIC_API_KEY: 'k',
    OPENAI_API_KEY: 'k',
  };

  it('is valid', () => {
    expect(problemsIn(text, { environment })).toEqual([]);
  });

  it('names its schema for editors', () => {
    expect(text.split('\n')[0]).toBe('# yaml-language-server: $schema=./gateway.schema.json');
  });

  it('has the sandbox model with both frames and a price for each resolution', () => {
    const read = readConfiguration(text, { environment, readFile: () => undefined }, videoVendors);
    const model = read.ok ? read.configuration.models.get('sandbox-video') : undefined;

    expect(model).toMatchObject({
      routes: [{ provider: 'sandbox' }],
      frames: ['first_frame', 'last_frame'],
    });
    expect(Object.keys(model?.price.secondQuota ?? {})).toEqual(model?.resolution.allowed);
  });

  it('is refused without the variable that it needs', () => {
    expect(
      problemsIn(text, { environment: {} })
        .map(({ message }) => message)
        .join('\n'),
    ).toContain('SANDBOX_URL');
  });

  it('shows real vendors that are valid once the comment signs are gone', () => {
    const [, commented = ''] = text.split(/^# Examples of real vendors:\n#\n/m);
    const example = commented.replaceAll(/^# ?/gm, '');

    expect(example).toMatch(/^providers:/);
    expect(problemsIn(example, { environment })).toEqual([]);
  });
});
