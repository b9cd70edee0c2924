/** @workers 3: it promises no times. */
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import type { Browser, Page, Request } from 'playwright-core';
import { eventually } from '@gateway/testing';
import { openSuite, type Customer, type SuiteUnderTest } from '../e2e/harness.ts';
import { chromiumPath, openChromium } from './browser/chromium.ts';
import { signIn, visit, type Visit, type VisitOptions } from './console/browser.ts';

const inBrowser = chromiumPath === undefined ? describe.skip : describe;

const dot = Buffer.from('R0lGODlhAQABAAAAACH5BAEKAAEALAAAAAABAAEAAAICTAEAOw==', 'base64');
const brief = { model: 'sandbox-video', duration: 4, resolution: '480p' };

inBrowser('what the console asks of the gateway', () => {
  let gateway: SuiteUnderTest;
  let browser: Browser;
  let customer: Customer;
  const visits: Visit[] = [];
  const open = async (options: Partial<VisitOptions> = {}): Promise<Visit> => {
    const opened = await visit(browser, { baseUrl: gateway.suite.baseUrl, ...options });
    visits.push(opened);
    return opened;
  };
  /** A customer with so many assets, newest last. */
  const withAssets = async (count: number): Promise<Customer> => {
    const rich = await gateway.aCustomer(1_000);
    for (let number = 1; number <= count; number += 1) {
      const response = await fetch(`${gateway.suite.baseUrl}/v1/assets?name=dot-${number}`, {
        method: 'POST',
        headers: { authorization: `Bearer ${rich.apiKey}`, 'content-type': 'image/gif' },
        body: dot,
      });
      expect(response.status).toBe(200);
    }
    return rich;
  };

  beforeAll(async () => {
    [gateway, browser] = await Promise.all([openSuite(), openChromium()]);
    customer = await gateway.aCustomer(1_000_000);
  });
  afterAll(async () => {
    await browser.close();
    await gateway.close();
  });
  afterEach(async () => {
    for (const { context } of visits.splice(0)) await context.close();
  });

  it('is one page of a list, the next one only near its end, and a failed one again only when asked', async () => {
    const { apiKey } = await withAssets(120);
    const { page } = await open();
    const asked = callsOf(page, '/v1/assets');
    await signIn(page, apiKey, '/console/assets');
    await page.getByText('dot-120', { exact: true }).waitFor();
    await page.getByText('Loading more…').waitFor({ state: 'attached' });
    expect(asked).toHaveLength(1);

    await page.getByText('dot-71', { exact: true }).scrollIntoViewIfNeeded();
    await page.getByText('dot-21', { exact: true }).waitFor();
    expect(asked).toHaveLength(2);

    const failing = (url: URL): boolean => url.pathname === '/v1/assets';
    await page.route(failing, (route) => route.fulfill({ status: 500, json: {} }));
    await page.getByText('dot-21', { exact: true }).scrollIntoViewIfNeeded();
    const again = page.getByRole('button', { name: 'Try again' });
    await again.waitFor();
    for (const sight of ['dot-120', 'dot-21', 'dot-120', 'dot-21']) {
      await page.getByText(sight, { exact: true }).scrollIntoViewIfNeeded();
    }
    expect(asked).toHaveLength(3);
    await again.click();
    await again.waitFor();
    expect(asked).toHaveLength(4);

    await page.unroute(failing);
    await again.click();
    await page.getByText('End of list').waitFor();
    expect(await page.locator('tbody tr').count()).toBe(120);
    expect(asked).toHaveLength(5);
  });

  it('is a list once in two seconds, however much happens', async () => {
    const { page } = await open();
    const asked = callsOf(page, '/v1/videos');
    await signIn(page, customer.apiKey, '/console/videos');
    await page.getByRole('heading', { name: 'Videos', exact: true }).waitFor();
    await eventually(() => {
      expect(asked).toHaveLength(1);
    });
    const startedAt = Date.now();

    const prompts = Array.from({ length: 15 }, (_none, index) => `one of many ${index}`);
    await Promise.all(prompts.map((prompt) => customer.create({ ...brief, prompt })));
    for (const prompt of prompts) await page.getByText(prompt, { exact: true }).waitFor();
    await page.locator('.state-good').nth(14).waitFor({ timeout: 45_000 });

    const seconds = (Date.now() - startedAt) / 1_000;
    expect(asked.length).toBeLessThanOrEqual(3 + seconds / 2);
    expect(asked.every(({ searchParams }) => !searchParams.has('after'))).toBe(true);
  });

  it('is how long others took, for what is left of one that renders', async () => {
    const { id } = await customer.create({ ...brief, prompt: '[slow=120] longer than the others' });
    await customer.until(id, 'running');
    const { page } = await open();
    const asked = callsOf(page, '/v1/videos');
    await signIn(page, customer.apiKey, `/console/videos/${id}`);

    await page.getByText('Taking longer than usual').waitFor();

    expect(asked.map(({ search }) => search)).toEqual([
      '?model=sandbox-video&status=succeeded&limit=50',
    ]);
    await customer.request('POST', `/v1/videos/${id}/cancel`);
  });

  it('is a run by its time, in one call', async () => {
    const { page } = await open();
    await signIn(page, customer.apiKey);
    await page.getByLabel('Prompt').fill('a run by its time');
    await page.getByRole('button', { name: 'Generate' }).click();
    await page.locator('.column video').waitFor({ timeout: 45_000 });
    const asked = callsOf(page, '/v1/videos');

    await page.reload();
    await page.locator('.column video').waitFor();

    const runs = asked.filter(({ searchParams }) => searchParams.has('metadata[console_run]'));
    expect(runs).toHaveLength(1);
    const [after, before] = ['created_after', 'created_before'].map((name) =>
      Date.parse(runs[0]?.searchParams.get(name) ?? ''),
    );
    expect(Number(before) - Number(after)).toBe(17 * 60_000);
  });

  it('is nothing more once the session has ended; the page asks to log in again', async () => {
    const { page, context } = await open();
    await page.clock.install();
    await signIn(page, customer.apiKey, '/console/videos');
    await page.getByRole('heading', { name: 'Videos', exact: true }).waitFor();
    await context.clearCookies();

    await page.getByLabel('Status').selectOption('failed');
    await page.getByText('Your session has ended').waitFor();
    const asked = callsOf(page, '/v1/');
    await page.clock.fastForward('05:00');
    await page.evaluate('fetch("/v1/session").then(({ status }) => status)');

    expect(asked.map(({ pathname }) => pathname)).toEqual(['/v1/session']);
    await page.getByLabel('API key').fill(customer.apiKey);
    await page.getByRole('button', { name: 'Log in' }).click();
    await page.getByRole('heading', { name: 'Videos', exact: true }).waitFor();
    await page.getByText('Your session has ended').waitFor({ state: 'detached' });
  });

  it('is one stream that the key may not read, and then says so', async () => {
    const { output } = await gateway.admin(
      ...['key', 'create', '--account', customer.accountId, '--name', 'texts'],
      ...['--scopes', 'text', '--json'],
    );
    const { page } = await open();
    await page.clock.install();
    const asked = callsOf(page, '/v1/events');
    await signIn(page, (JSON.parse(output) as { api_key: string }).api_key, '/console/text');

    await page.getByText('Live updates are off').waitFor();
    await page.clock.fastForward('05:00');
    await page.evaluate('fetch("/v1/session").then(({ status }) => status)');

    expect(asked).toHaveLength(1);
  });

  it('makes what two tabs left open, exactly once each', async () => {
    const { page: one, context } = await open();
    await signIn(one, customer.apiKey);
    const { page: other } = await open({ context });
    await other.goto('/console/playground');
    for (const [index, page] of [one, other].entries()) {
      await page.route('**/v1/videos', (route) =>
        // Nothing ever arrives.
        route.request().method() === 'POST' ? undefined : route.continue(),
      );
      await page.getByLabel('Prompt').fill(`left open by tab ${index}`);
      await page.getByRole('button', { name: 'Generate' }).click();
      await page.getByText('Sending…').waitFor();
    }
    for (const page of [one, other]) await page.close();

    const { page: next } = await open({ context });
    await next.goto('/console/videos');

    for (const index of [0, 1]) {
      await next.getByText(`left open by tab ${index}`).waitFor({ timeout: 20_000 });
    }
    const { body } = await customer.request('GET', '/v1/videos?q=left+open+by+tab&limit=100');
    expect((body as { data: unknown[] }).data).toHaveLength(2);
  });

  it('is redelivered until somebody stops it, which is no failure, and then goes on', async () => {
    const rich = await gateway.aCustomer(10_000);
    const callback_url = 'http://127.0.0.1:9/none';
    for (const prompt of ['one', 'two', 'three']) {
      const { id } = await rich.create({ ...brief, prompt, callback_url });
      await rich.until(id, 'succeeded');
    }
    const { page } = await open();
    await signIn(page, rich.apiKey, '/console/callbacks?state=stopped');
    await page.locator('tbody tr').nth(2).waitFor({ timeout: 30_000 });
    let answer: () => void = () => undefined;
    const isAnswered = new Promise<void>((resolve) => {
      answer = resolve;
    });
    // One at a time, so that there is a step to stop before.
    await page.route('**/v1/callbacks/redeliver', async (route) => {
      const body = route.request().postDataJSON() as { dry_run: boolean };
      if (body.dry_run) return route.continue();
      const response = await route.fetch({ postData: { ...body, limit: 1 } });
      await isAnswered;
      return route.fulfill({ response });
    });

    await page.getByRole('button', { name: 'Redeliver all stopped' }).click();
    await page.getByRole('button', { name: 'Count callbacks' }).click();
    await page.getByRole('button', { name: 'Redeliver 3' }).click();
    await page.getByRole('button', { name: 'Stop', exact: true }).click();
    answer();

    await page.getByText('Stopped. 1 of 3 queued for delivery.').waitFor();
    expect(await page.getByRole('alert').count()).toBe(0);
    await page.getByRole('button', { name: 'Continue' }).click();
    await page.getByText('Done. 3 of 3 queued for delivery.').waitFor();
  });

  it('is the same request again, with every field, from “Code” and from “Again”', async () => {
    const asked = {
      ...brief,
      prompt: 'all of it, again',
      service_tier: 'flex',
      seed: 7,
      callback_url: 'http://127.0.0.1:9/none',
      metadata: { order: '17' },
    };
    const { id } = await customer.create(asked);
    await customer.until(id, 'succeeded');
    const { page } = await open();
    const ledgers = callsOf(page, '/v1/billing/ledger');
    await signIn(page, customer.apiKey, `/console/videos/${id}`);
    await page.getByRole('group', { name: 'Quota movements' }).getByText('Charged').waitFor();
    expect(ledgers).toEqual([]);

    await page.getByRole('button', { name: 'Code' }).click();
    const code = await page.getByRole('dialog').locator('pre').textContent();
    for (const part of ['"service_tier":"flex"', '"order":"17"', asked.callback_url, '"seed":7']) {
      expect(code).toContain(part);
    }
    await page.keyboard.press('Escape');
    await page.getByRole('link', { name: 'Again' }).click();
    await page.getByText(`callback_url: ${asked.callback_url}`).waitFor();
    await page.getByRole('button', { name: 'Generate' }).click();
    await page.locator('.column').first().waitFor();

    const [first, second] = await eventually(async () => {
      const { body } = await customer.request('GET', '/v1/videos?q=all+of+it&include=request');
      const found = (body as { data: { request: object; metadata: object }[] }).data;
      expect(found).toHaveLength(2);
      return found;
    });
    expect(first?.request).toEqual(second?.request);
    expect(first?.metadata).toMatchObject({ order: '17' });
  });
});

/** The addresses that a page asks the gateway for from now on, where their path begins so. */
function callsOf(page: Page, path: string): URL[] {
  const asked: URL[] = [];
  page.on('request', (request: Request) => {
    const url = new URL(request.url());
    const isList = path.endsWith('/') ? url.pathname.startsWith(path) : url.pathname === path;
    if (isList && request.method() === 'GET') asked.push(url);
  });
  return asked;
}
