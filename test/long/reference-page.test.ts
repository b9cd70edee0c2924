/** @workers 3: it promises no times. */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { aNewTask, aQueuedTask } from '@gateway/testing';
import { openApi, type ApiUnderTest } from '../component/api/harness.ts';
import { chromiumPath, openChromium, violationsIn } from './browser/chromium.ts';

const phone = { width: 390, height: 844 };
const desktop = { width: 1440, height: 900 };

const inBrowser = chromiumPath === undefined ? describe.skip : describe;
const title = `the reference page in ${chromiumPath ?? 'Chromium, which is not on this machine'}`;

let api: ApiUnderTest;
let browser: Browser;
const contexts: BrowserContext[] = [];

interface Opened {
  readonly page: Page;
  /** What the browser refused or complained about. */
  readonly complaints: readonly string[];
  /** Every address that the page asked. */
  readonly asked: readonly string[];
}

async function open(
  path: string,
  options: Parameters<Browser['newContext']>[0] = { viewport: desktop },
): Promise<Opened> {
  const context = await browser.newContext(options);
  contexts.push(context);
  const page = await context.newPage();
  const complaints: string[] = [];
  const asked: string[] = [];
  page.on('console', (message) => {
    if (['warning', 'error'].includes(message.type())) complaints.push(message.text());
  });
  page.on('pageerror', (error) => complaints.push(error.message));
  page.on('request', (request) => asked.push(request.url()));
  await page.goto(`${api.url}${path}`);
  return { page, complaints, asked };
}

