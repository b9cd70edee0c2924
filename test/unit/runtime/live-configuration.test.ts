import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import {
  createMetrics,
  openConfiguration,
  perVersion,
  SettingsError,
  type LiveConfiguration,
  type Part,
  type WatchOptions,
} from '@gateway/runtime';
import { eventually, recordingLog } from '@gateway/testing';
import { videoVendors } from '@gateway/video-providers';

const text = `providers:
  studio:
    kind: ark
    base_url: \${STUDIO_URL}
    api_key_file: KEY_FILE
models:
  film-1:
    kind: video
    provider: studio
    upstream_model: film-1-upstream
    second_quota: 100
    duration: { min: 4, max: 15, default: 6 }
    ratio: { allowed: ["16:9"], default: "16:9" }
    resolution: { allowed: [720p], default: 720p }
`;
const environment = { STUDIO_URL: 'http://127.0.0.1:9' };

let folder = '';
let path = '';
let keyFile = '';

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'configuration-'));
  path = join(folder, 'gateway.yaml');
  keyFile = join(folder, 'key');
  writeFileSync(path, text.replace('KEY_FILE', keyFile));
  writeFileSync(keyFile, 'sk-studio\n');
});

afterEach(() => {
  rmSync(folder, { recursive: true });
});

function refusal(): string {
  try {
    openConfiguration({ path, environment, videoVendors });
  } catch (error) {
    if (error instanceof SettingsError) return error.message;
    throw error;
  }
  throw new Error('the configuration was accepted');
}

describe('the operator’s file', () => {
  it('is read with its address from the environment and its key from a file', () => {
    const { providers, models } = openConfiguration({ path, environment, videoVendors }).current();

    expect(providers.get('studio')).toMatchObject({
      baseUrl: 'http://127.0.0.1:9',
      apiKey: 'sk-studio',
    });
    expect([...models.keys()]).toEqual(['film-1']);
  });

  it('is refused with every problem and its line', () => {
    writeFileSync(
      path,
      text.replace('kind: ark', 'kind: arc').replace('second_quota: 100', 'second_quota: cheap'),
    );
    const lines = refusal().split('\n').slice(1);

    expect(lines.map((line) => line.trim().split(' ')[0]).sort()).toEqual([
      `${path}:11`,
      `${path}:3`,
    ]);
  });

  it('is refused when its key file is not there', () => {
    rmSync(keyFile);

    expect(refusal()).toContain(`${path}:5 `);
    expect(refusal()).toContain(keyFile);
  });

  it('is missed by the name of its setting', () => {
    rmSync(path);

    expect(refusal()).toMatch(/GATEWAY_CONFIG.*ENOENT/);
  });
});

