import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { newId, openConfiguration } from '@gateway/runtime';
import { anAccount, openTestDatabase, type TestDatabase } from '@gateway/testing';
import { videoVendors } from '@gateway/video-providers';
import type { CommandResult } from '../../../services/admin/src/command.ts';
import { portsOf } from '../../../services/admin/src/ports.ts';
import { parse } from '../../../services/admin/src/run.ts';
import { startScriptedVendor, type ScriptedVendor } from '../../contracts/scripted-vendor.ts';
import { storiesOf } from '../store/stories.ts';
import { arkScript } from '../video-providers/ark-script.ts';

const { list } = arkScript;

let test: TestDatabase;
let folder: string;
let vendor: ScriptedVendor;
let accountId: string;
beforeAll(async () => {
  test = await openTestDatabase();
});
afterAll(() => test.close());
beforeEach(async () => {
  vendor = await startScriptedVendor(arkScript.callOf);
  folder = await mkdtemp(path.join(os.tmpdir(), 'gateway-admin-audit-'));
  await writeFile(
    path.join(folder, 'gateway.yaml'),
    `limits: { default_key: { requests_per_minute: 10, concurrent_requests: 10 } }
providers:
  ark: { kind: ark, base_url: "${vendor.url}${arkScript.basePath}", api_key: "\${KEY}" }
models:
  m: { kind: video, provider: ark, upstream_model: up, second_quota: 10, duration: { min: 4, max: 12, default: 5 }, resolution: { allowed: [480p], default: 480p }, ratio: { allowed: ["16:9"], default: "16:9" } }
`,
  );
  ({ id: accountId } = await anAccount(test.database, { quota: 1_000 }));
});
afterEach(async () => {
  await vendor.stop();
  await rm(folder, { recursive: true });
});

async function audit(...args: string[]): Promise<CommandResult> {
  const parsed = parse(['audit', ...args]);
  if (parsed.kind === 'help') throw new Error('this is a help page');
  return parsed.run(
    portsOf({
      settings: {
        DATABASE_URL: test.url,
        CALLBACK_SECRET_KEYS: '',
        QUEUE_PREFIX: 'unused',
        STORAGE_DIR: folder,
        GATEWAY_CONFIG: path.join(folder, 'gateway.yaml'),
      },
      database: test.database,
      loadConfiguration: (file) =>
        openConfiguration({ path: file, environment: { KEY: 'secret' }, videoVendors }).current(),
    }),
  );
}

const vendorHas = (
  tasks: readonly (readonly [vendorTaskId: string, correlation: string])[],
): void => {
  vendor.on(
    'list',
    list(
      tasks.map(([vendorTaskId, correlation]) => ({
        vendorTaskId,
        correlation,
        createdAt: new Date(),
      })),
    ),
  );
};

const rowOf = async (taskId: string): Promise<unknown> =>
  (
    await test.database.pool.query(
      'SELECT status, step, vendor_task_id AS vendor FROM task WHERE id = $1',
      [taskId],
    )
  ).rows[0];

describe('npm run admin -- audit', () => {
  it('finds what an accident took from the books, repairs it, and then finds nothing', async () => {
    const stories = storiesOf(test.database, accountId);
    const forgotten = await stories.queued();
    const running = await stories.running();
    const lost = newId('task');
    vendorHas([
      ['cgt-5', 'somebody else’s'],
      ['cgt-4', running.id],
      ['cgt-3', lost],
      ['cgt-2', forgotten.id],
      [running.vendor.taskId!, running.id],
    ]);
    const expected = {
      [forgotten.id]: ['cgt-2', 'forgotten'],
      [running.id]: ['cgt-4', 'second'],
      [lost]: ['cgt-3', 'unknown'],
    };
    const findingsOf = ({ data }: CommandResult): unknown =>
      Object.fromEntries(
        (
          data as {
            vendors: { findings: { taskId: string; vendorTaskId: string; standing: string }[] };
          }
        ).vendors.findings.map(({ taskId, vendorTaskId, standing }) => [
          taskId,
          [vendorTaskId, standing],
        ]),
      );

    const found = await audit();
    expect([found.ok, findingsOf(found)]).toEqual([false, expected]);
    expect(found.lines.at(-1)).toContain('--repair');
    expect(await rowOf(forgotten.id)).toMatchObject({ step: 'submit', vendor: null });

    const repaired = await audit('--repair');
    expect(findingsOf(repaired)).toEqual(expected);
    expect(await rowOf(forgotten.id)).toEqual({ status: 'running', step: 'poll', vendor: 'cgt-2' });
    const { rows: exposures } = await test.database.pool.query(
      'SELECT task_id AS task, vendor_task_id AS vendor, kind FROM exposure ORDER BY vendor_task_id',
    );
    expect(exposures).toEqual([
      { task: lost, vendor: 'cgt-3', kind: 'orphan' },
      { task: running.id, vendor: 'cgt-4', kind: 'orphan' },
    ]);

    const after = await audit();
    expect([after.ok, findingsOf(after)]).toEqual([true, {}]);
  });

  it('does not call a list that it cannot read in order', async () => {
    vendor.on('list', { status: 502, body: '<html>Bad gateway</html>' });

    const { ok, lines } = await audit();

    expect(ok).toBe(false);
    expect(lines.join('\n')).toContain('NOT COMPARED ark');
  });

  it('refuses a time that vendors do not keep', async () => {
    await expect(audit('--hours', '1000')).rejects.toThrow('--hours must be a whole number');
  });
});
