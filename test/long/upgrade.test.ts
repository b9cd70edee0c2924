import { mkdtemp, readdir, rm, symlink, unlink } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { checkout } from '../chaos/stack.ts';
import {
  expectNothingLost,
  openRollingStage,
  replaceAll,
  startLoad,
  type RollingStage,
} from './rolling/load.ts';
import { buildRelease, releaseBefore } from './rolling/release.ts';

const before = await releaseBefore();
const from =
  before === undefined ? 'this release (no other is in the history)' : before.slice(0, 8);

let old: string;
let folder: string;
/** What the processes of the suite are started from: a link to the one release or the other. */
let current: string;
let stage: RollingStage;

async function switchTo(release: string): Promise<void> {
  await unlink(current).catch(() => undefined);
  await symlink(release, current);
}

const migrationsOf = async (release: string): Promise<string[]> =>
  (await readdir(path.join(release, 'prisma/migrations'))).sort();
const hasNewMigrations = async (): Promise<boolean> =>
  (await migrationsOf(old)).join() !== (await migrationsOf(checkout)).join();

beforeAll(async () => {
  old = before === undefined ? checkout : await buildRelease(before);
  folder = await mkdtemp(path.join(os.tmpdir(), 'gateway-upgrade-'));
  current = path.join(folder, 'release');
  await switchTo(old);
  stage = await openRollingStage(current);
}, 1_200_000);
afterAll(async () => {
  await stage.close();
  await rm(folder, { recursive: true, force: true });
});

describe(`replacing every replica of every service under load, from ${from} to this release and back`, () => {
  it('responds to every creation, ends every stream, and loses nothing', async () => {
    const load = await startLoad(stage);
    const { migrate } = stage.stack;
    // Who deploys the services before the schema: their init containers wait, as this one does.
    const waiting = migrate(checkout, '--check', '--wait');
    const checked = migrate(checkout, '--check').then(
      () => 0,
      (error: unknown) => (error as { code: number }).code,
    );
    await expect(checked).resolves.toBe((await hasNewMigrations()) ? 3 : 0);
    // The order of docs/upgrading.md: first the schema, beside the services of the release before.
    await migrate(checkout);
    await waiting;
    await switchTo(checkout);
    await replaceAll(stage.stack);
    await switchTo(old);
    await replaceAll(stage.stack);
    load.stop();

    await expectNothingLost(stage, load, { resetsAllowed: 4 });
  }, 600_000);
});
