import { mkdirSync } from 'node:fs';
import path from 'node:path';
import type { Browser, BrowserContext, Page } from 'playwright-core';

/** Where pictures of the pages go for who wants to look at them: each takes a second to encode. */
const isPictured = process.env['CONSOLE_PICTURES'] === '1';
const pictures = path.resolve(import.meta.dirname, '../../../.cache/console-pictures');

/** What a visit to the console left behind. */
export interface Visit {
  readonly page: Page;
  readonly context: BrowserContext;
  /** What the policy forbade, or a script threw. */
  readonly complaints: readonly string[];
  /** Of every response that had text. */
  readonly bodies: readonly string[];
  picture(name: string): Promise<void>;
}

export interface VisitOptions {
  readonly baseUrl: string;
  readonly scheme?: 'light' | 'dark';
  readonly size?: { readonly width: number; readonly height: number };
  /** Tabs of one browser share their session. */
  readonly context?: BrowserContext;
}

/** Opens a tab that listens to everything. */
export async function visit(
  browser: Browser,
  { baseUrl, scheme = 'light', size = { width: 1280, height: 900 }, context: shared }: VisitOptions,
): Promise<Visit> {
  const context =
    shared ?? (await browser.newContext({ baseURL: baseUrl, colorScheme: scheme, viewport: size }));
  const page = await context.newPage();
  const complaints: string[] = [];
  const bodies: string[] = [];
  page.on('pageerror', (error) => complaints.push(String(error)));
  page.on('console', (message) => {
    if (/Content Security Policy|Trusted/i.test(message.text())) complaints.push(message.text());
  });
  page.on('response', (response) => {
    const type = response.headers()['content-type'] ?? '';
    if (!/json|text/.test(type) || type.includes('event-stream')) return;
    void response.text().then(
      (body) => bodies.push(body),
      () => undefined, // the tab was closed meanwhile
    );
  });
  return {
    page,
    context,
    complaints,
    bodies,
    async picture(name) {
      if (!isPictured) return;
      mkdirSync(pictures, { recursive: true });
      await page.screenshot({ path: path.join(pictures, `${name}.png`), fullPage: true });
    },
  };
}

export interface LogIn {
  /** What the field is called. */
  readonly label: string;
  readonly secret: string;
  readonly at: string;
}

/** Logs in as a person does. */
export async function logIn(page: Page, { label, secret, at }: LogIn): Promise<void> {
  await page.goto(at);
  await page.getByLabel(label).fill(secret);
  await page.getByRole('button', { name: 'Log in' }).click();
  // On a narrow page it is there, and closed.
  await page.locator('nav[aria-label="Console"]').waitFor({ state: 'attached' });
}

/** Logs a customer in. */
export const signIn = (page: Page, apiKey: string, at = '/console'): Promise<void> =>
  logIn(page, { label: 'API key', secret: apiKey, at });
