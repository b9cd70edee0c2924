import { expect, it } from '@jest/globals';
import type { Page } from 'playwright-core';
import { createGoneModels } from '@gateway/store';
import type { Customer, SuiteUnderTest } from '../../e2e/harness.ts';
import { violationsIn } from '../browser/chromium.ts';
import { logIn, type Visit, type VisitOptions } from './browser.ts';

export interface OperatorStage {
  readonly gateway: () => SuiteUnderTest;
  readonly customer: () => Customer;
  readonly open: (options?: Partial<VisitOptions>) => Promise<Visit>;
  /** The id of a video that was told of. */
  readonly aToldVideo: () => Promise<string>;
}

const schemes = ['light', 'dark'] as const;
const sizes = [
  ['wide', { width: 1280, height: 900 }],
  ['narrow', { width: 390, height: 844 }],
] as const;

/** The tests of the operators' pages, on the stage of the customers'. */
export function operatorTests(stage: OperatorStage): void {
  const enter = async (visit: Visit, at = '/console/operator'): Promise<void> => {
    const { adminToken } = stage.gateway().suite;
    await logIn(visit.page, { label: 'Admin token', secret: adminToken, at });
  };

  it('lets an operator open an account, give it quota and a key, stop it, and see it in the books', async () => {
    const visit = await stage.open();
    const { page, complaints, bodies } = visit;
    await enter(visit);
    await page.getByText('balanced').waitFor();
    const name = await openAccount(page);
    await giveQuota(page);
    const key = await makeKey(page);
    await page.getByRole('button', { name: 'Suspend' }).click();
    await page.getByRole('button', { name: 'Suspend account' }).click();
    await page.getByText('suspended', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Resume' }).click();
    await page.getByText('active', { exact: true }).first().waitFor();
    await page.getByRole('link', { name: 'Its journal' }).click();
    await page.getByText('Account changed').nth(1).waitFor();
    await page.goto('/console/operator/books');
    await page.getByText('all hold').waitFor();
    const shown = await everythingShownIn(page);
    await page.getByRole('button', { name: 'Log out' }).click();
    await page.getByLabel('Admin token').waitFor();
    const session = await page.evaluate('fetch("/admin/v1/session").then(({ status }) => status)');

    expect(session).toBe(401);
    expect(shown.join()).not.toContain(key);
    const { adminToken } = stage.gateway().suite;
    expect([...shown, ...bodies].filter((text) => text.includes(adminToken))).toEqual([]);
    expect(name).toMatch(/^Acme/);
    expect(complaints).toEqual([]);
  }, 120_000);

  it('cancels a customer’s video after saying what that does, redelivers, and retries a route', async () => {
    const told = await stage.aToldVideo();
    const waiting = await stage.customer().create({ ...brief, prompt: '[rate-limited] a boat' });
    await createGoneModels(stage.gateway().database).heard(
      { provider: 'sandbox', upstreamModel: 'gone-1' },
      { taskId: 'x', detail: 'no such model', pause: { firstMs: 600_000, maxMs: 600_000 } },
    );
    const visit = await stage.open();
    const { page } = visit;
    await enter(visit, `/console/operator/videos/${waiting.id}`);
    await page.getByRole('button', { name: 'Cancel video' }).click();
    await page.getByText(`go back to`).waitFor();
    await page.locator('dialog').getByRole('button', { name: 'Cancel video' }).click();
    await page.getByText('cancelled').first().waitFor({ timeout: 20_000 });
    await page.goto(`/console/operator/videos/${told}`);
    await page.getByRole('button', { name: 'Redeliver' }).click();
    await page.getByText('Redelivery queued').waitFor();
    await page.goto('/console/operator/callbacks?state=delivered');
    await page.getByRole('link', { name: told }).waitFor({ timeout: 20_000 });
    await page.getByRole('button', { name: 'Redeliver all delivered' }).click();
    await page.getByRole('button', { name: 'Count callbacks' }).click();
    await page.getByRole('button', { name: /^Redeliver \d+$/ }).click();
    await page.getByText('Done.').waitFor();
    await page.getByRole('button', { name: 'Close' }).click();
    await page.goto('/console/operator/providers');
    await page.getByRole('button', { name: 'Retry' }).click();
    await page.getByRole('button', { name: 'Send tasks again' }).click();
    await page.getByText('None: every configured route gets tasks.').waitFor();
    await page.goto('/console/operator/journal');
    await page.getByText('Cancellation asked for').waitFor();
    await page.getByText('Redelivery asked for').nth(1).waitFor();

    const { body } = await stage.customer().request('GET', `/v1/videos/${waiting.id}`);
    expect(body).toMatchObject({ status: 'cancelled' });
  }, 120_000);

  it('shows operators what becomes of videos as it happens, and says when it cannot', async () => {
    const visit = await stage.open();
    const { page } = visit;
    await enter(visit, '/console/operator/videos');
    await page.getByText('End of list').waitFor();
    const { id } = await stage
      .customer()
      .create({ ...brief, prompt: '[slow=15] seen by operators' });
    const row = page.locator('tr').filter({ hasText: id });
    await row.waitFor();
    // From here on only events can tell.
    const lists = (url: URL): boolean => url.pathname === '/admin/v1/tasks';
    await page.route(lists, (route) => route.fulfill({ status: 500, json: {} }));
    await row.getByText('succeeded').waitFor({ timeout: 45_000 });
    await page.unroute(lists);

    await page.goto('/console/operator/now');
    await page.getByText('Nothing waits.').or(page.getByText('Waiting longest')).first().waitFor();
    const held = await stage.customer().create({ ...brief, prompt: '[rate-limited] a boat' });
    await page.getByRole('link', { name: held.id }).waitFor({ timeout: 20_000 });
    await stage.customer().request('POST', `/v1/videos/${held.id}/cancel`);
    await page.getByRole('link', { name: held.id }).waitFor({ state: 'detached', timeout: 20_000 });

    await page.context().setOffline(true);
    await page.getByText('The gateway is unreachable.').waitFor({ timeout: 60_000 });
    await page.context().setOffline(false);
    await page.getByText('The gateway is unreachable.').waitFor({ state: 'detached' });
  }, 180_000);

  it.each(schemes.flatMap((scheme) => sizes.map(([width, size]) => ({ scheme, width, size }))))(
    'shows operators no page with a violation that axe knows, $scheme and $width',
    async ({ scheme, width, size }) => {
      const told = await stage.aToldVideo();
      const visit = await stage.open({ scheme, size });
      const { page, picture, complaints } = visit;
      const found: unknown[] = [];
      const show = async (name: string): Promise<void> => {
        found.push(...(await violationsIn(page)).map((violation) => ({ name, ...violation })));
        const wide = Number(await page.evaluate('document.documentElement.scrollWidth'));
        if (wide > size.width) found.push({ name, wide });
        await picture(`operator-${name}-${scheme}-${width}`);
      };
      await page.goto('/console/operator');
      await page.getByLabel('Admin token').waitFor();
      await show('login');
      await enter(visit);
      for (const [name, at, sign] of pagesOf(told, stage.customer().accountId)) {
        await page.goto(`/console/operator/${at}`);
        await page.getByText(sign).first().waitFor();
        await show(name);
      }

      expect(found).toEqual([]);
      expect(complaints).toEqual([]);
    },
    180_000,
  );

  it('is used by an operator with the keyboard alone', async () => {
    const { page } = await stage.open();
    const { accountId, apiKey } = stage.customer();
    const { adminToken } = stage.gateway().suite;
    await page.goto('/console/operator');
    await page.getByLabel('Admin token').waitFor();
    await page.keyboard.type(apiKey);
    await page.keyboard.press('Enter');
    await page.getByText('Invalid admin token.').waitFor();
    await page.keyboard.press('Control+a');
    await page.keyboard.type(adminToken);
    await page.keyboard.press('Enter');
    await page.getByText('Waiting longest').waitFor();
    await page.keyboard.press('Control+k');
    await page.keyboard.type('acc');
    await page.keyboard.press('Enter');
    await page.waitForURL(/operator\/accounts$/);
    await page.getByText('End of list').waitFor();
    await page.keyboard.press('/');
    await page.keyboard.type(accountId);
    await page.waitForURL(/q=acct_/);
    await page.getByText('End of list').waitFor();
    await page.locator('.search input').blur();
    await page.keyboard.press('j');
    await page.keyboard.press('Enter');

    await page.waitForURL(`**/operator/accounts/${accountId}`);
    await page.getByRole('button', { name: 'Top up' }).waitFor();
  });

  it('keeps the sessions of customers and operators apart', async () => {
    const visit = await stage.open();
    const { page } = visit;
    await logIn(page, { label: 'API key', secret: stage.customer().apiKey, at: '/console' });
    await page.goto('/console/operator/accounts');
    await page.getByLabel('Admin token').waitFor();
    await enter(visit);
    await page.getByRole('button', { name: 'Log out' }).click();
    await page.getByLabel('Admin token').waitFor();
    await page.goto('/console/videos');

    await page.getByRole('heading', { name: 'Videos', exact: true }).waitFor();
  });
}

const brief = { model: 'sandbox-video', duration: 4, resolution: '480p' };

const pagesOf = (
  video: string,
  account: string,
): readonly (readonly [name: string, at: string, sign: string | RegExp])[] => [
  ['now', 'now', 'Configuration in force'],
  ['videos', 'videos', 'End of list'],
  ['videos-none', 'videos?status=queued&model=none', 'No matching videos'],
  ['video', `videos/${video}`, 'End of list'],
  ['accounts', 'accounts', 'End of list'],
  ['account', `accounts/${account}`, 'End of list'],
  ['ledger', `accounts/${account}?show=ledger`, 'Held for a video'],
  ['account-usage', `accounts/${account}?show=usage`, 'Output tokens'],
  ['callbacks', 'callbacks', 'End of list'],
  ['callbacks-none', `callbacks?state=stopped&account=${account}`, 'No stopped callbacks'],
  ['books', 'books', 'By day, model and provider'],
  ['providers', 'providers', 'Requests a second'],
  ['journal', 'journal', /End of list|Nothing changed yet/],
];

async function openAccount(page: Page): Promise<string> {
  const name = `Acme ${Date.now()}`;
  await page.goto('/console/operator/accounts');
  await page.getByRole('button', { name: 'New account' }).click();
  await page.getByLabel('Name', { exact: true }).fill(name);
  await page.getByLabel('First quota').fill('1000');
  await page.getByRole('button', { name: 'Open account' }).click();
  await page.getByText(/^whsec_/).waitFor();
  await page.getByRole('button', { name: 'Close' }).click();
  await page.getByRole('heading', { name }).waitFor();
  return name;
}

async function giveQuota(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Top up' }).click();
  await page.getByLabel('Quota').fill('500');
  await page.getByLabel('Note').fill('invoice 17');
  await page.getByRole('button', { name: 'Add 500 quota' }).click();
  await page.getByText('of a balance of 1,500').waitFor();
  await page.getByRole('button', { name: 'Adjust' }).click();
  await page.getByLabel('Quota').fill('-100');
  await page.getByLabel('Reason').fill('a mistake');
  await page.getByRole('button', { name: 'Preview' }).click();
  await page.getByRole('button', { name: 'Take 100 quota' }).click();
  await page.getByText('of a balance of 1,400').waitFor();
  await page.getByRole('radio', { name: 'Ledger' }).check();
  await page.getByText('invoice 17').waitFor();
  await page.getByText('a mistake').waitFor();
  await page.getByRole('radio', { name: 'Keys' }).check();
}

/** Makes a key, changes it, and revokes it; returns what only its dialog showed. */
async function makeKey(page: Page): Promise<string> {
  await page.getByRole('button', { name: 'New key' }).click();
  await page.getByLabel('Name', { exact: true }).fill('farm');
  await page.getByRole('button', { name: 'Create key' }).click();
  const key = (await page.getByText(/^sk-gw-[\w-]+$/).textContent()) ?? '';
  await page.getByRole('button', { name: 'Close' }).click();
  await page.getByRole('button', { name: 'Change' }).click();
  await page.getByLabel('Requests a minute').fill('77');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByRole('cell', { name: '77' }).waitFor();
  await page.getByRole('button', { name: 'Revoke' }).click();
  await page.getByRole('button', { name: 'Revoke key' }).click();
  await page.getByText('revoked', { exact: true }).waitFor();
  expect(key.length).toBeGreaterThan(20);
  return key;
}

/** Where a secret could stand. */
const everythingShownIn = (page: Page): Promise<string[]> =>
  page.evaluate<string[]>(`[
    document.documentElement.outerHTML,
    JSON.stringify(localStorage),
    JSON.stringify(sessionStorage),
    document.cookie,
    [...document.querySelectorAll('input')].map(({ value }) => value).join(),
  ]`);
