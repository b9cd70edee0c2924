/** @workers 3: it promises no times. */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Browser, Page } from 'playwright-core';
import { eventually, openReceiver, type Receiver } from '@gateway/testing';
import { openSuite, type Customer, type SuiteUnderTest } from '../e2e/harness.ts';
import { chromiumPath, openChromium } from './browser/chromium.ts';
import { signIn, visit } from './console/browser.ts';

const inBrowser = chromiumPath === undefined ? describe.skip : describe;

inBrowser('a day at the console', () => {
  let gateway: SuiteUnderTest;
  let browser: Browser;
  let receiver: Receiver;
  let customer: Customer;
  let isBroken = true;

  beforeAll(async () => {
    [gateway, browser, receiver] = await Promise.all([
      // So slow that both videos render while their worker is killed.
      openSuite({ moreEnv: { 'sandbox-vendor': { SANDBOX_RENDER_MS: '8000' } } }),
      openChromium(),
      openReceiver((_, response) => {
        if (isBroken) response.writeHead(500).end();
        return isBroken;
      }),
    ]);
    customer = await gateway.aCustomer(10_000);
  });
  afterAll(async () => {
    await browser.close();
    await receiver.close();
    await gateway.close();
  });

  it('outlives a killed worker and a broken receiver, and its sums are those of the books', async () => {
    const { page, complaints } = await visit(browser, { baseUrl: gateway.suite.baseUrl });
    await signIn(page, customer.apiKey);

    await generateOnTwoModels(page);
    await rendering(gateway, customer, 2);
    expect(gateway.suite.kill('video-worker', 'SIGKILL')).toBe(true);
    await page.locator('video').nth(1).waitFor({ timeout: 60_000 });
    await page.getByRole('button', { name: 'Play all' }).click();
    await eventually(async () => {
      const played = await page.evaluate<boolean>(
        '[...document.querySelectorAll("video")].every(({ currentTime }) => currentTime > 0.1)',
      );
      expect(played).toBe(true);
    });

    const told = await customer.create({
      model: 'sandbox-video',
      prompt: 'a kite',
      duration: 4,
      resolution: '480p',
      callback_url: receiver.url,
    });
    await customer.until(told.id, 'succeeded');
    await page.goto('/console/callbacks');
    await page.getByRole('radio', { name: 'stopped' }).check();
    const row = page.locator('tbody tr').filter({ hasText: told.id });
    await row.waitFor({ timeout: 30_000 });
    expect(receiver.received.length).toBeGreaterThan(0);
    isBroken = false;
    await redeliverAll(page);
    await eventually(() => {
      expect(receiver.pushes().at(-1)?.body).toMatchObject({ id: told.id, status: 'succeeded' });
    });
    await row.waitFor({ state: 'detached', timeout: 20_000 });

    expect(await balanceOn(page)).toBe(await verifiedBalance(gateway, customer));
    await page.getByRole('button', { name: 'Log out' }).click();
    await page.getByLabel('API key').waitFor();
    const session = await page.evaluate('fetch("/v1/session").then(({ status }) => status)');
    expect(session).toBe(401);
    expect(complaints).toEqual([]);
  });
});

async function generateOnTwoModels(page: Page): Promise<void> {
  await page.getByLabel('Compare with…').selectOption('sandbox-minimax');
  await page.getByLabel('Prompt').fill('a red balloon over Lisbon');
  await page.locator('.price strong').nth(1).waitFor();
  await page.getByRole('button', { name: 'Generate 2 videos' }).click();
}

/** Until so many videos of this customer are with their vendors. */
const rendering = (
  { database }: SuiteUnderTest,
  { accountId }: Customer,
  count: number,
): Promise<void> =>
  eventually(async () => {
    const { rows } = await database.pool.query(
      `SELECT id FROM task WHERE account_id = $1 AND status = 'running' AND vendor_task_id IS NOT NULL`,
      [accountId],
    );
    expect(rows).toHaveLength(count);
  });

async function redeliverAll(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Redeliver all stopped' }).click();
  await page.getByRole('button', { name: 'Count callbacks' }).click();
  await page.getByRole('button', { name: 'Redeliver 1' }).click();
  await page.getByText('Done. 1 of 1 queued for delivery.').waitFor();
  await page.keyboard.press('Escape');
}

/** As the page shows it, once nothing is held any more. */
async function balanceOn(page: Page): Promise<number> {
  await page.goto('/console/billing');
  const sum = (name: string) =>
    page.locator('.bill-step').filter({ hasText: name }).locator('.quota').last();
  await eventually(async () => {
    expect(await sum('Held').textContent()).toBe('0');
  });
  return Number((await sum('Balance').textContent())?.replaceAll(',', ''));
}

/** As the books have it, which must be right. */
async function verifiedBalance(gateway: SuiteUnderTest, customer: Customer): Promise<number> {
  const books = await gateway.admin('billing', 'verify', '--grace', '0', '--json');
  expect(JSON.parse(books.output)).toMatchObject({ ok: true, violations: [] });
  const { output } = await gateway.admin(
    'account',
    'balance',
    '--account',
    customer.accountId,
    '--json',
  );
  return (JSON.parse(output) as { balance_quota: number }).balance_quota;
}