inBrowser(title, () => {
  beforeAll(async () => {
    api = await openApi({ adminToken: 'admin-token-for-tests' });
    browser = await openChromium();
  });
  afterAll(async () => {
    await Promise.all(contexts.map((context) => context.close()));
    await browser.close();
    await api.close();
  });

  const looks = ['/', '/docs'].flatMap((path) =>
    [phone, desktop].flatMap((viewport) =>
      (['light', 'dark'] as const).map((colorScheme) => ({ path, viewport, colorScheme })),
    ),
  );
  it.each(looks)(
    'shows $path at $viewport.width px, $colorScheme, to everybody and without scrolling sideways',
    async ({ path, ...look }) => {
      const { page, complaints } = await open(path, look);

      const heading = await page.locator('h1').boundingBox();
      expect(heading!.y).toBeLessThan(look.viewport.height / 2);
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(look.viewport.width);
      expect(await violationsIn(page)).toEqual([]);
      expect(complaints).toEqual([]);
    },
  );

  it.each([
    ['/v1/videos', 'POST /v1/videos'],
    ['POST', 'POST /v1/videos'],
    ['watermark', 'watermark'],
    ['insufficient_quota', 'POST /v1/videos'],
    ['max_tokens', 'max_tokens'],
    ['Idempotency-Key', 'Idempotency-Key'],
  ])('finds %s', async (words, expected) => {
    const { page } = await open('/docs', { viewport: phone });
    await page.keyboard.press('/');
    await page.keyboard.type(words);

    const names = await page.locator('#results code').allTextContents();
    expect(names).toContain(expected);
    const target = await page.locator('#results a').first().getAttribute('href');
    await page.keyboard.press('Enter');
    expect(new URL(page.url()).hash).toBe(target);
    expect(await page.locator('#lists').isVisible()).toBe(false);
  });

  it('copies a command as a shell takes it', async () => {
    const { page } = await open('/docs', {
      viewport: desktop,
      permissions: ['clipboard-read', 'clipboard-write'],
    });
    await page.locator('#createVideo .copy').first().click();

    const copied = await page.evaluate('navigator.clipboard.readText()');
    expect(copied).toContain("/v1/videos' \\\n  -H ");
    expect(copied).toContain('"prompt"');
    expect(await page.locator('#createVideo .copy').first().textContent()).toBe('Copied');
  });

  it('shows the examples in the language that its reader chose, by mouse or by keys', async () => {
    const { page, complaints } = await open('/docs');
    const shown = () => page.locator('#createVideo .languages').first().locator('pre:visible');
    expect(await shown().allTextContents()).toEqual([expect.stringContaining('curl ')]);

    await page.locator('#getBalance').getByRole('tab', { name: 'Python' }).click();
    expect(await shown().allTextContents()).toEqual([expect.stringContaining('urlopen(request)')]);
    await page.keyboard.press('ArrowLeft');
    await page.reload();

    expect(await shown().allTextContents()).toEqual([
      expect.stringContaining('client.videos.create('),
    ]);
    expect(await violationsIn(page, '#createVideo')).toEqual([]);
    expect(complaints).toEqual([]);
  });

  it('sends the pairs of a filter as the document says', async () => {
    const { apiKey, accountId } = await api.aKey({ quota: 100_000, scopes: ['videos:read'] });
    const { request } = aNewTask(accountId);
    const tagged = (metadata: Record<string, string>) =>
      aQueuedTask(api.database, accountId, { request: { ...request, metadata } });
    const { id } = await tagged({ order: '17', shelf: 'a b' });
    await tagged({ order: '17' });
    const { page, asked } = await open('/docs');
    const panel = page.locator('#listVideos details.try');
    await panel.locator('summary').click();
    await panel.locator('input[type=password]').fill(apiKey);
    await panel.getByLabel('metadata').fill('order=17\nshelf=a b');
    await panel.locator('button.send').click();
    await panel.getByText(/^200 OK/).waitFor();

    const query = new URL(asked.at(-1)!).searchParams;
    expect([...query]).toEqual([
      ['metadata[order]', '17'],
      ['metadata[shelf]', 'a b'],
    ]);
    expect(JSON.parse((await panel.locator('pre').textContent())!)).toMatchObject({
      data: [{ id }],
    });
  });

  it('unfolds the fields of a response beside its route', async () => {
    const { page } = await open('/docs');
    const fold = page.locator('#getVideo details[data-schema]').first();
    await fold.locator('summary').first().click();

    expect(await fold.locator('li > code').allTextContents()).toContain('portal_billing');
  });

  it('sends a request to its own origin with a key that it keeps in memory alone', async () => {
    const { apiKey } = await api.aKey({ quota: 4_321, scopes: ['billing:read'] });
    const { page, complaints, asked } = await open('/docs');
    const panel = page.locator('#getBalance details.try');
    await panel.locator('summary').click();
    await panel.locator('input[type=password]').fill(apiKey);
    await panel.locator('button.send').click();
    await panel.getByText(/^200 OK/).waitFor();

    expect(JSON.parse((await panel.locator('pre').textContent())!)).toMatchObject({
      available_quota: 4_321,
    });
    expect(await violationsIn(page)).toEqual([]);
    expect(complaints).toEqual([]);
    expect(new Set(asked.map((address) => new URL(address).origin))).toEqual(new Set([api.url]));
    const kept: unknown = await page.evaluate(
      'JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie, location.href, history.state])',
    );
    expect(kept).not.toContain(apiKey);
    await page.reload();
    await panel.locator('summary').click();
    expect(await panel.locator('input[type=password]').inputValue()).toBe('');
  });

  it('sends the body as its reader changed it, and shows what the gateway says of it', async () => {
    const { apiKey } = await api.aKey();
    const { page } = await open('/docs');
    const panel = page.locator('#quoteVideo details.try');
    await panel.locator('summary').click();
    await panel.locator('input[type=password]').fill(apiKey);
    await panel.locator('textarea').fill('{"model":"no-such-model","prompt":"x"}');
    await panel.locator('button.send').click();
    await panel.getByText(/^4\d\d /).waitFor();

    expect(await panel.locator('pre').textContent()).toContain('no-such-model');
  });
});