describe('a version that takes the place of another', () => {
  let watching: Part | undefined;
  afterEach(async () => {
    await watching?.stop();
    watching = undefined;
  });

  /** Longer than a test lasts: only a signal makes it look. */
  const never = 3_600_000;
  async function watched(
    options: Partial<WatchOptions> = {},
    everyMs = 20,
  ): Promise<{ live: LiveConfiguration; log: ReturnType<typeof recordingLog> }> {
    const log = recordingLog();
    const live = openConfiguration({ path, environment, everyMs, settleMs: 10, videoVendors });
    watching = live.watch({ log, metrics: createMetrics('test'), ...options });
    await watching.start?.();
    return { live, log };
  }
  const change = (from: string, to: string): void => {
    writeFileSync(path, text.replace('KEY_FILE', keyFile).replace(from, to));
  };
  const models = ({ current }: LiveConfiguration): string[] => [...current().models.keys()];

  it('is another object, and the one before stays what it was', async () => {
    const { live } = await watched();
    const before = live.current();
    change('film-1:', 'film-2:');

    await eventually(() => {
      expect(models(live)).toEqual(['film-2']);
      return Promise.resolve();
    });
    expect([...before.models.keys()]).toEqual(['film-1']);
    expect(Object.isFrozen(live.current())).toBe(true);
  });

  it('says which version is in use since when, and which was refused last and why', async () => {
    const { live } = await watched();
    const first = live.standing();
    expect(first).toMatchObject({ generation: 1, refused: null });

    change('film-1:', '? broken');
    await eventually(() => {
      expect(live.standing()).toMatchObject({
        generation: 1,
        hash: first.hash,
        refused: { problems: [expect.stringContaining(path)] },
      });
      return Promise.resolve();
    });

    change('film-1:', 'film-2:');
    await eventually(() => {
      expect(live.standing()).toMatchObject({ generation: 2, refused: null });
      return Promise.resolve();
    });
    expect(live.standing().hash).not.toBe(first.hash);
  });

  it('tells which models end when, and warns of those that end soon', async () => {
    const metrics = createMetrics('test');
    const { log } = await watched({ metrics });
    expect(await metrics.metrics()).not.toContain('gateway_model_retires_timestamp_seconds{');

    change(
      'upstream_model: film-1-upstream',
      'upstream_model: film-1-upstream\n    retires_at: 2026-01-31',
    );

    await eventually(async () => {
      expect(await metrics.metrics()).toMatch(
        /gateway_model_retires_timestamp_seconds\{.*model="film-1".*\} 1769817600/,
      );
    });
    expect(JSON.stringify(log.lines)).toContain('models are retired, or will be within two weeks');
  });

  it('is taken at once when a SIGHUP asks for it', async () => {
    const { live } = await watched({}, never);
    change('film-1:', 'film-2:');
    process.emit('SIGHUP');

    await eventually(() => {
      expect(models(live)).toEqual(['film-2']);
      return Promise.resolve();
    });
  });

  it('is made ready before it is seen, and refused when that fails', async () => {
    const prepared: string[][] = [];
    const { live, log } = await watched({
      prepare(configuration) {
        prepared.push([...configuration.models.keys()]);
        expect(live.current()).not.toBe(configuration);
        if (configuration.models.has('film-3')) throw new Error('nobody can play it');
      },
    });
    change('film-1:', 'film-2:');
    await eventually(() => {
      expect(models(live)).toEqual(['film-2']);
      return Promise.resolve();
    });
    change('film-1:', 'film-3:');
    await eventually(() => {
      expect(log.lines.at(-1)).toMatchObject({
        level: 'error',
        fields: { problems: ['nobody can play it'] },
      });
      return Promise.resolve();
    });

    expect(models(live)).toEqual(['film-2']);
    expect(prepared).toEqual([['film-2'], ['film-3']]);
  });

  it('never shows a secret in the log, whether it is taken or refused', async () => {
    const { log } = await watched();
    writeFileSync(keyFile, 'sk-other-studio\n');
    await eventually(() => {
      expect(log.lines.some(({ message }) => message === 'configuration applied')).toBe(true);
      return Promise.resolve();
    });
    change('kind: ark', 'kind: arc');
    await eventually(() => {
      expect(log.lines.some(({ level }) => level === 'error')).toBe(true);
      return Promise.resolve();
    });

    expect(JSON.stringify(log.lines)).not.toMatch(/sk-(other-)?studio/);
  });

  it('is none when the file says what it said before', async () => {
    const { live, log } = await watched({}, never);
    const before = live.current();
    change('film-1:', 'film-1:');
    process.emit('SIGHUP');
    await watching?.stop(); // after the look

    expect(live.current()).toBe(before);
    expect(log.lines.map(({ message }) => message)).toEqual(['configuration in use']);
  });

  it('has what was derived from it made once', async () => {
    const { live } = await watched();
    let built = 0;
    const names = perVersion(live, (configuration) => {
      built += 1;
      return [...configuration.models.keys()];
    });

    expect([names(), names(), names(live.current())]).toEqual([['film-1'], ['film-1'], ['film-1']]);
    expect(built).toBe(1);
    change('film-1:', 'film-2:');
    await eventually(() => {
      expect(names()).toEqual(['film-2']);
      return Promise.resolve();
    });
    expect(built).toBe(2);
  });
});
