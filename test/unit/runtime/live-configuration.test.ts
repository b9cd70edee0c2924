import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { openConfiguration, SettingsError } from '@gateway/runtime';

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

afterEach(() => { rmSync(folder, { recursive: true }); });

function refusal(): string {
  try {
    openConfiguration({ path, environment });
  } catch (error) {
    if (error instanceof SettingsError) return error.message;
    throw error;
  }
  throw new Error('the configuration was accepted');
}

describe('the operator’s file', () => {
  it('is read with its address from the environment and its key from a file', () => {
    const { providers, models } = openConfiguration({ path, environment }).current();

    expect(providers.get('studio')).toMatchObject({ baseUrl: 'http://127.0.0.1:9', apiKey: 'sk-studio' });
    expect([...models.keys()]).toEqual(['film-1']);
  });

  it('is refused with every problem and its line', () => {
    writeFileSync(path, text.replace('kind: ark', 'kind: arc').replace('second_quota: 100', 'second_quota: cheap'));
    const lines = refusal().split('\n').slice(1);

    expect(lines.map((line) => line.trim().split(' ')[0]).sort()).toEqual([`${path}:11`, `${path}:3`]);
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
