import { mkdtemp, rm, utimes } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { Readable } from 'node:stream';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { openFileSystemStorage, writeOwner, type MediaStorage } from '@gateway/media';
import { newId } from '@gateway/runtime';
import { createInstallation } from '@gateway/store';
import { anAccount, openTestDatabase, type TestDatabase } from '@gateway/testing';
import type { CommandResult } from '../../../services/admin/src/command.ts';
import { portsOf } from '../../../services/admin/src/ports.ts';
import { parse } from '../../../services/admin/src/run.ts';
import { storiesOf } from '../store/stories.ts';

let test: TestDatabase;
let root: string;
let folder: string;
let storage: MediaStorage;
beforeAll(async () => {
  test = await openTestDatabase();
  root = await mkdtemp(path.join(os.tmpdir(), 'gateway-admin-storage-'));
});
afterAll(async () => {
  await test.close();
  await rm(root, { recursive: true });
});
beforeEach(async () => {
  folder = await mkdtemp(path.join(root, 'media-'));
  storage = await openFileSystemStorage({ folder });
});

const put = (key: string): Promise<unknown> =>
  storage.put(key, Readable.from([Buffer.from('x')]), { maxBytes: 10 });

async function admin(...args: string[]): Promise<CommandResult> {
  const parsed = parse(['storage', ...args]);
  if (parsed.kind === 'help') throw new Error('this is a help page');
  return parsed.run(
    portsOf({
      settings: {
        DATABASE_URL: test.url,
        CALLBACK_SECRET_KEYS: '',
        QUEUE_PREFIX: 'unused',
        STORAGE_DIR: folder,
      },
      database: test.database,
      loadConfiguration: () => {
        throw new Error('not asked for');
      },
    }),
  );
}

describe('npm run admin -- storage adopt', () => {
  it('shows whose the storage is and changes nothing, and with --yes makes it ours', async () => {
    const id = await createInstallation(test.database).id();
    await writeOwner(storage, 'somebody');
    await put(`videos/${newId('task')}-1.mp4`);

    const shown = await admin('adopt');
    expect(shown.data).toEqual({
      owner: 'somebody',
      installation: id,
      sample: { files: 1, known: 0 },
      adopted: false,
    });
    expect((await admin('adopt', '--yes')).data).toMatchObject({ adopted: true });

    expect((await admin('adopt', '--yes')).data).toMatchObject({ owner: id, adopted: false });
  });

  it('shows a file that names nobody as unreadable', async () => {
    await put('installation.json');

    expect((await admin('adopt')).data).toMatchObject({ owner: 'unreadable' });
  });
});

describe('npm run admin -- storage orphans and allow-sweep', () => {
  it('lists what a sweep would remove, and lets it', async () => {
    const { id: accountId } = await anAccount(test.database, { quota: 100_000 });
    const task = await storiesOf(test.database, accountId).succeeded(5);
    const [known, unknown] = [`frames/${task.id}-3`, `videos/${newId('task')}-3.mp4`];
    const then = new Date(Date.now() - 7_200_000);
    for (const key of [`videos/${task.id}.mp4`, known, unknown]) {
      await put(key);
      await utimes(path.join(folder, key), then, then);
    }

    expect((await admin('orphans')).data).toMatchObject({ files: 3, orphans: 0 });
    expect((await admin('orphans', '--hours', '1')).data).toEqual({
      files: 3,
      orphans: 2,
      unknown: 1,
      shown: [
        { key: unknown, modifiedAt: then.toISOString(), isOfKnownTask: false },
        { key: known, modifiedAt: then.toISOString(), isOfKnownTask: true },
      ],
    });
    expect((await admin('allow', '--files', '2')).data).toMatchObject({ files: 2 });

    const allowed = await createInstallation(test.database).sweepAllowance();
    expect(allowed).toMatchObject({ files: 2 });
    expect(allowed?.until.getTime()).toBeGreaterThan(Date.now() + 23 * 3_600_000);
  });

  it.each(['0', '-1', 'all', ''])('refuses to allow %j files', async (files) => {
    await expect(admin('allow', `--files=${files}`)).rejects.toThrow('--files must be');
  });
});

describe('npm run admin -- storage verify', () => {
  it('lists what rows name and the storage has not, and fails; not what was withdrawn', async () => {
    const { id: accountId } = await anAccount(test.database, { quota: 100_000 });
    const stories = storiesOf(test.database, accountId);
    await test.database.pool.query('UPDATE media SET purged_at = now(), removed_at = now()');
    const [there, gone, withdrawn] = [
      await stories.succeeded(5),
      await stories.succeeded(5),
      await stories.succeeded(5),
    ];
    await put(`videos/${there.id}.mp4`);
    await test.database.pool.query('UPDATE media SET purged_at = now() WHERE task_id = $1', [
      withdrawn.id,
    ]);
    await test.database.pool.query(
      `INSERT INTO asset (id, account_id, kind, content_type, storage_key, state, name, size_bytes, sha256)
       VALUES ($1, $2, 'image', 'image/png', 'assets/gone', 'ready', 'x', 1, $3)`,
      [newId('asset'), accountId, 'a'.repeat(64)],
    );

    const { ok, data } = await admin('verify');

    expect(ok).toBe(false);
    expect(data).toEqual({
      ok: false,
      files: 1,
      missing: [
        { id: gone.id, key: `videos/${gone.id}.mp4` },
        { id: expect.stringMatching(/^asset_/), key: 'assets/gone' },
      ],
    });
    await put(`videos/${gone.id}.mp4`);
    await put('assets/gone');
    expect((await admin('verify')).ok).toBe(true);
  });
});
