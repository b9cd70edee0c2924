import { execFile } from 'node:child_process';
import { mkdtemp, rm, symlink, unlink } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, it } from '@jest/globals';
import { checkout } from '../chaos/stack.ts';
import {
  expectNothingLost,
  openRollingStage,
  replaceAll,
  startLoad,
  type RollingStage,
} from './rolling/load.ts';
import { buildRelease, releaseBefore } from './rolling/release.ts';

const run = promisify(execFile);
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

const migrate = (): Promise<unknown> =>
  run(process.execPath, [path.join(checkout, 'prisma/dist/migrate.js')], {
    env: { ...process.env, DATABASE_URL: stage.stack.postgres.url },
  });

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
    // The order of docs/upgrading.md: first the schema, beside the services of the release before.
    await migrate();
    await switchTo(checkout);
    await replaceAll(stage.stack);
    await switchTo(old);
    await replaceAll(stage.stack);
    load.stop();

    await expectNothingLost(stage, load, { resetsAllowed: 4 });
  }, 600_000);
});
