import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { NewTask } from '@gateway/contracts';
import { newId, openConfiguration } from '@gateway/runtime';
import { createHolds, createRouteChanges, createTaskEndings } from '@gateway/store';
import { aNewTask, anAccount, openTestDatabase, type TestDatabase } from '@gateway/testing';
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
  twin: { kind: ark, base_url: "${vendor.url}${arkScript.basePath}", api_key: "\${KEY}" }
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

const at = (provider: string): Pick<NewTask, 'vendor'> => ({
  vendor: { ...aNewTask(accountId).vendor, provider },
});

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
    const forgotten = await stories.queued(at('ark'));
    const running = await stories.running(at('ark'));
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

  it('goes on with the second vendor’s work on a task that had begun at another one', async () => {
    const task = await storiesOf(test.database, accountId).running();
    const { taskId: _none, ...vendorOfTask } = task.vendor;
    const to = { ...vendorOfTask, provider: 'ark', upstreamModel: 'another' };
    const change = { task, to, because: 'failed', outcome: 'failed' } as const;
    expect(await createRouteChanges(test.database).changeRoutes([change])).toHaveLength(1);
    expect(await rowOf(task.id)).toEqual({ status: 'running', step: 'submit', vendor: null });
    vendorHas([['cgt-10', task.id]]);

    await audit('--repair');

    expect(await rowOf(task.id)).toEqual({ status: 'running', step: 'poll', vendor: 'cgt-10' });
    expect((await audit()).ok).toBe(true);
  });

  it('does not take a task for this vendor’s that the books send to another one', async () => {
    const stories = storiesOf(test.database, accountId);
    const waiting = await stories.queued();
    const sending = await stories.submitting();
    vendorHas([
      ['cgt-7', waiting.id],
      ['cgt-6', sending.id],
    ]);

    await audit('--repair');

    expect(await rowOf(waiting.id)).toEqual({ status: 'queued', step: 'submit', vendor: null });
    const { rows: exposures } = await test.database.pool.query(
      'SELECT provider, vendor_task_id AS vendor FROM exposure WHERE task_id = ANY ($1) ORDER BY 2',
      [[waiting.id, sending.id]],
    );
    expect(exposures).toEqual([
      { provider: 'ark', vendor: 'cgt-6' },
      { provider: 'ark', vendor: 'cgt-7' },
    ]);
    expect((await audit()).ok).toBe(true);
  });

  it('takes a task for this vendor’s that the books send to the same account under another name', async () => {
    const stories = storiesOf(test.database, accountId);
    const waiting = await stories.queued(at('twin'));
    const sending = await stories.submitting(at('twin'));
    vendorHas([
      ['cgt-9', waiting.id],
      ['cgt-8', sending.id],
    ]);

    await audit('--repair');

    expect(await rowOf(waiting.id)).toEqual({ status: 'running', step: 'poll', vendor: 'cgt-9' });
    expect(await rowOf(sending.id)).toMatchObject({ step: 'submitting' });
    expect((await audit()).ok).toBe(true);
  });

  it('has nothing to say of a task that its customer has deleted', async () => {
    const { id, vendor: sentTo } = await storiesOf(test.database, accountId).succeeded(
      4,
      at('ark'),
    );
    const endings = createTaskEndings(test.database);
    await createHolds(test.database).settle(id);
    await endings.markDeleted(id, accountId);
    await endings.forget(id);
    expect(await rowOf(id)).toBeUndefined();
    vendorHas([[sentTo.taskId!, id]]);

    const { ok, data } = await audit();

    expect([ok, data]).toMatchObject([true, { vendors: { tasks: 1, findings: [] } }]);
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
