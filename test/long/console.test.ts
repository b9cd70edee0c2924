/** @workers 3: it promises no times. */
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import type { Browser, Page } from 'playwright-core';
import { eventually, openReceiver, type Receiver } from '@gateway/testing';
import { openSuite, posters, type Customer, type SuiteUnderTest } from '../e2e/harness.ts';
import { chromiumPath, openChromium, violationsIn } from './browser/chromium.ts';
import { operatorTests } from './console/operators.ts';
import { statusTests } from './console/status.ts';
import { signIn, visit, type Visit, type VisitOptions } from './console/browser.ts';

const inBrowser = chromiumPath === undefined ? describe.skip : describe;

inBrowser(`the console in ${chromiumPath ?? 'Chromium, which is not on this machine'}`, () => {
  let gateway: SuiteUnderTest;
  let browser: Browser;
  let receiver: Receiver;
  let customer: Customer;
  const visits: Visit[] = [];
  const open = async (options: Partial<VisitOptions> = {}): Promise<Visit> => {
    const opened = await visit(browser, { baseUrl: gateway.suite.baseUrl, ...options });
    visits.push(opened);
    return opened;
  };
  /** Some videos of every kind, one of them with callbacks. */
  const someVideos = async (): Promise<string> => {
    const base = {
      model: 'sandbox-video',
      duration: 4,
      resolution: '480p',
      return_last_frame: true,
    };
    const prompts = [
      'a paper boat on a calm lake',
      '[fail] rain on a window',
      'a lighthouse in a storm',
    ];
    for (const prompt of prompts) await customer.create({ ...base, prompt });
    const told = await customer.create({
      ...base,
      prompt: 'a red balloon over Lisbon, slow dolly in, early morning light',
      callback_url: receiver.url,
    });
    await customer.until(told.id, 'succeeded');
    return told.id;
  };

  beforeAll(async () => {
    [gateway, browser, receiver] = await Promise.all([
      openSuite({ moreEnv: { 'video-worker': posters } }),
      openChromium(),
      openReceiver(),
    ]);
    customer = await gateway.aCustomer(1_000_000);
  });
  afterAll(async () => {
    await browser.close();
    await receiver.close();
    await gateway.close();
  });
  afterEach(async () => {
    for (const { context } of visits.splice(0)) await context.close();
  });

  it('signs in, makes one prompt on two models, plays both, and signs out; the key stays nowhere', async () => {
    const { page, complaints, bodies, picture } = await open();
    await signIn(page, customer.apiKey);
    await page.getByLabel('Compare with…').selectOption('sandbox-minimax');
    await page.getByLabel('Prompt').fill('a red balloon over Lisbon');
    await page.locator('.price strong').nth(1).waitFor();
    await picture('playground-form');

    await page.getByRole('button', { name: 'Generate 2 videos' }).click();
    await eventually(
      async () => {
        expect(await page.locator('video').count()).toBe(2);
      },
      { withinMs: 45_000 },
    );
    await page.getByRole('button', { name: 'Play all' }).click();
    await becomesTrue(
      page,
      '[...document.querySelectorAll("video")].every(({ currentTime }) => currentTime > 0.1)',
    );
    await picture('playground-run');
    const stored = await page.evaluate<string[]>(`[
      document.documentElement.outerHTML,
      JSON.stringify(localStorage),
      JSON.stringify(sessionStorage),
      document.cookie,
      [...document.querySelectorAll('input')].map(({ value }) => value).join(),
    ]`);
    await page.getByRole('button', { name: 'Log out' }).click();
    await page.getByLabel('API key').waitFor();
    const session = await page.evaluate('fetch("/v1/session").then(({ status }) => status)');

    expect(session).toBe(401);
    const withKey = [...stored, ...bodies].filter((text) => /sk-gw-[\w-]{20}/.test(text));

    expect(withKey).toEqual([]);
    expect(bodies.length).toBeGreaterThan(5);
    expect(complaints).toEqual([]);
  });

  it('shows posters in lists and history, and before a video plays; never a player in a list', async () => {
    const { page, complaints } = await open();
    await signIn(page, customer.apiKey);
    const without = { model: 'sandbox-video', duration: 4, resolution: '480p' };
    const { id } = await customer.create({ ...without, prompt: 'a kite over the dunes' });
    const { content } = await customer.until(id, 'succeeded');
    const isDrawn = `[...document.querySelectorAll('.thumb img[alt="First frame"]')].some(
      ({ currentSrc, complete, naturalWidth }) =>
        currentSrc.includes('${id}/poster') && complete && naturalWidth > 0)`;

    await page.goto('/console/videos?q=kite');
    await page.getByText('a kite over the dunes').waitFor();
    await becomesTrue(page, isDrawn);
    expect(await page.locator('video').count()).toBe(0);
    await page.goto('/console/playground?models=sandbox-video');
    await page.getByText('a kite over the dunes').waitFor();
    await becomesTrue(page, isDrawn);
    expect(await page.locator('video').count()).toBe(0);
    await page.goto(`/console/videos/${id}`);
    const player = page.locator('video');

    expect(await player.getAttribute('poster')).toBe(content?.poster_url);
    expect(complaints).toEqual([]);
  });

  describe.each(['light', 'dark'] as const)('in %s', (scheme) => {
    it.each([
      ['wide', { width: 1280, height: 900 }],
      ['narrow', { width: 390, height: 844 }],
    ])('is without a violation that axe knows on every page, %s', async (width, size) => {
      const told = await someVideos();
      const { page, picture, complaints } = await open({ scheme, size });
      const found: unknown[] = [];
      const show = async (name: string): Promise<void> => {
        await judge(page, found, name);
        await picture(`${name}-${scheme}-${width}`);
      };
      await page.goto('/console');
      await page.getByLabel('API key').waitFor();
      await show('login');
      await signIn(page, customer.apiKey);
      for (const [name, at, sign] of pagesOf(told)) {
        await page.goto(at);
        await page.getByText(sign).first().waitFor();
        await show(name);
        const wide = await page.evaluate('document.documentElement.scrollWidth');
        if (Number(wide) > size.width) found.push({ name, wide });
      }

      expect(found).toEqual([]);
      expect(complaints).toEqual([]);
    });
  });

  it('is used by the keyboard alone', async () => {
    const { page } = await open();
    await page.goto('/console');
    await page.getByLabel('API key').waitFor();
    await page.keyboard.type(customer.apiKey);
    await page.keyboard.press('Enter');
    await page.getByLabel('Prompt').waitFor();
    await tabTo(page, '#prompt');
    await page.keyboard.type('a boat made by the keyboard');
    await page.keyboard.press('Control+Enter');
    await page.locator('video').waitFor({ timeout: 45_000 });
    await page.goto('/console/videos');
    await page.getByText('a boat made by the keyboard').waitFor();
    await page.keyboard.press('/');
    await page.keyboard.type('keyboard');
    await page.waitForURL(/q=keyboard/);
    await page.getByText('a boat made by the keyboard').waitFor();
    await page.locator('.search input').blur();
    await page.keyboard.press('j');
    await page.keyboard.press('Enter');

    await page.waitForURL(/videos\/video_/);
    await page.getByText('Quota held').waitFor();

    const address = page.url();
    await page.keyboard.press('Control+k');
    await page.keyboard.type('bill');
    await page.keyboard.press('Enter');
    await page.waitForURL(/billing/);
    await page.keyboard.press('Control+k');
    await page.keyboard.type('made by the keyboard');
    await page.getByRole('option', { name: 'a boat made by the keyboard' }).waitFor();
    const found: unknown[] = [];
    await judge(page, found, 'palette');
    expect(found).toEqual([]);
    await page.keyboard.press('Enter');
    await page.waitForURL(address);
  });

  it.each(['before the request leaves', 'before the response arrives', 'right after the click'])(
    'makes a video whose tab was closed %s exactly once',
    async (moment) => {
      const { page, context } = await open();
      await signIn(page, customer.apiKey);
      const prompt = `closed ${moment}`;
      await page.getByLabel('Prompt').fill(prompt);
      let arrived: () => void = () => undefined;
      const seen = new Promise<void>((resolve) => {
        arrived = resolve;
      });
      await page.route('**/v1/videos', async (route) => {
        if (route.request().method() !== 'POST') return route.continue();
        if (moment === 'before the response arrives') await route.fetch();
        arrived();
        return undefined; // and nothing ever comes back
      });
      await page.getByRole('button', { name: 'Generate' }).click();
      if (moment !== 'right after the click') await seen;
      await page.close();

      const { page: next } = await open({ context });
      await next.goto('/console/videos');

      await next.getByText(prompt).waitFor({ timeout: 20_000 });
      const { body } = await customer.request(
        'GET',
        `/v1/videos?q=${encodeURIComponent(prompt)}&limit=100&include=request`,
      );
      expect((body as { data: unknown[] }).data).toHaveLength(1);
      await becomesTrue(
        next,
        '!Object.keys(localStorage).some((name) => name.startsWith("gateway.unconfirmed"))',
      );
    },
  );

  it('says that the gateway is away, and goes on when it is back', async () => {
    const { page, context, picture } = await open();
    await signIn(page, customer.apiKey, '/console/videos');
    await page.getByRole('heading', { name: 'Videos', exact: true }).waitFor();
    await context.setOffline(true);
    await page.getByLabel('Status').selectOption('failed');
    const notice = page.getByText('The gateway is unreachable');
    await notice.waitFor();
    await picture('away');

    await context.setOffline(false);

    await notice.waitFor({ state: 'detached', timeout: 20_000 });
    await page.getByText('End of list').waitFor({ timeout: 20_000 });
  });

  describe('for operators', () => {
    const stage = {
      gateway: () => gateway,
      customer: () => customer,
      open,
      aToldVideo: someVideos,
    };
    operatorTests(stage);
    statusTests(stage);
  });
});

