import { readFile, writeFile } from 'node:fs/promises';
import { expect, it } from '@jest/globals';
import type { Page } from 'playwright-core';
import { createTaskMoves } from '@gateway/store';
import { eventually } from '@gateway/testing';
import { logIn } from './browser.ts';
import type { OperatorStage } from './operators.ts';

const withinMs = { timeout: 60_000 };
/** More than six videos for one vendor, and some for others. */
const traffic = Object.entries({
  'sandbox-video': 11,
  'sandbox-kling': 3,
  'sandbox-luma': 2,
}).flatMap(([model, count]) => Array<string>(count).fill(model));
const figureOf = (page: Page, name: string): Promise<string | null> =>
  page
    .getByRole('listitem')
    .filter({ has: page.getByRole('link', { name, exact: true }) })
    .locator('strong')
    .textContent();

/** The tests of how everything stands, on the stage of the other operators' tests. */
export function statusTests(stage: OperatorStage): void {
  const enter = async (page: Page, at: string): Promise<void> => {
    const { adminToken } = stage.gateway().suite;
    await logIn(page, { label: 'Admin token', secret: adminToken, at });
  };
  const rowOf = (page: Page, table: string, name: string | RegExp) =>
    page.getByRole('table', { name: table }).getByRole('row').filter({ hasText: name });

  it('shows providers and replicas, and the configuration that one of them refuses', async () => {
    const { configFile } = stage.gateway();
    const { page, complaints, picture } = await stage.open();
    await enter(page, '/console/operator/now');
    const sandbox = rowOf(page, 'Providers of videos', /^sandboxark/);
    const worker = rowOf(page, 'Replicas', 'video-worker');
    await worker.waitFor(withinMs);
    await sandbox.getByText('closed').waitFor(withinMs);
    expect(await sandbox.textContent()).toMatch(/\d+ of 50/);
    expect(await worker.getByText('none').count()).toBe(1);
    await rowOf(page, 'Work that is due', 'Callbacks').waitFor();

    const good = await readFile(configFile, 'utf8');
    await writeFile(configFile, good.replace('max_concurrent: 50', 'max_concurrent: none'));
    const notice = page.getByRole('status').filter({ hasText: 'max_concurrent' });
    try {
      await notice.waitFor(withinMs);
      await worker.getByText(/^refused /).waitFor(withinMs);
      await picture('operator-refused-configuration');
    } finally {
      await writeFile(configFile, good);
    }

    await notice.waitFor({ state: 'detached', ...withinMs });
    await worker.getByText('none').waitFor(withinMs);
    expect(complaints).toEqual([]);
  }, 240_000);

  it('shows what renders and what waits while there is work', async () => {
    const { configFile, aCustomer } = stage.gateway();
    const good = await readFile(configFile, 'utf8');
    await writeFile(configFile, good.replace('max_concurrent: 50', 'max_concurrent: 6'));
    const { page, picture, complaints } = await stage.open();
    try {
      await enter(page, '/console/operator/now');
      await rowOf(page, 'Providers of videos', /^sandboxark/)
        .getByText(/\d+ of 6/)
        .waitFor(withinMs);
      const [one, two] = [stage.customer(), await aCustomer(100_000)];
      await Promise.all(
        traffic.map((model, index) =>
          (index % 3 === 0 ? two : one).create({
            model,
            // Longer than a busy machine takes to show it: six have to be there at once.
            prompt: '[slow=150] a paper boat on a calm lake',
          }),
        ),
      );
      await page.getByRole('table', { name: 'Videos that have waited longest' }).waitFor(withinMs);
      await rowOf(page, 'Providers of videos', /^sandboxark/)
        .getByText('6 of 6')
        .waitFor(withinMs);
      // A slot is taken a while before its vendor says that it renders.
      await eventually(async () => {
        const [queued, rendering] = await Promise.all(
          ['Queued', 'Rendering'].map(async (name) => Number(await figureOf(page, name))),
        );
        expect(queued).toBeGreaterThan(0);
        expect(rendering).toBeGreaterThan(6);
      });
      await picture('operator-now');
      expect(complaints).toEqual([]);
    } finally {
      await writeFile(configFile, good);
    }
  }, 240_000);

  it('shows what failed at a provider, and vendor work that nobody is billed for', async () => {
    const customer = stage.customer();
    const brief = { model: 'sandbox-video', duration: 4, resolution: '480p' };
    const { id } = await customer.create({ ...brief, prompt: '[fail] a boat' });
    await customer.until(id, 'failed');
    const moves = createTaskMoves(stage.gateway().database);
    for (const kind of ['orphan', 'late_success'] as const) {
      await moves.recordExposure({
        taskId: id,
        kind,
        provider: 'sandbox',
        vendorTaskId: `cgt-${kind}`,
        detail: 'noted by a test',
        cost: { amount: '0.35', currency: 'USD', source: 'calculated' },
      });
    }
    const { page, complaints } = await stage.open();
    await enter(page, '/console/operator/providers');
    const failures = rowOf(page, 'Failures of the last hour, newest first', /^sandboxfailed/);
    await failures.waitFor(withinMs);

    await page.goto('/console/operator/books');
    const exposures = rowOf(page, 'Exposures, newest first', id);
    await exposures.nth(1).waitFor();
    await page.getByLabel('Kind of exposure').selectOption('late_success');
    await page.waitForURL(/kind=late_success/);
    await exposures.filter({ hasText: 'cgt-orphan' }).waitFor({ state: 'detached' });
    expect(await exposures.textContent()).toMatch(/Made after its deadline.*0\.35 USD/);
    await exposures.getByRole('link', { name: id }).click();

    await page.waitForURL(`**/operator/videos/${id}`);
    expect(complaints).toEqual([]);
  }, 120_000);
}
