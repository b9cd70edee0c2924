import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import {
  findCredentials,
  forgetCredentials,
  keepCredentials,
} from '../../../packages/cli/src/credentials.ts';
import { mayAskAgain, StateFile, type Unfinished } from '../../../packages/cli/src/state-file.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(path.join(os.tmpdir(), 'gw-state-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const begun: Unfinished = {
  version: 1,
  created_at: '2026-11-24T10:00:00.000Z',
  idempotency_key: 'sdk-1',
  request: { model: 'sandbox-video', prompt: 'a balloon' },
};

describe('what gw remembers of an unfinished video', () => {
  it('is found by the same command and by no other', async () => {
    const state = new StateFile(folder, { prompt: 'a balloon' });
    expect(await state.read()).toBeUndefined();

    await state.write(begun);
    await state.write({ ...begun, video_id: 'video_1' });

    expect(await new StateFile(folder, { prompt: 'a balloon' }).read()).toEqual({
      ...begun,
      video_id: 'video_1',
    });
    expect(await new StateFile(folder, { prompt: 'a boat' }).read()).toBeUndefined();
    await state.remove();
    await state.remove();
    expect(await state.read()).toBeUndefined();
  });

  it('is written as a whole, for its owner alone', async () => {
    const state = new StateFile(folder, {});
    await Promise.all(Array.from({ length: 8 }, () => state.write(begun)));

    expect(await readdir(path.dirname(state.path))).toEqual([path.basename(state.path)]);
    expect((await stat(state.path)).mode & 0o777).toBe(0o600);
    expect(JSON.parse(await readFile(state.path, 'utf8'))).toEqual(begun);
  });

  it('is begun by one of two who run the same command', async () => {
    const runs = Array.from({ length: 8 }, (_, index) =>
      new StateFile(folder, {}).begin({ ...begun, idempotency_key: `sdk-${index}` }),
    );

    expect((await Promise.all(runs)).filter(Boolean)).toHaveLength(1);
    expect(await readdir(path.join(folder, 'videos'))).toHaveLength(1);
  });

  it.each(['', '{"version":1', '{"version":2}', 'null', '[]'])(
    'is not guessed from a file with %j',
    async (text) => {
      const state = new StateFile(folder, {});
      await state.write(begun);
      await writeFile(state.path, text);

      await expect(state.read()).rejects.toThrow('is not what gw has written');
    },
  );

  it.each([
    [0, true],
    [22.9, true],
    [23.1, false],
  ])('after %d hours may be asked for again: %s', (hours, may) => {
    expect(mayAskAgain(begun, Date.parse(begun.created_at) + hours * 3_600_000)).toBe(may);
  });
});

describe('the key of gw', () => {
  const kept = { baseUrl: 'https://gateway.example', apiKey: 'sk-gw-kept' };

  it('comes from the environment, then from the login, then from a gateway in a folder above', async () => {
    const below = path.join(folder, 'a', 'b');
    const env = { XDG_CONFIG_HOME: path.join(folder, 'config') };
    const surroundings = { env, folder: below };
    const demoFile = path.join(folder, '.data', 'demo.json');
    await expect(findCredentials(surroundings)).rejects.toThrow('You are not logged in');

    await mkdir(path.dirname(demoFile));
    await writeFile(demoFile, JSON.stringify({ base_url: 'http://127.0.0.1:1', api_key: 'demo' }));
    expect(await findCredentials(surroundings)).toMatchObject({ apiKey: 'demo' });

    const file = await keepCredentials(surroundings, kept);
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    expect(await findCredentials(surroundings)).toMatchObject(kept);
    expect(
      await findCredentials({ ...surroundings, env: { ...env, GW_API_KEY: 'mine' } }),
    ).toMatchObject({ apiKey: 'mine', baseUrl: 'http://localhost:3000' });

    await writeFile(file, 'nonsense');
    await expect(findCredentials(surroundings)).rejects.toThrow('holds no key');
    await forgetCredentials(surroundings);
    expect(await findCredentials(surroundings)).toMatchObject({ apiKey: 'demo' });
  });
});