const pagesOf = (told: string): readonly (readonly [string, string, string])[] => [
  ['playground', '/console/playground?models=sandbox-video', 'Recent videos'],
  ['videos', '/console/videos', 'End of list'],
  ['videos-empty', '/console/videos?q=nothingofthekind', 'No matching videos'],
  ['video', `/console/videos/${told}`, 'Movement'],
  ['text', '/console/text', 'The completion appears here'],
  ['callbacks', '/console/callbacks', 'End of list'],
  ['assets', '/console/assets', 'No assets yet'],
  ['usage', '/console/usage', 'By model and key'],
  ['billing', '/console/billing', 'End of list'],
  ['models', '/console/models', 'sandbox-vidu'],
  ['keys', '/console/keys', 'This key cannot manage keys'],
];

/** What axe finds is collected, so that one run tells all there is to mend. */
async function judge(page: Page, found: unknown[], where: string): Promise<void> {
  found.push(...(await violationsIn(page)).map((violation) => ({ where, ...violation })));
}

/** The policy lets no page compile a text, so it is asked for again and again. */
const becomesTrue = (page: Page, condition: string): Promise<void> =>
  eventually(
    async () => {
      expect(await page.evaluate(condition)).toBe(true);
    },
    { withinMs: 20_000 },
  );

async function tabTo(page: Page, selector: string): Promise<void> {
  for (let presses = 0; presses < 60; presses += 1) {
    const isThere = await page.evaluate(`document.activeElement.matches('${selector}')`);
    if (isThere === true) return;
    await page.keyboard.press('Tab');
  }
  throw new Error(`Tab never led to ${selector}`);
}
