import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import type { Browser, Page } from 'playwright-core';
import { eventually, loadHistory } from '@gateway/testing';
import { openSuite, type Customer, type SuiteUnderTest } from '../e2e/harness.ts';
import { chromiumPath, openChromium } from './browser/chromium.ts';
import { signIn, visit, type Visit, type VisitOptions } from './console/browser.ts';

const inBrowser = chromiumPath === undefined ? describe.skip : describe;

const rowsPerPage = 50;
const manyVideos = 10_000;

/** What is held are counts, and times in times of other work: a machine may have more to do than this. */
inBrowser('how quick the console is', () => {
  let gateway: SuiteUnderTest;
  let browser: Browser;
  let customer: Customer;
  const visits: Visit[] = [];
  const open = async (options: Partial<VisitOptions> = {}): Promise<Visit> => {
    const opened = await visit(browser, { baseUrl: gateway.suite.baseUrl, ...options });
    visits.push(opened);
    return opened;
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

  /** A browser that is logged in, and has nothing of the console in its cache. */
  const openCold = async (): Promise<Visit> => {
    const warm = await open();
    await signIn(warm.page, customer.apiKey);
    const storageState = await warm.context.storageState();
    const context = await browser.newContext({ baseURL: gateway.suite.baseUrl, storageState });
    return open({ context });
  };

  it('asks for the session and the models while its script is on its way, each once', async () => {
    const { page } = await openCold();
    const asked = pathsAskedBy(page);
    let arrive: () => void = () => undefined;
    const mayArrive = new Promise<void>((resolve) => {
      arrive = resolve;
    });
    await page.route('**/assets/index-*.js', async (route) => {
      await mayArrive;
      await route.continue();
    });
    const isThere = page.goto('/console');
    await eventually(() => {
      expect(asked).toEqual(expect.arrayContaining(['/v1/session', '/v1/models']));
    });
    arrive();
    await isThere;
    await page.locator('#prompt').waitFor();
    await page.locator('.price strong').waitFor();

    const early = asked.filter((path) => ['/v1/session', '/v1/models'].includes(path));
    expect(early.toSorted()).toEqual(['/v1/models', '/v1/session']);
  });

  it('asks again for whoever logs in', async () => {
    const { page } = await open();
    const refused: string[] = [];
    page.on('response', (response) => {
      if (response.status() === 401) refused.push(new URL(response.url()).pathname);
    });
    await signIn(page, customer.apiKey);
    await page.locator('#prompt').waitFor();

    expect(refused.toSorted()).toEqual(['/v1/models', '/v1/session']);
  });

  it('shows its first page with at most 120 kB of compressed script', async () => {
    const { page } = await openCold();
    await page.addInitScript(watchPrompt);
    await page.goto('/console');
    await page.locator('#prompt').waitFor();

    const bytes = Number(
      await page.evaluate(`performance.getEntriesByType('resource')
        .filter(({ name }) => name.endsWith('.js'))
        .reduce((sum, { encodedBodySize }) => sum + encodedBodySize, 0)`),
    );
    const usable = Number(await page.evaluate('Math.round(usableAt)'));
    process.stdout.write(`first page: ${bytes} bytes of script, usable after ${usable} ms\n`);
    expect(bytes).toBeGreaterThan(10_000);
    expect(bytes).toBeLessThanOrEqual(120 * 1_024);
  });

  it('shows 10,000 videos by scrolling, each rendered once, and with them changes no more than it must', async () => {
    const { accountId } = customer;
    const { connectionString = '' } = gateway.database.pool.options;
    await loadHistory(connectionString, { accountId, others: [accountId], tasks: manyVideos });
    const { page, complaints } = await open();
    await page.addInitScript(watchRows);
    await signIn(page, customer.apiKey, '/console/videos');
    const rows = page.locator('.video-row-title');
    await rows.first().waitFor();
    const asked = pathsAskedBy(page);

    const plainMs = (await workOf(page, () => showPlainRows(page))) / plainTimes;
    const pages = manyVideos / rowsPerPage;
    const workMs = (await workOf(page, () => scrollToEnd(page))) / pages;

    expect(await rows.count()).toBe(manyVideos);
    // A list that hears of a change meanwhile may ask for its beginning again.
    const lists = asked.filter((path) => path === '/v1/videos').length;
    expect(lists).toBeGreaterThanOrEqual(pages - 1);
    expect(lists).toBeLessThan(pages + 5);
    expect(await takeChanges(page)).toEqual({ added: manyVideos, removed: 0 });
    // What is far from view costs nothing.
    const laidOut = Number(await page.evaluate(rowsLaidOut));
    expect(laidOut).toBeGreaterThan(0);
    expect(laidOut).toBeLessThan(manyVideos / 10);

    expect(workMs).toBeLessThan(plainMs * mostPlain);

    for (let presses = 0; presses < 30; presses += 1) await page.keyboard.press('j');
    expect(await takeChanges(page)).toEqual({ added: 0, removed: 0 });
    process.stdout.write(
      `${manyVideos} videos: ${workMs.toFixed(1)} ms of work a page of ${rowsPerPage}, ${plainMs.toFixed(1)} of plain rows, ` +
        `${laidOut} rows laid out, p75 of ${await p75OfInteractions(page)}\n`,
    );

    await customer.create({ ...brief, prompt: 'one more' });
    const one = page.locator('.video-row').filter({ hasText: 'one more' });
    await one.getByText('succeeded').waitFor({ timeout: 45_000 });
    // It is added, and may be where a portion ends: then the rows of that portion move.
    const { added } = await takeChanges(page);
    expect(added).toBeLessThan(manyVideos / 10);
    expect(complaints).toEqual([]);
  }, 300_000);
});

const brief = { model: 'sandbox-video', duration: 4, resolution: '480p' };

/** Every path under `/v1` that a page asks for from now on. */
function pathsAskedBy(page: Page): readonly string[] {
  const asked: string[] = [];
  page.on('request', (request) => {
    const { pathname } = new URL(request.url());
    if (pathname.startsWith('/v1/') && request.method() === 'GET') asked.push(pathname);
  });
  return asked;
}

/** Notes when there is something to type into. */
const watchPrompt = `
  new MutationObserver(() => {
    if (document.querySelector('#prompt') !== null) globalThis.usableAt ??= performance.now();
  }).observe(document, { childList: true, subtree: true });
`;

/** Counts the rows that come and go, and notes how long interactions take. */
const watchRows = `
  globalThis.watched = { added: 0, removed: 0, interactions: new Map() };
  const rowsIn = (nodes) => [...nodes].filter((node) => node instanceof Element).reduce(
    (sum, node) => sum + (node.matches('li.video-row') ? 1 : node.querySelectorAll('li.video-row').length), 0);
  new MutationObserver((mutations) => {
    for (const { addedNodes, removedNodes } of mutations) {
      watched.added += rowsIn(addedNodes);
      watched.removed += rowsIn(removedNodes);
    }
  }).observe(document, { childList: true, subtree: true });
  new PerformanceObserver((list) => {
    for (const { duration, interactionId: id } of list.getEntries()) {
      if (id) watched.interactions.set(id, Math.max(duration, watched.interactions.get(id) ?? 0));
    }
  }).observe({ type: 'event', durationThreshold: 16 });
`;

interface Changes {
  readonly added: number;
  readonly removed: number;
}

/** The rows that came and went since this was asked last. */
const takeChanges = (page: Page): Promise<Changes> =>
  page.evaluate<Changes>(`(({ added, removed }) => {
    watched.added = watched.removed = 0;
    return { added, removed };
  })(watched)`);

const rowsLaidOut = `[...document.querySelectorAll('li.video-row')]
  .filter((row) => row.checkVisibility({ contentVisibilityAuto: true })).length`;

/** In words; the browser notes what takes 16 ms or longer. */
const p75OfInteractions = (page: Page): Promise<string> =>
  page.evaluate<string>(`(() => {
    const all = [...watched.interactions.values()].sort((one, other) => one - other);
    return all.length + ' interactions ' + (all[Math.floor(all.length * 0.75)] ?? 'under 16') + ' ms';
  })()`);

/** As fast as the list goes on: once whenever it has changed. */
const scrollToEnd = (page: Page): Promise<unknown> =>
  page.evaluate(`new Promise((resolve) => {
    const more = document.querySelector('.more');
    const step = () => {
      scrollTo(0, document.documentElement.scrollHeight);
      if (more.textContent !== 'End of list') return;
      watching.disconnect();
      resolve();
    };
    const watching = new MutationObserver(() => requestAnimationFrame(step));
    watching.observe(more.parentElement, { childList: true, subtree: true, characterData: true });
    step();
  })`);

const plainTimes = 20;
/**
 * What a page of rows may cost, in plain ones: reading, rendering and showing it, against the least that
 * this browser needs for so many rows. A machine that does much else is slower at both.
 */
const mostPlain = 5;

/** Shows a page of rows of six words each, again and again. */
const showPlainRows = (page: Page): Promise<unknown> =>
  page.evaluate(`(async () => {
    for (let time = 0; time < ${plainTimes}; time += 1) {
      const list = document.createElement('ul');
      list.style.cssText = 'position: fixed; inset: 0';
      for (let row = 0; row < ${rowsPerPage}; row += 1) {
        const item = document.createElement('li');
        item.style.display = 'flex';
        for (let cell = 0; cell < 6; cell += 1) {
          const span = document.createElement('span');
          span.textContent = 'word ' + time + row + cell;
          item.append(span);
        }
        list.append(item);
      }
      document.body.append(list);
      await new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)));
      list.remove();
    }
  })()`);

/** How long the page's scripts, styles and layout worked meanwhile, in milliseconds. */
async function workOf(page: Page, act: () => Promise<unknown>): Promise<number> {
  const session = await page.context().newCDPSession(page);
  await session.send('Performance.enable', { timeDomain: 'threadTicks' });
  const read = async (): Promise<number> => {
    const { metrics } = await session.send('Performance.getMetrics');
    const parts = ['ScriptDuration', 'LayoutDuration', 'RecalcStyleDuration'];
    return metrics
      .filter(({ name }) => parts.includes(name))
      .reduce((sum, { value }) => sum + 1_000 * value, 0);
  };
  const before = await read();
  await act();
  return (await read()) - before;
}
