import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { loadSettings, SettingsError, settingSchemas, type SettingsSchema } from '@gateway/runtime';

interface Settings {
  PORT: number;
  HOST: string;
  LOG_LEVEL: string;
  LOG_FORMAT: string;
  DATABASE_URL: string;
  ALLOW_HTTP: boolean;
  RATE: number;
}

const schema: SettingsSchema<Settings> = {
  type: 'object',
  required: ['PORT', 'DATABASE_URL'],
  properties: {
    PORT: settingSchemas.PORT,
    HOST: settingSchemas.HOST,
    LOG_LEVEL: settingSchemas.LOG_LEVEL,
    LOG_FORMAT: settingSchemas.LOG_FORMAT,
    DATABASE_URL: { ...settingSchemas.text, pattern: '^postgres://' },
    ALLOW_HTTP: { type: 'boolean', default: false },
    RATE: { type: 'number', default: 0.5 },
  },
};

const needed = { PORT: '8080', DATABASE_URL: 'postgres://u:p@h/d' };

function problemsOf(environment: NodeJS.ProcessEnv): string {
  try {
    loadSettings(schema, environment);
  } catch (error) {
    if (error instanceof SettingsError) return error.message;
    throw error;
  }
  throw new Error('the settings were accepted');
}

describe('reading settings', () => {
  it('fills in what is not set, and turns text into numbers and switches', () => {
    expect(loadSettings(schema, needed)).toStrictEqual({
      PORT: 8_080,
      HOST: settingSchemas.HOST.default,
      LOG_LEVEL: 'info',
      LOG_FORMAT: 'json',
      DATABASE_URL: 'postgres://u:p@h/d',
      ALLOW_HTTP: false,
      RATE: 0.5,
    });
    expect(
      loadSettings(schema, {
        ...needed,
        PORT: '0',
        HOST: '127.0.0.1',
        LOG_LEVEL: 'debug',
        LOG_FORMAT: 'text',
        ALLOW_HTTP: 'true',
        RATE: '2.5',
      }),
    ).toStrictEqual({
      PORT: 0,
      HOST: '127.0.0.1',
      LOG_LEVEL: 'debug',
      LOG_FORMAT: 'text',
      DATABASE_URL: 'postgres://u:p@h/d',
      ALLOW_HTTP: true,
      RATE: 2.5,
    });
  });

  it.each([
    ['PORT', '0'],
    ['PORT', '65535'],
    ['LOG_LEVEL', 'error'],
    ['LOG_LEVEL', 'warn'],
    ['LOG_LEVEL', 'info'],
    ['LOG_LEVEL', 'debug'],
    ['LOG_FORMAT', 'json'],
    ['LOG_FORMAT', 'text'],
    ['HOST', 'h'],
  ])('takes %s=%s', (name, value) => {
    expect(String(loadSettings(schema, { ...needed, [name]: value })[name as keyof Settings])).toBe(
      value,
    );
  });

  it('leaves out everything else of the environment', () => {
    expect(
      Object.keys(loadSettings(schema, { ...needed, PATH: '/bin', AWS_SECRET: 'x' })),
    ).not.toEqual(expect.arrayContaining(['PATH']));
  });

  it('takes an empty value for one that is not set', () => {
    expect(loadSettings(schema, { ...needed, LOG_LEVEL: '', ALLOW_HTTP: '' })).toMatchObject({
      LOG_LEVEL: 'info',
      ALLOW_HTTP: false,
    });
    expect(problemsOf({ ...needed, DATABASE_URL: '' })).toContain('DATABASE_URL is required');
  });

  it('gives settings that nobody can change, and leaves the environment as it is', () => {
    const environment = { ...needed };
    const settings = loadSettings(schema, environment);

    expect(Object.isFrozen(settings)).toBe(true);
    expect(environment).toStrictEqual(needed);
  });
});

