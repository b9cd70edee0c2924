/** @workers 3: it promises no times. */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Browser, BrowserContext, Route } from 'playwright-core';
import { eventually } from '@gateway/testing';
import { openSuite, type Customer, type SuiteUnderTest } from '../e2e/harness.ts';
import { chromiumPath, openChromium } from './browser/chromium.ts';
import { signIn, visit } from './console/browser.ts';

const inBrowser = chromiumPath === undefined ? describe.skip : describe;

const tabs = 100;
/** From a tab that is closed at once to one that has seen its video begin. */
const longestMs = 500;

/** What becomes of the first request of a tab, in turn; what is asked again gets through. */
const fates: readonly ((route: Route) => Promise<unknown>)[] = [
  // It is held back, and lost with its tab, or let go while that closes.
  () => Promise.resolve(),
  // It reaches the gateway, and its response nobody: sometimes it is still under way when the tab closes.
  (route) => route.fetch().catch(() => undefined),
  (route) => route.continue(),
];

inBrowser('tabs that are closed while they create a video', () => {
  let gateway: SuiteUnderTest;
  let browser: Browser;
  let customer: Customer;
  beforeAll(async () => {
    [gateway, browser] = await Promise.all([openSuite(), openChromium()]);
    customer = await gateway.aCustomer(1_000_000);
  });
  afterAll(async () => {
    await browser.close();
    await gateway.close();
  });

  it(`lose none of ${tabs} and make none twice, whenever they are closed`, async () => {
    const { page, context } = await visit(browser, { baseUrl: gateway.suite.baseUrl });
    await signIn(page, customer.apiKey);
    await page.close();
    const prompts = Array.from({ length: tabs }, (_none, number) => `closed tab ${number} of many`);
    const fateOf = new Map(prompts.map((prompt, number) => [prompt, fates[number % fates.length]]));
    let again = 0;
    await context.route('**/v1/videos', async (route) => {
      if (route.request().method() !== 'POST') return route.continue();
      const prompt = promptIn(route.request().postData() ?? '');
      const fate = fateOf.get(prompt);
      if (fate === undefined) again += 1;
      fateOf.delete(prompt);
      return (fate ?? ((each: Route) => each.continue()))(route);
    });
    for (const [number, prompt] of prompts.entries()) {
      await createAndClose(context, prompt, (longestMs * number) / tabs);
    }

    const next = await context.newPage();
    await next.goto('/console/videos');
    const made = await eventually(
      async () => {
        expect(await next.evaluate(unconfirmed)).toBe(0);
        return promptsOf(customer);
      },
      { withinMs: 60_000 },
    );
    process.stdout.write(`${tabs} creations, asked for ${again} times again\n`);
    expect(made.toSorted()).toEqual(prompts.toSorted());
    for (const [number, prompt] of prompts.toReversed().entries()) {
      const row = next.getByText(prompt, { exact: true });
      await row.waitFor();
      if (number % 40 === 39) await row.scrollIntoViewIfNeeded();
    }
    await next.getByText('End of list').waitFor({ state: 'attached' });
    expect(await next.locator('.video-row-title').count()).toBe(tabs);
    await context.unrouteAll({ behavior: 'ignoreErrors' });
    await context.close();
  }, 600_000);
});

async function createAndClose(
  context: BrowserContext,
  prompt: string,
  afterMs: number,
): Promise<void> {
  const tab = await context.newPage();
  await tab.goto('/console/playground');
  await tab.getByLabel('Prompt').fill(prompt);
  await tab.getByRole('button', { name: 'Generate' }).click();
  // The moment is what is tested, so this waits for nothing else.
  await new Promise((resolve) => {
    setTimeout(resolve, afterMs);
  });
  await tab.close();
}

const unconfirmed = `Object.keys(localStorage).filter((name) => name.startsWith('gateway.unconfirmed')).length`;

/** Of every video of the account, as the gateway has it. */
async function promptsOf(customer: Customer): Promise<readonly string[]> {
  const { body } = await customer.request('GET', '/v1/videos?limit=100&include=request');
  const { data } = body as { data: { request: object }[] };
  return data.map(({ request }) => JSON.stringify(request)).map(promptIn);
}

const promptIn = (request: string): string =>
  /closed tab \d+ of many/.exec(request)?.[0] ?? request;