describe('settings that are wrong', () => {
  it('are told all at once, one a line', () => {
    const message = problemsOf({ PORT: 'http', LOG_LEVEL: 'loud', ALLOW_HTTP: 'perhaps' });
    const lines = message.split('\n').slice(1);

    expect(lines.map((line) => line.trim().split(' ')[0]).sort()).toEqual([
      'ALLOW_HTTP',
      'DATABASE_URL',
      'LOG_LEVEL',
      'PORT',
    ]);
    expect(message).toContain('DATABASE_URL is required');
  });

  it.each([
    ['PORT', '65536'],
    ['PORT', '-1'],
    ['PORT', '80.5'],
    ['PORT', 'x'],
    ['ALLOW_HTTP', 'yes'],
    ['RATE', 'much'],
    ['LOG_FORMAT', 'xml'],
    ['LOG_LEVEL', 'trace'],
  ])('are told by name: %s=%s', (name, value) => {
    expect(problemsOf({ ...needed, [name]: value })).toMatch(new RegExp(`^  ${name} must `, 'm'));
  });

  it('never repeat a value, which may be a secret', () => {
    const message = problemsOf({
      PORT: 'sekret-port',
      DATABASE_URL: 'mysql://sekret:sekret@h/d',
      LOG_LEVEL: 'sekret',
      ALLOW_HTTP: 'sekret',
      RATE: 'sekret',
    });

    expect(message).not.toContain('sekret');
    expect(message.split('\n')).toHaveLength(6);
  });
});

describe('a setting that comes from a file', () => {
  let folder = '';
  const file = (content: string): string => {
    const path = join(folder, 'value');
    writeFileSync(path, content);
    return path;
  };
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'settings-'));
  });
  afterAll(() => {
    rmSync(folder, { recursive: true });
  });

  it.each([
    ['8081\n', 8_081],
    ['8081\r\n', 8_081],
    ['8081', 8_081],
  ])('is its content without the line break at its end: %j', (content, value) => {
    expect(
      loadSettings(schema, { DATABASE_URL: needed.DATABASE_URL, PORT_FILE: file(content) }),
    ).toMatchObject({ PORT: value });
  });

  it('keeps all else that stands in the file', () => {
    expect(
      loadSettings(schema, { PORT: '1', DATABASE_URL_FILE: file('postgres://u: p \n@h\n\n') })
        .DATABASE_URL,
    ).toBe('postgres://u: p \n@h\n');
  });

  it('is refused beside its value, and named when its file gives none, all at once and once each', () => {
    const message = problemsOf({
      PORT: '1',
      PORT_FILE: file('sekret'),
      DATABASE_URL_FILE: join(folder, 'nowhere'),
      LOG_LEVEL: 'loud',
    });

    expect(
      message
        .split('\n')
        .slice(1)
        .map((line) => line.trim()),
    ).toEqual([
      'PORT and PORT_FILE are both set; leave one out',
      expect.stringMatching(/^DATABASE_URL_FILE names a file that cannot be read: .*ENOENT/),
      expect.stringMatching(/^LOG_LEVEL must /),
    ]);
  });

  it('is refused when its file is empty', () => {
    expect(problemsOf({ PORT: '1', DATABASE_URL_FILE: file('\n') })).toMatch(
      /DATABASE_URL_FILE names a file that is empty$/,
    );
  });

  it('is no file where the name with _FILE is a setting of its own', () => {
    const own = {
      type: 'object',
      required: [],
      properties: {
        KEY: { type: 'string', nullable: true },
        KEY_FILE: { type: 'string', nullable: true },
      },
    } as SettingsSchema<{ KEY?: string; KEY_FILE?: string }>;

    expect(loadSettings(own, { KEY_FILE: '/nowhere' })).toStrictEqual({ KEY_FILE: '/nowhere' });
  });
});

/** Compiled, never run. */
export const promises = (): unknown[] => [
  // @ts-expect-error settings are read only
  (loadSettings(schema, {}).PORT = 1),
  {
    type: 'object',
    required: [],
    properties: { PORT: settingSchemas.PORT },
    // @ts-expect-error a schema must describe every setting
  } satisfies SettingsSchema<Settings>,
];
